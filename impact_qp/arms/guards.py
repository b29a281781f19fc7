# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Guards of the arms of a task with a box: its impact limits, and how far a box yields."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import lru_cache

import numpy as np

from impact_qp.arms.object_hits import box_hit
from impact_qp.exceptions import ControlError
from impact_qp.object_speed import ObjectBound, object_speeds
from impact_qp.object_speed.load_use import SETTLED
from impact_qp.spreading import SpreadGuard
from impact_robots.task.box_task import UNAWARE, BoxTask

GIVE = 0.03  # largest displacement of a box that two arms hold [m]
APART = 0.02  # distance of a plate from the middle of the box, if the box is missing [m]


def spread_guards(task: BoxTask) -> tuple[SpreadGuard, ...]:
    """Return the guard of each arm.

    Arms that grab stop if the box is gone, and before they meet each other. Impact limits bound the
    speed of each arm, and forces wait until all arms are in contact.

    Raises:
        ControlError: no speed is safe by the task's impact limits.
        PredictionError: the robot's YAML lacks values that ``joint_load`` requires.
    """
    arms = range(len(task.bases))
    ways = [task.direction(arm) for arm in arms]
    guards = [_usual(task, arm) for arm in arms]
    if task.impact_limits == UNAWARE:
        return tuple(guards)
    known = BoxTask(**{each.name: getattr(task, each.name) for each in fields(BoxTask)})
    bound = _safe(known)
    if not bound.scale > 0.0:
        raise ControlError(f"{task.name}: no speed is safe: {bound.limit}")
    speeds = [float(v @ into) for v, into in zip(task.velocities, ways, strict=True)]
    return tuple(
        replace(guard, speed=bound.scale * speed, settle=SETTLED)
        for guard, speed in zip(guards, speeds, strict=True)
    )


@lru_cache(maxsize=16)
def _safe(task: BoxTask) -> ObjectBound:
    """Return the bound of a task's impact limits: seconds, for the delays of two arms."""
    hit, pulse = box_hit(task), (task.peak_factor, task.impact_duration)
    return object_speeds(hit, task.impact_limits, task.joint_ranges, pulse=pulse).safe


def _usual(task: BoxTask, arm: int) -> SpreadGuard:
    """Return the guard of an arm without impact limits."""
    into = task.direction(arm)
    if task.kind == "push":
        return SpreadGuard(into)
    half = float(np.abs(task.face(arm)) @ np.array(task.box_size)) / 2.0
    return SpreadGuard(into, give=GIVE, travel=max(half - APART, half / 2.0))
