# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The governor between your own controller and the robot's driver.

Does not configure or activate it. When it is between them, and you hold the emergency stop:

    ros2 lifecycle set /impact_governor configure
    ros2 lifecycle set /impact_governor activate

Example:
    ros2 launch impact_control governor.launch.py parameters:=my_robot.yaml interface:=velocity
        commands_in:=my_controller/commands commands:=forward_command_controller/commands
"""

from launch.substitutions import LaunchConfiguration

from impact_bringup.launch_parts import (
    COMMON,
    PACKAGE,
    ROBOT,
    description,
    given,
    limited_discovery,
    node,
    shared_file,
)

TOPICS = ("commands", "twist", "trajectory")  # one of them, by the interface
OVERRIDES = (*ROBOT, "interface")


def generate_launch_description():
    interfaces = ["", "velocity", "position", "twist", "trajectory"]
    arguments = {
        "parameters": (
            shared_file("config", "suite.yaml"),
            "Parameter file: its section impact_governor says where surfaces are",
        ),
        "interface": ("", "What your controller sends; empty: the parameter file's", interfaces),
        "robot": ("", "Robot by name, or path of its YAML; empty: the parameter file's"),
        "urdf": ("", "Path of the robot's URDF; empty: the parameter file's"),
        "joint_prefix": ("", "Prefix of joint names; empty: the parameter file's"),
        "joint_states": ("joint_states", "Measured state (JointState)"),
        "commands_in": ("impact_governor/commands_in", "Commands of your controller"),
        "commands": ("impact_governor/commands", "Where they go, slowed down"),
    }
    return description(arguments | COMMON, _actions)


def _actions(context):
    remapped = {"joint_states": "joint_states"}
    for topic in TOPICS:
        remapped |= {f"~/{topic}_in": "commands_in", f"~/{topic}": "commands"}
    settings = given(context.launch_configurations, OVERRIDES)
    return [
        limited_discovery(),
        node(
            PACKAGE,
            "impact_governor",
            ros_arguments=["--params-file", LaunchConfiguration("parameters"), *settings],
            remappings=[(name, LaunchConfiguration(each)) for name, each in remapped.items()],
        ),
    ]
