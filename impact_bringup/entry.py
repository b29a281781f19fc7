# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Entry points of the nodes' console scripts: signals first, then imports, then the security check.

Imports take seconds on a slow machine; Ctrl-C during an import causes a traceback, in some compiled
modules an ImportError. No node runs at that time, so the process ends with one line.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

_OF_ROS = (  # packages that are part of ROS 2, or are built with it
    *("rclpy", "rcl_interfaces", "lifecycle_msgs", "rosgraph_msgs", "builtin_interfaces"),
    *("sensor_msgs", "geometry_msgs", "std_msgs", "std_srvs", "nav_msgs", "visualization_msgs"),
    *("diagnostic_msgs", "action_msgs", "unique_identifier_msgs", "trajectory_msgs"),
    *("rosidl_runtime_py", "rosidl_parser", "impact_msgs", "tf2_msgs", "control_msgs"),
)


def _entry(module: str) -> Callable[[], int]:
    """Return the main function of a console script, which imports a module and calls its ``main``.

    Args:
        module: Full name of the module.
    """

    def main() -> int:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _leave)
        try:
            run = import_module(module).main
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in _OF_ROS:
                raise
            print(f"{_script()}: needs ROS 2, of which {error.name} is missing", file=sys.stderr)
            return 2
        security = import_module("impact_ros.node.security")
        try:
            security.require_security(os.environ)
        except security.SecurityError as error:
            print(f"{_script()}: {error}", file=sys.stderr)
            return 2
        return int(run())

    return main


def _leave(number: int, _frame: Any) -> None:
    """End the process at once, with the message of the nodes."""
    os.write(2, f"{_script()}: stopped ({signal.Signals(number).name})\n".encode())
    os._exit(0)


def _script() -> str:
    return sys.argv[0].rsplit("/", 1)[-1]


bring_up = _entry("impact_bringup.bring_up")
franka = _entry("impact_drivers.franka.node")
impact_cell = _entry("impact_sim.cell.node")
impact_detector = _entry("impact_detector.node")
impact_governor = _entry("impact_qp.governor.node")
impact_humanoid = _entry("impact_qp.body.node")
impact_humanoid_sim = _entry("impact_sim.humanoid.node")
impact_learner = _entry("impact_qp.learning.node")
impact_predictor = _entry("impact_predictor.node")
impact_qp = _entry("impact_qp.node")
impact_sim = _entry("impact_sim.node")
impact_spreading = _entry("impact_qp.arms.node")
suite = _entry("impact_bringup.suite")
