# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A Franka Research 3 through libfranka, controlled in its own cycle, with a predictor beside it.

Nothing is configured or activated here, because that moves the robot. When the arm stands where the
approach shall begin, and you hold the emergency stop:

    ros2 lifecycle set /franka configure
    ros2 lifecycle set /franka activate     # torque control: it holds; goals move it

Example:
    ros2 launch impact_control franka.launch.py parameters:=my_franka.yaml urdf:=fr3.urdf
        address:=192.168.1.11
"""

from launch import LaunchDescription, actions
from launch.conditions import IfCondition
from launch.substitutions import EnvironmentVariable, LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

PACKAGE = "impact_control"
RANGE = "ROS_AUTOMATIC_DISCOVERY_RANGE"
ROBOT = "fr3"
EXECUTABLES = {"franka": ("urdf", "address", "dry_run"), "impact_predictor": ("urdf",)}


def generate_launch_description():
    settings = PathJoinSubstitution([FindPackageShare(PACKAGE), "config", "franka.yaml"])
    arguments = {
        "parameters": (settings, "Parameter file: says where the surface is, among other things"),
        "address": ("", "Name or IP address of the arm; empty: the parameter file's"),
        "urdf": ("", "Path of the arm's URDF; empty: the parameter file's"),
        "dry_run": ("", "true: send torques of zero; empty: the parameter file's"),
        "discovery_range": (
            EnvironmentVariable(RANGE, default_value="LOCALHOST"),
            "Who may hear and command: LOCALHOST, or SUBNET for the network",
        ),
        "rviz": ("false", "true: also start RViz and broadcast the frames; needs urdf"),
        "namespace": ("", "Namespace of all nodes"),
    }
    declared = [
        actions.DeclareLaunchArgument(name, default_value=default, description=description)
        for name, (default, description) in arguments.items()
    ]
    return LaunchDescription([*declared, actions.OpaqueFunction(function=_nodes)])


def _nodes(context):
    given = {name: LaunchConfiguration(name).perform(context) for name in EXECUTABLES["franka"]}
    return [
        actions.SetEnvironmentVariable(RANGE, LaunchConfiguration("discovery_range")),
        *(
            _node(name, {each: given[each] for each in known})
            for name, known in EXECUTABLES.items()
        ),
        actions.IncludeLaunchDescription(
            PathJoinSubstitution([FindPackageShare(PACKAGE), "launch", "rviz.launch.py"]),
            launch_arguments={"robot": ROBOT, "urdf": given["urdf"]}.items(),
            condition=IfCondition(LaunchConfiguration("rviz")),
        ),
    ]


def _node(executable, given):
    overrides = [part for name in given if given[name] for part in ("-p", f"{name}:={given[name]}")]
    return Node(
        package=PACKAGE,
        executable=executable,
        namespace=LaunchConfiguration("namespace"),
        ros_arguments=["--params-file", LaunchConfiguration("parameters"), *overrides],
        on_exit=actions.Shutdown(reason=f"{executable} ended"),
        output="screen",
    )
