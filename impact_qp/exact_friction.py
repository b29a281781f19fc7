# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Friction that is announced as one exact number, and what that makes faster.

More friction is not always worse: tangential impulses can relieve a joint that the normal impulse
loads. A limit that knows the coefficient exactly counts on that relief.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from impact_qp.control.plan import Plan
from impact_qp.planning import safe_speed
from impact_robots.robot import Robot

_FASTER = 1.001  # ratio of two bounds from which one of them is the faster
_DRAWN, _MIDDLE = 12, 0.8  # poses that are looked at, and in which fraction of the joints' ranges


def exact_friction_warning(plan: Plan, robot: Robot, q: np.ndarray | None = None) -> str:
    """Return a line if the exact friction allows more speed than the range from 0 to it, else "".

    Args:
        plan: with the announced contact.
        robot: the arm.
        q: joint positions to look at, shape (n,) [rad]; none: the robot's stance, and then drawn
            ones until it is faster in one of them.

    Raises:
        ImpactError: the limits of the plan are not known of this robot.
    """
    low, high = plan.contact.friction
    if low < high or high == 0.0:
        return ""
    for place in _places(robot) if q is None else (q,):
        exact, ranged = _speed(plan, robot, place), _speed(_from_zero(plan), robot, place)
        if exact > _FASTER * ranged:
            where = ", ".join(f"{value:.4g}" for value in place)
            return (
                f"friction: {high:g} is taken as exact and allows {exact:.3f} m/s at q = [{where}],"
                f" where 0 to {high:g} allow {ranged:.3f} m/s; give [0.0, {high:g}] unless it is"
                " known so well"
            )
    return ""


def _places(robot: Robot) -> Iterator[np.ndarray]:
    """Yield the stance, if it is known, and drawn joint positions, shape (n,) each [rad]."""
    if np.isfinite(robot.stance).all():
        yield robot.stance
    turn = 2.0 * np.pi
    low = np.maximum(robot.limits.position_lower, -turn)
    high = np.minimum(robot.limits.position_upper, turn)
    random = np.random.default_rng(0)
    for _ in range(_DRAWN):
        fraction = 0.5 + _MIDDLE * (random.random(robot.dof) - 0.5)
        yield low + fraction * (high - low)


def _from_zero(plan: Plan) -> Plan:
    contact = plan.contact
    return replace(plan, contact=replace(contact, friction=(0.0, contact.friction[1])))


def _speed(plan: Plan, robot: Robot, q: np.ndarray) -> float:
    """Return the highest admissible speed [m/s], 0 without an impact limit."""
    limit = plan.impact_limit(robot, period=0.0)
    return 0.0 if limit is None else safe_speed(robot, limit, q).bound.speed
