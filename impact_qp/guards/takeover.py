# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Checks whether a moving arm may begin an approach."""

from __future__ import annotations

from math import sqrt

import numpy as np

from impact_qp.limits import ImpactLimit
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot
from impact_robots.state.state import PointState

REACTION = 0.02  # until the arm decelerates [s]
TOLERATED = 0.005  # speed over the bound that needs no braking [m/s]


def cannot_be_made_safe(
    robot: Robot, limit: ImpactLimit | None, point: PointState, gap: float, reaction: float
) -> str:
    """Return why an arm cannot be slowed down to its bound before the surface, "" if it can.

    Args:
        robot: the arm.
        limit: of the impact; None: any speed is accepted.
        point: of the arm that hits.
        gap: distance to the surface [m].
        reaction: of :class:`.CommandInterface` [s].
    """
    if limit is None:
        return ""
    normal = limit.contact.normal
    speed = -float(normal.dot(point.velocity))
    if speed <= TOLERATED:
        return ""
    slowing = deceleration(robot, point, normal)
    before, stop = speed * reaction, speed**2 / (2.0 * slowing)
    if before + stop <= gap:
        return ""  # for any bound, which may take milliseconds to find
    # The velocity is about to change.
    still = ArmDynamics(robot).state(point.q, np.zeros(robot.dof)).at(limit.frame)
    bound = max(0.0, limit.speed_bound(still).speed)
    way = before + stop - bound**2 / (2.0 * slowing)
    if speed <= bound + TOLERATED or way <= gap:
        return ""
    return (
        f"the arm moves at {speed:.3f} m/s towards the surface {gap:.3f} m away;"
        f" slowing down to {bound:.3f} m/s takes {way:.3f} m"
    )


def can_stop_before(
    robot: Robot, point: PointState, normal: np.ndarray, gap: float, reaction: float = REACTION
) -> bool:
    """Tell whether an arm can be stopped before a surface, whatever its bound.

    Args:
        robot: the arm.
        point: of the arm that hits.
        normal: of the surface, towards the robot, shape (3,).
        gap: distance to it [m].
        reaction: until it decelerates [s].
    """
    speed = -float(normal.dot(point.velocity))
    if speed <= TOLERATED:
        return gap > 0.0
    return speed * reaction + speed**2 / (2.0 * deceleration(robot, point, normal)) <= gap


def deceleration(robot: Robot, point: PointState, normal: np.ndarray) -> float:
    """Return the possible deceleration of an arm along a normal, shape (3,) [m/s^2]."""
    row = normal.dot(point.J[:3])
    per_unit = np.abs(row) / row.dot(row)  # joint accelerations for 1 m/s^2 along the normal
    return float((robot.limits.acceleration / np.maximum(per_unit, 1e-12)).min())


def commanded_speed(bound: float, gap: float, slowing: float, delay: float) -> float:
    """Return the highest speed that may be commanded while commands reach the arm late [m/s].

    As :func:`allowed_speed` of a gap that is smaller by ``slowing delay^2/2``: the commands under
    way were faster, by ``slowing`` in each second.

    Args:
        bound: speed at which the surface may be hit [m/s].
        gap: distance to it, negative behind it [m].
        slowing: deceleration of the commands [m/s^2].
        delay: until the arm moves as commanded [s].
    """
    return allowed_speed(bound, gap - 0.5 * slowing * delay**2, slowing, delay)


def allowed_speed(bound: float, gap: float, slowing: float, delay: float = REACTION) -> float:
    """Return the highest speed from which an arm slows down to a bound before a surface [m/s].

    The v of ``v delay + (v^2 - bound^2)/(2 slowing) = gap``, and never less than the bound.

    Args:
        bound: speed at which the surface may be hit [m/s].
        gap: distance to it, negative behind it [m].
        slowing: deceleration [m/s^2].
        delay: until the arm decelerates [s].
    """
    lost = slowing * delay
    stops = sqrt(lost**2 + 2.0 * slowing * max(gap, 0.0) + max(bound, 0.0) ** 2) - lost
    return max(bound, stops, 0.0)
