# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One or two simulated arms push or grab a box by reference spreading, once, in lockstep.

When it is over it says so, and stays until Ctrl-C, or ends with ``shutdown_when_over:=true``.

Example:
    ros2 launch impact_control cell.launch.py scenario:=rs_grab_catfood_late seed:=3
"""

import json

from launch.substitutions import LaunchConfiguration

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
from impact_detector.box_parameters import box_parameters
from impact_qp.spreading import Variant
from impact_robots.task.find import find_box_task


def generate_launch_description():
    arguments = {
        "scenario": ("rs_grab_catfood_case1", "Named scenario with a box, or its YAML"),
        "variant": ("rs", "How references change", [each.value for each in Variant]),
        "seed": ("0", "Seed of the sensor noise and of where the box stands"),
        "noise": ("true", "Sensor noise as on a real Panda", BOOLEANS),
    }
    return description(arguments | TIMEOUT | OVER | COMMON, _actions)


def _actions(context):
    name, simulated = context.launch_configurations["scenario"], ("scenario", "seed", "noise", ENDS)
    task = find_box_task(name)
    told = ["-p", f"task:={name}", *given(context.launch_configurations, ("variant",))]
    told += ["-p", "lockstep:=true"]
    return [
        limited_discovery(),
        node(PACKAGE, "impact_cell", ros_arguments=given(context.launch_configurations, simulated)),
        *(_detector(task, arm) for arm in range(len(task.bases))),
        node(PACKAGE, "impact_spreading", ros_arguments=told),
        activated(context, "impact_spreading"),
    ]


def _detector(task, arm):
    """Return the detector of an arm; two arms' are in the namespaces of the arms."""
    values = box_parameters(task, arm)
    told = [part for name in values for part in ("-p", f"{name}:={json.dumps(values[name])}")]
    name, space = task.arm_names[arm], LaunchConfiguration("namespace")
    within = {"namespace": [space, "/", name]} if name else {}
    return node(PACKAGE, "impact_detector", ros_arguments=told, **within)
