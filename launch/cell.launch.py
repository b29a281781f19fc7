# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One or two simulated arms push or grab a box by reference spreading, once, in lockstep.

Reports its end, then runs until Ctrl-C, or shuts down with ``shutdown_when_over:=true``.

Example:
    ros2 launch impact_control cell.launch.py scenario:=rs_grab_catfood_late seed:=3
"""

from impact_bringup.launch_parts import (
    BOOLEANS,
    COMMON,
    ENDS,
    OVER,
    PACKAGE,
    TIMEOUT,
    activated,
    box_detectors,
    description,
    given,
    limited_discovery,
    node,
)
from impact_qp.arms.plans import OBJECT_MAP_CHOICES, USUAL_MAP
from impact_qp.spreading import Variant
from impact_robots.task.find import find_box_task


def generate_launch_description():
    arguments = {
        "scenario": ("rs_grab_catfood_case1", "Named scenario with a box, or its YAML"),
        "task": (
            "",
            "Controllers' task, by name or YAML; empty: the scenario's",
        ),
        "cell": ("", "YAML of the arms and their base poses; empty: the task's"),
        "variant": ("rs", "How references change", [each.value for each in Variant]),
        "object_map": (USUAL_MAP, "Impact map of the references", OBJECT_MAP_CHOICES),
        "seed": ("0", "Seed of the sensor noise and of the place of the box"),
        "noise": ("true", "Sensor noise as on a real Panda", BOOLEANS),
    }
    return description(arguments | TIMEOUT | OVER | COMMON, _actions)


def _actions(context):
    value, simulated = context.launch_configurations, ("scenario", "seed", "noise", ENDS)
    value["task"] = value["task"] or value["scenario"]
    settings = [*given(value, ("task", "cell", "variant", "object_map")), "-p", "lockstep:=true"]
    return [
        limited_discovery(),
        node(PACKAGE, "impact_cell", ros_arguments=given(value, simulated)),
        *box_detectors(find_box_task(value["task"], value["cell"])),
        node(PACKAGE, "impact_spreading", ros_arguments=settings),
        activated(context, "impact_spreading"),
    ]
