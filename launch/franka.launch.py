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

from launch.substitutions import LaunchConfiguration

from impact_bringup.launch_parts import (
    BOOLEANS,
    PACKAGE,
    SUITE,
    description,
    given,
    limited_discovery,
    node,
    rviz,
    shared_file,
)

ROBOT = "fr3"
EXECUTABLES = {"franka": ("urdf", "address", "dry_run"), "impact_predictor": ("urdf",)}


def generate_launch_description():
    settings = shared_file("config", "franka.yaml")
    arguments = {
        "parameters": (settings, "Parameter file: says where the surface is, among other things"),
        "address": ("", "Name or IP address of the arm; empty: the parameter file's"),
        "urdf": ("", "Path of the arm's URDF; empty: the parameter file's"),
        "dry_run": ("", "true: send torques of zero; empty: the parameter file's"),
    }
    view = {"rviz": ("false", "Also start RViz and broadcast the frames; needs urdf", BOOLEANS)}
    return description(arguments | SUITE | view, _actions)


def _actions(context):
    settings = ["--params-file", LaunchConfiguration("parameters")]
    return [
        limited_discovery(),
        *(
            node(PACKAGE, name, ros_arguments=[*settings, *given(context, known)])
            for name, known in EXECUTABLES.items()
        ),
        rviz(robot=ROBOT, urdf=LaunchConfiguration("urdf")),
    ]
