# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A simulated humanoid grabs boxes, once, in lockstep.

Reports its end, then runs until Ctrl-C, or shuts down with ``shutdown_when_over:=true``.

Example:
    ros2 launch impact_control grab.launch.py impact_limits:=existential seed:=3
"""

from impact_bringup.launch_parts import (
    BOOLEANS,
    COMMON,
    ENDS,
    OVER,
    PACKAGE,
    TIMEOUT,
    activated,
    description,
    given,
    limited_discovery,
    node,
)
from impact_qp.body.parameters import OWN_LIMITS
from impact_robots.task.palm_task import LIMITS_OF_GRABS


def generate_launch_description():
    arguments = {
        "scenario": ("qp_hrp4_grab", "Named scenario of a humanoid's grab, or its YAML"),
        "task": (
            "",
            "Controllers' task, by name or YAML; empty: the scenario's",
        ),
        "impact_limits": (
            OWN_LIMITS,
            "Which impulses must be safe",
            [OWN_LIMITS, *LIMITS_OF_GRABS],
        ),
        "seed": ("0", "Seed of the sensor noise and of the places of the boxes"),
        "noise": ("true", "Sensor noise, as assumed", BOOLEANS),
    }
    return description(arguments | TIMEOUT | OVER | COMMON, _actions)


def _actions(context):
    value, simulated = context.launch_configurations, ("scenario", "seed", "noise", ENDS)
    value["task"] = value["task"] or value["scenario"]
    settings = [*given(value, ("task", "impact_limits")), "-p", "lockstep:=true"]
    return [
        limited_discovery(),
        node(
            PACKAGE,
            "impact_humanoid_sim",
            ros_arguments=given(value, simulated),
        ),
        node(PACKAGE, "impact_humanoid", ros_arguments=settings),
        activated(context, "impact_humanoid"),
    ]
