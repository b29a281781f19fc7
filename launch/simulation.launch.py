# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A simulated arm approaches a surface and hits it, once; or waits for goals.

It ends ``after_contact`` after the first contact, or after ``duration``, and reports this; then it
runs until Ctrl-C, or shuts down with ``shutdown_when_over:=true``.

Goals in lockstep: with ``approach_on_activation:=false`` the arm holds until goals arrive, and
simulated time advances as fast as the machine allows, also while it holds. So ``duration``,
``after_contact`` and a goal's ``timeout`` are in simulated time: make them large, or use
``realtime:=true``.

Examples:
    ros2 launch impact_control simulation.launch.py impact_limits:=existential rviz:=true
    ros2 launch impact_control simulation.launch.py shutdown_when_over:=true
    ros2 launch impact_control simulation.launch.py approach_on_activation:=false
        duration:=36000.0 after_contact:=36000.0
    ros2 launch impact_control simulation.launch.py approach_on_activation:=false
        realtime:=true duration:=3600.0 after_contact:=3600.0
"""

import tempfile
from pathlib import Path

import yaml

from impact_bags.reading.run_record import Run
from impact_bringup.experiments.experiment import suite_parameters
from impact_bringup.launch_parts import (
    BOOLEANS,
    ENDS,
    OVER,
    PACKAGE,
    SUITE,
    TIMEOUT,
    activated,
    description,
    given,
    limited_discovery,
    node,
    removed_at_the_end,
    rviz,
)
from impact_qp.limits.impact_limits.registry import AUTO, SELECTABLE
from impact_sim.scenarios import load_scenario, scenario_names

SIMULATED = ("scenario", "seed", "noise", "realtime", "duration", "after_contact", ENDS)


def generate_launch_description():
    arguments = {
        "scenario": ("qp_panda_demo", "What is hit, and how", [*scenario_names()]),
        "impact_limits": (AUTO, "Which impulses must respect the limits", [*SELECTABLE]),
        "approach_on_activation": ("true", "Hit at once; false: wait for goals", BOOLEANS),
        "seed": ("0", "Seed of the sensor noise"),
        "noise": ("true", "Sensor noise as on a real Panda", BOOLEANS),
        "realtime": ("false", "Wall clock instead of lockstep", BOOLEANS),
        "duration": ("30.0", "Longest simulated time [s]"),
        "after_contact": ("0.5", "Simulated time after the first contact [s]"),
    }
    return description(arguments | TIMEOUT | OVER | SUITE, _actions)


def _actions(context):
    value = context.launch_configurations
    scenario, realtime = load_scenario(value["scenario"]), value["realtime"] == "true"
    run = Run(scenario, value["impact_limits"], folder=Path(), realtime=realtime)
    settings = suite_parameters(run)
    at_once = value["approach_on_activation"] == "true"
    settings["impact_qp"]["ros__parameters"]["approach_on_activation"] = at_once
    # Arguments would go to each of the three nodes; only a file can say which one is addressed.
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", delete=False) as file:
        yaml.safe_dump({f"/**/{name}": own for name, own in settings.items()}, file)
    return [
        limited_discovery(),
        removed_at_the_end(Path(file.name)),
        node(PACKAGE, "impact_sim", ros_arguments=given(context.launch_configurations, SIMULATED)),
        node(PACKAGE, "suite", ros_arguments=["--params-file", file.name]),
        activated(context, "impact_qp"),
        rviz(robot=scenario.robot, use_sim_time="true"),
    ]
