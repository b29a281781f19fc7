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

from launch.substitutions import LaunchConfiguration

from impact_bringup.launch_parts import (
    PACKAGE,
    SUITE,
    description,
    given,
    limited_discovery,
    node,
    rviz,
    shared_file,
)

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
    settings = shared_file("config", "suite.yaml")
    arguments = {
        "parameters": (settings, "Parameter file: says where the surface is, among other things"),
        "robot": ("", "Robot by name, or path of its YAML; empty: the parameter file's"),
        "urdf": ("", "Path of the robot's URDF; empty: the parameter file's"),
        "joint_prefix": ("", "Prefix of joint names; empty: the parameter file's"),
        "joint_states": ("joint_states", "Measured state, effort included (JointState)"),
        "desired_joint_states": (DESIRED, "Its effort is the detector's reference (JointState)"),
        "wrench": ("wrench", "Force on the robot, if it is measured (WrenchStamped)"),
        "commands": (COMMANDS, "Where the commands go (Float64MultiArray)"),
    }
    return description(arguments | SUITE, _actions)


def _actions(context):
    settings = ["--params-file", LaunchConfiguration("parameters")]
    topics = [(name, LaunchConfiguration(topic)) for name, topic in TOPICS.items()]
    return [
        limited_discovery(),
        node(
            PACKAGE,
            "suite",
            ros_arguments=[*settings, *given(context.launch_configurations, OVERRIDES)],
            remappings=topics,
        ),
        rviz(state_publisher="false"),  # the driver broadcasts the frames
    ]
