# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The parameters of the detectors of arms with plates, from the task that the arms carry out."""

from __future__ import annotations

from typing import Any

from impact_detector.detectors.detector_kind import DETECTORS
from impact_detector.signals.sample import TORQUE_ERROR
from impact_robots.task.box_task import BoxTask

TORQUE_THRESHOLD = 1.8  # of torque errors of joints 5 and 6, unless the task sets others [N.m]


def box_parameters(task: BoxTask, arm: int, *, lockstep: bool = True) -> dict[str, Any]:
    """Return the parameters of the detector's node of one arm that differ from their defaults.

    The published detector, of torque errors, runs alongside.

    Args:
        task: whose arms hit.
        arm: its number.
        lockstep: it waits for the other nodes (simulation).

    Raises:
        DetectorError: there is no detector of the task's name.
    """
    placed = task.cell.robots[arm]
    normal = [float(component) for component in placed.in_base(-task.direction(arm))]
    return {
        "robot": placed.robot,
        "detectors": list(dict.fromkeys((task.detector, TORQUE_ERROR))),
        DETECTORS.named(TORQUE_ERROR).parameter: torque_threshold(task),
        DETECTORS.named(task.detector).parameter: task.detection_threshold,
        "contact_normal": normal,
        "wrench_normal": normal,
        "lockstep": lockstep,
    }


def torque_threshold(task: BoxTask) -> float:
    """Return the threshold of the detector of torque errors [N.m]."""
    return task.detection_threshold if task.detector == TORQUE_ERROR else TORQUE_THRESHOLD
