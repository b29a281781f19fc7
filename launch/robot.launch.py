# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Detector, predictor and controller beside a real arm's driver.

Nothing is configured or activated here, because that moves the robot. When the arm stands where the
approach shall begin, and you hold the emergency stop:

    ros2 lifecycle set /impact_qp configure
    ros2 lifecycle set /impact_qp activate

Example:
    ros2 launch impact_control robot.launch.py parameters:=my_robot.yaml
        commands:=forward_command_controller/commands
"""

from launch import LaunchDescription, actions
from launch.conditions import IfCondition
from launch.substitutions import EnvironmentVariable, LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

PACKAGE = "impact_control"
RANGE = "ROS_AUTOMATIC_DISCOVERY_RANGE"
DESIRED = "impact_qp/desired_joint_states"
COMMANDS = "impact_qp/commands"
OVERRIDES = ("robot", "urdf", "joint_prefix")
TOPICS = {  # name in the nodes -> argument; the controller goes on publishing DESIRED itself
    "joint_states": "joint_states",
    f"impact_detector:{DESIRED}": "desired_joint_states",
    "wrench": "wrench",
    COMMANDS: "commands",
}


def generate_launch_description():
    settings = PathJoinSubstitution([FindPackageShare(PACKAGE), "config", "suite.yaml"])
    arguments = {
        "parameters": (settings, "Parameter file: says where the surface is, among other things"),
        "robot": ("", "Robot by name, or path of its YAML; empty: the parameter file's"),
        "urdf": ("", "Path of the robot's URDF; empty: the parameter file's"),
        "joint_prefix": ("", "Prefix of joint names; empty: the parameter file's"),
        "joint_states": ("joint_states", "Measured state, effort included (JointState)"),
        "desired_joint_states": (DESIRED, "Its effort is the detector's reference (JointState)"),
        "wrench": ("wrench", "Force on the robot, if it is measured (WrenchStamped)"),
        "commands": (COMMANDS, "Where the commands go (Float64MultiArray)"),
        "discovery_range": (
            EnvironmentVariable(RANGE, default_value="LOCALHOST"),
            "Who may hear and command: LOCALHOST, or SUBNET for the network",
        ),
        "rviz": ("false", "true: also start RViz; the driver broadcasts the frames"),
        "namespace": ("", "Namespace of all nodes"),
    }
    declared = [
        actions.DeclareLaunchArgument(name, default_value=default, description=description)
        for name, (default, description) in arguments.items()
    ]
    return LaunchDescription([*declared, actions.OpaqueFunction(function=_suite)])


def _suite(context):
    given = {name: LaunchConfiguration(name).perform(context) for name in OVERRIDES}
    overrides = [part for name in given if given[name] for part in ("-p", f"{name}:={given[name]}")]
    settings = LaunchConfiguration("parameters").perform(context)
    return [
        actions.SetEnvironmentVariable(RANGE, LaunchConfiguration("discovery_range")),
        Node(
            package=PACKAGE,
            executable="suite",
            namespace=LaunchConfiguration("namespace"),
            ros_arguments=["--params-file", settings, *overrides],
            remappings=[(name, LaunchConfiguration(topic)) for name, topic in TOPICS.items()],
            on_exit=actions.Shutdown(reason="suite ended"),
            output="screen",
        ),
        _rviz(state_publisher="false"),
    ]


def _rviz(**arguments):
    return actions.IncludeLaunchDescription(
        PathJoinSubstitution([FindPackageShare(PACKAGE), "launch", "rviz.launch.py"]),
        launch_arguments=arguments.items(),
        condition=IfCondition(LaunchConfiguration("rviz")),
    )
