# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A simulated arm approaches a surface and hits it, once; or waits for goals.

Examples:
    ros2 launch impact_control simulation.launch.py impact_limits:=existential rviz:=true
    ros2 launch impact_control simulation.launch.py approach_on_activation:=false
        realtime:=true duration:=3600.0 after_contact:=3600.0
"""

import tempfile
from pathlib import Path

import yaml
from launch import LaunchDescription, actions
from launch.conditions import IfCondition
from launch.event_handlers import OnShutdown
from launch.substitutions import EnvironmentVariable, LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

from impact_bringup.experiment import Run, suite_parameters
from impact_qp.limits.registry import AUTO, SELECTABLE
from impact_sim.scenarios import load_scenario, scenario_names

SIMULATED = ("scenario", "seed", "noise", "realtime", "duration", "after_contact")
BOOLEANS = ["true", "false"]
RANGE = "ROS_AUTOMATIC_DISCOVERY_RANGE"


def generate_launch_description():
    local = EnvironmentVariable(RANGE, default_value="LOCALHOST")
    arguments = {
        "scenario": ("qp_panda_demo", "What is hit, and how", [*scenario_names()]),
        "impact_limits": (AUTO, "Which impulses must respect the limits", [*SELECTABLE]),
        "approach_on_activation": ("true", "Hit at once; false: wait for goals", BOOLEANS),
        "seed": ("0", "Seed of the sensor noise", None),
        "noise": ("true", "Sensor noise as on a real Panda", BOOLEANS),
        "realtime": ("false", "Wall clock instead of lockstep", BOOLEANS),
        "duration": ("30.0", "Longest simulated time [s]", None),
        "after_contact": ("0.5", "Simulated time after the first contact [s]", None),
        "timeout": ("60.0", "Give up when the controller is not active after this time [s]", None),
        "rviz": ("false", "Also start RViz and a robot_state_publisher", BOOLEANS),
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
    scenario, realtime = load_scenario(value["scenario"]), value["realtime"] == "true"
    run = Run(scenario, value["impact_limits"], folder=Path(), realtime=realtime)
    settings = suite_parameters(run)
    at_once = value["approach_on_activation"] == "true"
    settings["impact_qp"]["ros__parameters"]["approach_on_activation"] = at_once
    # Arguments would go to each of the three nodes; only a file can say which one is addressed.
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", delete=False) as file:
        yaml.safe_dump({f"/**/{node}": own for node, own in settings.items()}, file)
    remove = actions.OpaqueFunction(function=lambda _: Path(file.name).unlink(missing_ok=True))
    simulated = [part for name in SIMULATED for part in ("-p", f"{name}:={value[name]}")]
    return [
        actions.SetEnvironmentVariable(RANGE, value["discovery_range"]),
        actions.RegisterEventHandler(OnShutdown(on_shutdown=[remove])),
        _node("impact_sim", ros_arguments=simulated),
        _node("suite", ros_arguments=["--params-file", file.name]),
        _node(
            "bring_up", arguments=["impact_qp", "--timeout", value["timeout"]], on_exit=_brought_up
        ),
        actions.IncludeLaunchDescription(
            PathJoinSubstitution([FindPackageShare("impact_control"), "launch", "rviz.launch.py"]),
            launch_arguments={"robot": scenario.robot, "use_sim_time": "true"}.items(),
            condition=IfCondition(LaunchConfiguration("rviz")),
        ),
    ]


def _node(executable, **options):
    own = {"on_exit": actions.Shutdown(reason=f"{executable} ended")} | options
    space = LaunchConfiguration("namespace")
    return Node(
        package="impact_control", executable=executable, namespace=space, output="screen", **own
    )


def _brought_up(event, context):
    """End everything when the controller was not activated."""
    return actions.Shutdown(reason="not activated") if event.returncode else None
