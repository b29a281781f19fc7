# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The suite with ros2_control's mock hardware: the wiring of a robot, and nothing that moves.

Not tried: see doc/ros2_control.md. Nothing is configured here; the last two when the spawner has
ended, and only to see that commands arrive:

    ros2 launch impact_control mock_hardware.launch.py interface:=position
    ros2 lifecycle set /impact_qp configure
    ros2 lifecycle set /impact_qp activate
"""

import shutil
import tempfile
from pathlib import Path

from launch import LaunchDescription, actions
from launch.conditions import IfCondition
from launch.event_handlers import OnShutdown
from launch.substitutions import EnvironmentVariable, LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

from impact_bringup.experiment import Run, suite_parameters
from impact_bringup.simulator_folder import write_folder
from impact_robots.loader import load_robot
from impact_sim.export.mjcf_files import CONTROLLERS, URDF
from impact_sim.export.mock_hardware import INTERFACES, mock_files
from impact_sim.export.ros2_control import COMMANDS, STATES
from impact_sim.scenarios import load_scenario, scenario_names

RANGE = "ROS_AUTOMATIC_DISCOVERY_RANGE"
DETECTOR = "acceleration"  # which needs no torques: mock efforts are those commanded, or zero
TOPICS = [("impact_qp/commands", f"{COMMANDS}/commands")]


def generate_launch_description():
    local = EnvironmentVariable(RANGE, default_value="LOCALHOST")
    arguments = {
        "scenario": ("qp_panda_demo", "Whose arm, start and surface", [*scenario_names()]),
        "interface": ("position", "What the arm is sent; torques move nothing", [*INTERFACES]),
        "rviz": ("false", "Also start RViz", ["true", "false"]),
        "discovery_range": (local, "Who may hear: LOCALHOST, or SUBNET for the network", None),
        "namespace": ("", "Namespace of all nodes", None),
    }
    declared = [
        actions.DeclareLaunchArgument(name, default_value=value, description=text, choices=choices)
        for name, (value, text, choices) in arguments.items()
    ]
    return LaunchDescription([*declared, actions.OpaqueFunction(function=_actions)])


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
    control = str(folder / CONTROLLERS)
    spawned = [STATES, COMMANDS, "--param-file", control]
    remove = actions.OpaqueFunction(function=lambda _: shutil.rmtree(folder, ignore_errors=True))
    return [
        actions.SetEnvironmentVariable(RANGE, value["discovery_range"]),
        actions.RegisterEventHandler(OnShutdown(on_shutdown=[remove])),
        _node("robot_state_publisher", "robot_state_publisher", parameters=[urdf]),
        _node("controller_manager", "ros2_control_node", parameters=[control]),
        _node("controller_manager", "spawner", arguments=spawned, on_exit=_spawned),
        _node("impact_control", "suite", ros_arguments=suite, remappings=TOPICS),
        actions.IncludeLaunchDescription(
            PathJoinSubstitution([FindPackageShare("impact_control"), "launch", "rviz.launch.py"]),
            launch_arguments={"robot": scenario.robot, "state_publisher": "false"}.items(),
            condition=IfCondition(LaunchConfiguration("rviz")),
        ),
    ]


def _node(package, executable, **options):
    end, space = actions.Shutdown(reason=f"{executable} ended"), LaunchConfiguration("namespace")
    own = {"package": package, "executable": executable, "output": "screen"}
    return Node(**({**own, "namespace": space, "on_exit": end} | options))


def _spawned(event, context):
    """End everything when a controller could not be started."""
    return actions.Shutdown(reason="no controllers") if event.returncode else None
