# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Detector and predictor for a recording, played by `ros2 bag play` in another terminal.

Both judge by stamps; with `use_sim_time:=true` and `ros2 bag play --clock` their diagnostics and
RViz live in the time of the recording as well.

Example:
    ros2 launch impact_control replay.launch.py robot:=fr3 urdf:=fr3.urdf
        joint_states:=franka_robot_state_broadcaster/measured_joint_states
"""

from launch import LaunchDescription, actions
from launch.conditions import IfCondition
from launch.substitutions import EnvironmentVariable, LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

PACKAGE = "impact_control"
RANGE = "ROS_AUTOMATIC_DISCOVERY_RANGE"
DESIRED = "impact_qp/desired_joint_states"
OVERRIDES = {  # arguments that set a parameter, by executable
    "impact_detector": (
        *("robot", "urdf", "joint_prefix", "use_sim_time"),
        *("contact_normal", "wrench_normal", "reference"),
    ),
    "impact_predictor": ("robot", "urdf", "joint_prefix", "use_sim_time"),
}
TOPICS = {  # name in the nodes -> argument
    "joint_states": "joint_states",
    DESIRED: "desired_joint_states",
    "wrench": "wrench",
    "wrench_batch": "wrench_batch",
}


def generate_launch_description():
    settings = PathJoinSubstitution([FindPackageShare(PACKAGE), "config", "suite.yaml"])
    arguments = {
        "parameters": (settings, "Parameter file"),
        "robot": ("", "Robot by name, or path of its YAML; empty: the parameter file's"),
        "urdf": ("", "Path of the robot's URDF; empty: the parameter file's"),
        "joint_prefix": ("", "Prefix of joint names; empty: the parameter file's"),
        "joint_states": ("joint_states", "Recorded state, effort included (JointState)"),
        "desired_joint_states": (DESIRED, "Its effort is the detector's reference (JointState)"),
        "wrench": ("wrench", "Recorded force on the robot (WrenchStamped)"),
        "wrench_batch": ("wrench_batch", "The same, many samples a message (WrenchBatch)"),
        "contact_normal": ("", "Outward normal of the surface, base axes, such as [0.0, 0.0, 1.0]"),
        "wrench_normal": ("", "The same in axes of the force sensor"),
        "reference": ("", "What measured torque is compared with: desired or model"),
        "use_sim_time": ("false", "true: nodes' clocks follow `ros2 bag play --clock`"),
        "discovery_range": (
            EnvironmentVariable(RANGE, default_value="LOCALHOST"),
            "Who may hear and command: LOCALHOST, or SUBNET for the network",
        ),
        "rviz": ("false", "true: also start RViz and a robot_state_publisher"),
        "namespace": ("", "Namespace of all nodes"),
    }
    declared = [
        actions.DeclareLaunchArgument(name, default_value=default, description=description)
        for name, (default, description) in arguments.items()
    ]
    return LaunchDescription([*declared, actions.OpaqueFunction(function=_actions)])


def _actions(context):
    return [
        actions.SetEnvironmentVariable(RANGE, LaunchConfiguration("discovery_range")),
        *(_node(context, executable, names) for executable, names in OVERRIDES.items()),
        _rviz(),
    ]


def _node(context, executable, names):
    settings = LaunchConfiguration("parameters").perform(context)
    given = {name: LaunchConfiguration(name).perform(context) for name in names}
    overrides = [part for name in given if given[name] for part in ("-p", f"{name}:={given[name]}")]
    return Node(
        package=PACKAGE,
        executable=executable,
        namespace=LaunchConfiguration("namespace"),
        ros_arguments=["--params-file", settings, *overrides],
        remappings=[(name, LaunchConfiguration(topic)) for name, topic in TOPICS.items()],
        on_exit=actions.Shutdown(reason=f"{executable} ended"),
        output="screen",
    )


def _rviz():
    return actions.IncludeLaunchDescription(
        PathJoinSubstitution([FindPackageShare(PACKAGE), "launch", "rviz.launch.py"]),
        condition=IfCondition(LaunchConfiguration("rviz")),
    )
