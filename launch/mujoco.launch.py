# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The suite with an arm in MuJoCo under ros2_control (package mujoco_ros2_control).

Not tested: see doc/mujoco.md. Configures no node; the last two commands when the spawner has ended:

    ros2 launch impact_control mujoco.launch.py flexible:=true
    ros2 lifecycle set /impact_qp configure
    ros2 lifecycle set /impact_qp activate
"""

import tempfile
from pathlib import Path

from launch_ros.parameter_descriptions import ParameterValue

from impact_bags.reading.run_record import Run
from impact_bringup.experiments.experiment import suite_parameters
from impact_bringup.launch_parts import (
    BOOLEANS,
    PACKAGE,
    SUITE,
    description,
    limited_discovery,
    node,
    removed_at_the_end,
    rviz,
    unless_done,
)
from impact_bringup.simulator_folder import write_folder
from impact_qp.limits.impact_limits.registry import AUTO, SELECTABLE
from impact_robots.description.loader import load_robot
from impact_sim.export.arm_mjcf import ExportedArm
from impact_sim.export.mjcf_files import CONTROLLERS, URDF, mjcf_files
from impact_sim.export.ros2_control import COMMANDS, FORCE, STATES
from impact_sim.scenarios import load_scenario, scenario_names

WRENCH = f"{FORCE}/wrench"
TOPICS = [("impact_qp/commands", f"{COMMANDS}/commands"), ("wrench", WRENCH)]


def generate_launch_description():
    arguments = {
        "scenario": ("qp_panda_demo", "Named scenario with a wall", [*scenario_names()]),
        "impact_limits": (AUTO, "Which impulses must respect the limits", [*SELECTABLE]),
        "flexible": ("false", "Motors and springs instead of rigid joints", BOOLEANS),
        "speed_factor": ("0.2", "Largest ratio of simulated to real time; the loop uses DDS"),
        "headless": ("false", "No window of MuJoCo", BOOLEANS),
    }
    return description(arguments | SUITE, _actions)


def _actions(context):
    value = context.launch_configurations
    scenario, folder = load_scenario(value["scenario"]), Path(tempfile.mkdtemp())
    arm = ExportedArm(load_robot(scenario.robot), flexible=value["flexible"] == "true")
    hardware = {"headless": value["headless"], "sim_speed_factor": value["speed_factor"]}
    settings = suite_parameters(Run(scenario, value["impact_limits"], folder=folder, realtime=True))
    against = [-component for component in scenario.normal]  # the force is that on the wall
    settings["impact_detector"]["ros__parameters"]["wrench_normal"] = against
    texts = mjcf_files(folder, arm, scenario, hardware=hardware)
    suite = write_folder(folder, texts, settings)
    clock = {"use_sim_time": True}  # the suite judges by stamps and needs none
    urdf = {"robot_description": ParameterValue(texts[URDF], value_type=str)}
    control, done = str(folder / CONTROLLERS), unless_done("no controllers")
    spawned = [STATES, FORCE, COMMANDS, "--param-file", control]
    view = {"use_sim_time": "true", "state_publisher": "false", "wrench": WRENCH}
    return [
        limited_discovery(),
        removed_at_the_end(folder),
        node("robot_state_publisher", "robot_state_publisher", parameters=[urdf | clock]),
        node("mujoco_ros2_control", "ros2_control_node", parameters=[clock, control]),
        node("controller_manager", "spawner", arguments=spawned, on_exit=done),
        node(PACKAGE, "suite", ros_arguments=suite, remappings=TOPICS),
        rviz(robot=scenario.robot, **view),
    ]
