# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Checks a plan against the speed cap of the contact point and the limits of the joints."""

from __future__ import annotations

import numpy as np

from impact_qp.exceptions import ControlError
from impact_qp.references import Quintics
from impact_qp.references.joint_path import fastest_joints
from impact_qp.spreading.modes import Variant
from impact_qp.spreading.plan import SpreadPlan
from impact_robots.robot import Robot

_STEP = 2e-3  # between evaluated times of a reference [s]


def check_speeds(name: str, robot: Robot, plan: SpreadPlan, q: np.ndarray) -> None:
    """Refuse a plan whose references are too fast.

    Args:
        name: of the task.
        robot: the arm.
        plan: of the arm.
        q: its start, shape (n,) [rad].

    Raises:
        ControlError: the contact point or a joint would be too fast; gives the speed.
    """
    spread, timing, cap = plan.reference, plan.timing, plan.guard.cap
    last = timing.nominal + timing.window
    ways = [(spread.ante, spread.ante.start, last), (spread.post, last - 2 * timing.window, None)]
    if plan.variant is Variant.CONTINUOUS and plan.smooth is not None:
        ways = [(plan.smooth, plan.smooth.start, None)]
    speed = max(_fastest(*way) for way in ways)
    if speed > cap:
        raise ControlError(f"{name}: expected at most speed_cap {cap:g} m/s, planned {speed:.3f}")
    joints = fastest_joints(robot, spread.ante, spread.rotation, q, timing.nominal)
    fraction = joints / robot.limits.velocity
    if fraction[worst := int(np.argmax(fraction))] > 1.0:
        raise ControlError(
            f"{name}: {robot.joint_names[worst]}: expected at most"
            f" {robot.limits.velocity[worst]:g} rad/s, planned {joints[worst]:.3g}"
        )


def _fastest(reference: Quintics, start: float, end: float | None) -> float:
    """Return the highest speed of the contact point from a time to another one [m/s]."""
    times = np.arange(start, reference.end if end is None else end, _STEP)
    return max(
        (float(np.linalg.norm(reference(float(t)).velocity[:3])) for t in times), default=0.0
    )
