# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""RViz with the robot, its contact frame, announced impulses and predicted velocities.

A robot_state_publisher broadcasts the frames of the robot; all messages use its base frame.
If the driver's bring-up runs one already: `state_publisher:=false`.

Example:
    ros2 launch impact_control rviz.launch.py robot:=fr3 urdf:=fr3.urdf state_publisher:=false
"""

from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from impact_bringup.launch_parts import (
    BOOLEANS,
    COMMON,
    description,
    limited_discovery,
    shared_file,
)
from impact_robots.description.loader import load_robot

TOPICS = ("robot_description", "impact_predictor/markers", "wrench")  # as in impact.rviz


def generate_launch_description():
    arguments = {
        "robot": ("panda", "Robot by name, or path of its YAML; empty: panda"),
        "urdf": ("", "Path of the robot's URDF; empty: its own"),
        "joint_prefix": ("", "Prefix of joint names; empty: its own"),
        "joint_states": ("joint_states", "Measured state (JointState)"),
        "wrench": ("wrench", "Force on the robot (WrenchStamped)"),
        "state_publisher": ("true", "Broadcast the robot's frames", BOOLEANS),
        "use_sim_time": ("false", "Time comes from /clock", BOOLEANS),
    }
    return description(arguments | COMMON, _nodes)


def _nodes(context):
    value = context.launch_configurations
    robot = load_robot(
        value["robot"] or "panda",
        urdf=value["urdf"] or None,
        joint_prefix=value["joint_prefix"] or None,
    )
    clock = {"use_sim_time": ParameterValue(LaunchConfiguration("use_sim_time"), value_type=bool)}
    settings = shared_file("rviz", "impact.rviz")
    names = {topic: topic for topic in TOPICS} | {"wrench": value["wrench"]}
    common = {"namespace": LaunchConfiguration("namespace"), "output": "screen"}
    return [
        limited_discovery(),
        Node(
            package="robot_state_publisher",
            executable="robot_state_publisher",
            parameters=[clock | {"robot_description": ParameterValue(robot.urdf, value_type=str)}],
            remappings=[("joint_states", value["joint_states"])],
            condition=IfCondition(LaunchConfiguration("state_publisher")),
            **common,
        ),
        Node(
            package="rviz2",
            executable="rviz2",
            arguments=["-d", settings, "-f", robot.base_frame],
            parameters=[clock],
            remappings=[(f"/{topic}", name) for topic, name in names.items()],
            **common,
        ),
    ]
