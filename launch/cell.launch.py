# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One or two simulated arms push or grab a box by reference spreading, once, in lockstep.

Example:
    ros2 launch impact_control cell.launch.py scenario:=rs_grab_catfood_late seed:=3
"""

import json

from launch import LaunchDescription, actions
from launch.substitutions import EnvironmentVariable, LaunchConfiguration
from launch_ros.actions import Node

from impact_qp.spreading import Variant
from impact_sim.scenario_choice import find_cell_scenario
from impact_trials.spreading_trial import detector_values

SIMULATED = ("scenario", "seed", "noise")
RANGE = "ROS_AUTOMATIC_DISCOVERY_RANGE"


def generate_launch_description():
    local = EnvironmentVariable(RANGE, default_value="LOCALHOST")
    arguments = {
        "scenario": ("rs_grab_catfood_case1", "Named scenario with a box, or its YAML", None),
        "variant": ("rs", "How references change", [each.value for each in Variant]),
        "seed": ("0", "Seed of the sensor noise and of where the box stands", None),
        "noise": ("true", "Sensor noise as on a real Panda", ["true", "false"]),
        "timeout": ("60.0", "Give up when the controller is not active after this time [s]", None),
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
    scenario = find_cell_scenario(value["scenario"])
    controlled = {name: value[name] for name in ("scenario", "variant")} | {"lockstep": "true"}
    detectors = [
        _node("impact_detector", _told(detector_values(scenario, arm)), space=name)
        for arm, name in enumerate(scenario.arm_names)
    ]
    return [
        actions.SetEnvironmentVariable(RANGE, value["discovery_range"]),
        _node("impact_cell", [f"{name}:={value[name]}" for name in SIMULATED]),
        *detectors,
        _node("impact_spreading", [f"{name}:={each}" for name, each in controlled.items()]),
        _node(
            "bring_up",
            arguments=["impact_spreading", "--timeout", value["timeout"]],
            on_exit=_brought_up,
        ),
    ]


def _told(values):
    """Return parameters as ROS arguments have them, in YAML."""
    return [f"{name}:={json.dumps(each)}" for name, each in values.items()]


def _node(executable, parameters=(), space="", **options):
    own = {"on_exit": actions.Shutdown(reason=f"{executable} ended")} | options
    if parameters:
        own["ros_arguments"] = [part for each in parameters for part in ("-p", each)]
    namespace = LaunchConfiguration("namespace")
    if space:
        namespace = [namespace, "/", space]
    return Node(
        package="impact_control",
        executable=executable,
        namespace=namespace,
        output="screen",
        **own,
    )


def _brought_up(event, context):
    """End everything when the controller was not activated."""
    return actions.Shutdown(reason="not activated") if event.returncode else None
