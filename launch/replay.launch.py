# SPDX-License-Identifier: Apache-2.0
"""Detector and predictor for a recording, played by `ros2 bag play` in another terminal.

Stamps of messages are all that counts, so neither needs `use_sim_time`.

Example:
    ros2 launch impact_control replay.launch.py robot:=fr3 urdf:=fr3.urdf
        joint_states:=franka_robot_state_broadcaster/measured_joint_states
"""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

PACKAGE = "impact_control"
EXECUTABLES = ("impact_detector", "impact_predictor")
DESIRED = "impact_qp/desired_joint_states"
OVERRIDES = ("robot", "urdf", "joint_prefix")
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
        "namespace": ("", "Namespace of all nodes"),
    }
    declared = [
        DeclareLaunchArgument(name, default_value=default, description=description)
        for name, (default, description) in arguments.items()
    ]
    return LaunchDescription([*declared, OpaqueFunction(function=_nodes)])


def _nodes(context):
    given = {name: LaunchConfiguration(name).perform(context) for name in OVERRIDES}
    overrides = {name: value for name, value in given.items() if value}
    return [
        Node(
            package=PACKAGE,
            executable=executable,
            namespace=LaunchConfiguration("namespace"),
            parameters=[LaunchConfiguration("parameters"), *([overrides] if overrides else [])],
            remappings=[(name, LaunchConfiguration(topic)) for name, topic in TOPICS.items()],
            output="screen",
        )
        for executable in EXECUTABLES
    ]
