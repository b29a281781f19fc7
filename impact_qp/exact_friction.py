# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Friction that is announced as one exact number, and what that makes faster.

More friction is not always worse: tangential impulses can relieve a joint that the normal impulse
loads. A limit that knows the coefficient exactly counts on that relief.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from impact_qp.control.plan import Plan
from impact_qp.planning import safe_speed
from impact_robots.robot import Robot

_FASTER = 1.001  # ratio of two bounds from which one of them is the faster


def exact_friction_warning(plan: Plan, robot: Robot, q: np.ndarray | None = None) -> str:
    """Return a line if the exact friction allows more speed than the range from 0 to it, else "".

    Args:
        plan: with the announced contact.
        robot: the arm.
        q: joint positions to look at, shape (n,) [rad]; none: the robot's stance.

    Raises:
        ImpactError: the limits of the plan are not known of this robot.
    """
    low, high = plan.contact.friction
    q = robot.stance if q is None else q
    if low < high or high == 0.0 or not np.isfinite(q).all():
        return ""
    exact, ranged = _speed(plan, robot, q), _speed(_from_zero(plan), robot, q)
    if not exact > _FASTER * ranged:
        return ""
    where = ", ".join(f"{value:.4g}" for value in q)
    return (
        f"friction: {high:g} is taken as exact and allows {exact:.3f} m/s at q = [{where}], where"
        f" 0 to {high:g} allow {ranged:.3f} m/s; give [0.0, {high:g}] unless it is known so well"
    )


def _from_zero(plan: Plan) -> Plan:
    contact = plan.contact
    return replace(plan, contact=replace(contact, friction=(0.0, contact.friction[1])))


def _speed(plan: Plan, robot: Robot, q: np.ndarray) -> float:
    """Return the highest admissible speed [m/s], 0 without an impact limit."""
    limit = plan.impact_limit(robot, period=0.0)
    return 0.0 if limit is None else safe_speed(robot, limit, q).bound.speed
