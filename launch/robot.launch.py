# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Detector, predictor and controller beside a real robot's driver.

The task selects the controller: a hit by one arm (node impact_qp), a push or a grab by arms
(impact_spreading), a grab by a humanoid (impact_humanoid). Does not configure or activate any node,
because that moves the robot. When it is at its start, and you hold the emergency stop:

    ros2 lifecycle set /impact_qp configure
    ros2 lifecycle set /impact_qp activate

Example:
    ros2 launch impact_control robot.launch.py parameters:=my_robot.yaml
        commands:=forward_command_controller/commands
    ros2 launch impact_control robot.launch.py task:=grab.yaml cell:=cell.yaml
"""

from launch.substitutions import LaunchConfiguration

from impact_bringup.launch_parts import (
    PACKAGE,
    ROBOT,
    SUITE,
    box_detectors,
    description,
    given,
    limited_discovery,
    node,
    refuse_unused,
    rviz_of,
    set_to,
    shared_file,
)
from impact_robots.task.box_task import BoxTask
from impact_robots.task.find import find_task
from impact_robots.task.palm_task import PalmTask

DESIRED = "impact_qp/desired_joint_states"
COMMANDS = "impact_qp/commands"
SETTINGS = ["--params-file", LaunchConfiguration("parameters")]
TOPICS = {  # name in the nodes -> argument; the controller goes on publishing DESIRED itself
    "joint_states": "joint_states",
    f"impact_detector:{DESIRED}": "desired_joint_states",
    "wrench": "wrench",
    COMMANDS: "commands",
}
REMAPPED = [(name, LaunchConfiguration(topic)) for name, topic in TOPICS.items()]

ARGUMENTS = {
    "parameters": (shared_file("config", "suite.yaml"), "Parameter file: with the surface, say"),
    "task": ("", "Name or YAML of a hit, a push or a grab"),
    "cell": ("", "YAML of which arms stand where; empty: one arm, or as the task says"),
    "robot": ("", "Robot by name, or path of its YAML; empty: the task's or parameter file's"),
    "urdf": ("", "Path of the robot's URDF; empty: the parameter file's"),
    "joint_prefix": ("", "Prefix of joint names; empty: the parameter file's"),
    "joint_states": ("joint_states", "Measured state, effort included (JointState)"),
    "desired_joint_states": (DESIRED, "Its effort is the detector's reference (JointState)"),
    "wrench": ("wrench", "Force on the robot, if it is measured (WrenchStamped)"),
    "commands": (COMMANDS, "Where the commands go (Float64MultiArray)"),
}


def generate_launch_description():
    return description(ARGUMENTS | SUITE, _actions)


def _actions(context):
    value = context.launch_configurations
    task = find_task(value["task"], value["cell"]) if value["task"] else None
    refuse_unused(value, ARGUMENTS, task)
    make = {BoxTask: _arms, PalmTask: _humanoid}.get(type(task), _arm)
    shown = rviz_of(context, "impact_qp", task, state_publisher="false")  # with the driver's frames
    return [limited_discovery(), *make(context, task), *shown]


def _arm(context, task):
    settings = given(context.launch_configurations, ROBOT)
    if task is not None:
        settings = [*(set_to({"robot": task.robot}) if task.robot else []), *settings]
        settings += given(context.launch_configurations, ("task",), "impact_qp")
        settings += set_to({"contact_normal": list(task.contact_normal)}, "impact_detector")
        if task.tool is not None:  # what the arm carries is that of every node
            settings += set_to({"tool": context.launch_configurations["task"]})
    return [node(PACKAGE, "suite", ros_arguments=[*SETTINGS, *settings], remappings=REMAPPED)]


def _arms(context, task):
    settings = given(context.launch_configurations, ("task", "cell"))
    own = {"remappings": REMAPPED} if task.arm_names == ("",) else {}
    return [
        node(PACKAGE, "impact_spreading", ros_arguments=[*SETTINGS, *settings], **own),
        *box_detectors(task, *SETTINGS, lockstep=False, **own),
    ]


def _humanoid(context, _task):
    settings = given(context.launch_configurations, ("task",))
    return [node(PACKAGE, "impact_humanoid", ros_arguments=[*SETTINGS, *settings])]
