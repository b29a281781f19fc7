# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The suite with an arm in MuJoCo under ros2_control (package mujoco_ros2_control).

Not tried: see doc/mujoco.md. Nothing is configured here; the last two when the spawner has ended:

    ros2 launch impact_control mujoco.launch.py flexible:=true
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
from impact_qp.limits.registry import AUTO, SELECTABLE
from impact_robots.loader import load_robot
from impact_sim.export.arm_mjcf import ExportedArm
from impact_sim.export.mjcf_files import CONTROLLERS, URDF, mjcf_files
from impact_sim.export.ros2_control import COMMANDS, FORCE, STATES
from impact_sim.scenarios import load_scenario, scenario_names

BOOLEANS = ["true", "false"]
RANGE = "ROS_AUTOMATIC_DISCOVERY_RANGE"
TOPICS = [("impact_qp/commands", f"{COMMANDS}/commands"), ("wrench", f"{FORCE}/wrench")]


def generate_launch_description():
    local = EnvironmentVariable(RANGE, default_value="LOCALHOST")
    arguments = {
        "scenario": ("qp_panda_demo", "What is hit, and how", [*scenario_names()]),
        "impact_limits": (AUTO, "Which impulses must respect the limits", [*SELECTABLE]),
        "flexible": ("false", "Motors and springs instead of rigid joints", BOOLEANS),
        "speed_factor": ("0.2", "Simulated over real time, at most; the loop goes over DDS", None),
        "headless": ("false", "No window of MuJoCo", BOOLEANS),
        "rviz": ("false", "Also start RViz", BOOLEANS),
        "discovery_range": (local, "Who may hear: LOCALHOST, or SUBNET for the network", None),
        "namespace": ("", "Namespace of all nodes", None),
    }
    declared = [
        actions.DeclareLaunchArgument(name, default_value=value, description=text, choices=choices)
        for name, (value, text, choices) in arguments.items()
    ]
    return LaunchDescription([*declared, actions.OpaqueFunction(function=_actions)])


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
    control = str(folder / CONTROLLERS)
    spawned = [STATES, FORCE, COMMANDS, "--param-file", control]
    remove = actions.OpaqueFunction(function=lambda _: shutil.rmtree(folder, ignore_errors=True))
    rviz = {"robot": scenario.robot, "use_sim_time": "true", "state_publisher": "false"}
    return [
        actions.SetEnvironmentVariable(RANGE, value["discovery_range"]),
        actions.RegisterEventHandler(OnShutdown(on_shutdown=[remove])),
        _node("robot_state_publisher", "robot_state_publisher", parameters=[urdf | clock]),
        _node("mujoco_ros2_control", "ros2_control_node", parameters=[clock, control]),
        _node("controller_manager", "spawner", arguments=spawned, on_exit=_spawned),
        _node("impact_control", "suite", ros_arguments=suite, remappings=TOPICS),
        actions.IncludeLaunchDescription(
            PathJoinSubstitution([FindPackageShare("impact_control"), "launch", "rviz.launch.py"]),
            launch_arguments=(rviz | {"wrench": TOPICS[1][1]}).items(),
            condition=IfCondition(LaunchConfiguration("rviz")),
        ),
    ]


def _node(package, executable, **options):
    own = {"on_exit": actions.Shutdown(reason=f"{executable} ended")}
    common = {"namespace": LaunchConfiguration("namespace"), "output": "screen"}
    return Node(package=package, executable=executable, **(own | common | options))


def _spawned(event, context):
    """End everything when a controller could not be started."""
    return actions.Shutdown(reason="no controllers") if event.returncode else None
