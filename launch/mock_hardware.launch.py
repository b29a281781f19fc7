# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The suite with ros2_control's mock hardware: only the connections of a robot.

Not tested: see doc/ros2_control.md. Configures no node; the last two commands when the spawner has
ended, and only to check that commands arrive:

    ros2 launch impact_control mock_hardware.launch.py interface:=position
    ros2 lifecycle set /impact_qp configure
    ros2 lifecycle set /impact_qp activate
"""

import tempfile
from pathlib import Path

from launch_ros.parameter_descriptions import ParameterValue

from impact_bags.reading.run_record import Run
from impact_bringup.experiments.experiment import suite_parameters
from impact_bringup.launch_parts import (
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
from impact_robots.description.loader import load_robot
from impact_sim.export.mjcf_files import CONTROLLERS, URDF
from impact_sim.export.mock_hardware import INTERFACES, mock_files
from impact_sim.export.ros2_control import COMMANDS, STATES
from impact_sim.scenarios import load_scenario, scenario_names

DETECTOR = "acceleration"  # which needs no torques: mock efforts are those commanded, or zero
TOPICS = [("impact_qp/commands", f"{COMMANDS}/commands")]


def generate_launch_description():
    arguments = {
        "scenario": ("qp_panda_demo", "Defines arm, start and surface", [*scenario_names()]),
        "interface": ("position", "Commanded quantity; torques have no effect", [*INTERFACES]),
    }
    return description(arguments | SUITE, _actions)


def _actions(context):
    value, folder = context.launch_configurations, Path(tempfile.mkdtemp())
    scenario = load_scenario(value["scenario"])
    robot = load_robot(scenario.robot)
    settings = suite_parameters(Run(scenario, "robust", folder=folder, realtime=True))
    settings["impact_qp"]["ros__parameters"]["interface"] = value["interface"]
    settings["impact_detector"]["ros__parameters"]["detectors"] = [DETECTOR]
    texts = mock_files(robot, scenario.start(robot), value["interface"])
    suite = write_folder(folder, texts, settings)
    urdf = {"robot_description": ParameterValue(texts[URDF], value_type=str)}
    control, done = str(folder / CONTROLLERS), unless_done("no controllers")
    spawned = [STATES, COMMANDS, "--param-file", control]
    return [
        limited_discovery(),
        removed_at_the_end(folder),
        node("robot_state_publisher", "robot_state_publisher", parameters=[urdf]),
        node("controller_manager", "ros2_control_node", parameters=[control]),
        node("controller_manager", "spawner", arguments=spawned, on_exit=done),
        node(PACKAGE, "suite", ros_arguments=suite, remappings=TOPICS),
        rviz(robot=scenario.robot, state_publisher="false"),
    ]
