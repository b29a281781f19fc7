# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Bounded effects of an impulse on the arm: rows that are linear in the impulse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from impact_predictor.inertia.impulse_maps import (
    joint_torque_map,
    joint_velocity_map,
    minimum_norm_joint_velocity_map,
)
from impact_predictor.inertia.inverse_inertia import crb
from impact_predictor.inertia.jacobian import contact_jacobian
from impact_qp.exceptions import ControlError
from impact_qp.limits.impact_limits.contact import Contact
from impact_robots.robot import Robot
from impact_robots.state.state import PointState

MOMENTUM, MINIMUM_NORM = "momentum", "minimum_norm"
VELOCITY_MAPS = (MOMENTUM, MINIMUM_NORM)


@dataclass(frozen=True)
class PostImpactBound:
    """A bound on a linear functional of the joint velocities after the impact: D dq+ <= d."""

    names: tuple[str, ...]  # of its k rows
    rows: Callable[[PointState], tuple[np.ndarray, np.ndarray]]  # state to D (k, n) and d (k,)


def velocity_jump(
    robot: Robot, contact: Contact, point: PointState, velocity_map: str = MOMENTUM
) -> np.ndarray:
    r"""Return the map from impulse, contact axes, to the jump of joint velocity, (n, 3).

    ``momentum``: :math:`(M + B_\theta)^{-1} J_v^T`. ``minimum_norm``: :math:`J_v^+ W` with W of
    the composite body, Wang 2023 (29), as published; it misses the momentum balance by a
    quarter.

    Raises:
        ControlError: no such map.
        SingularJacobianError: ``minimum_norm`` where the Jacobian has lost rank.
    """
    J = contact_jacobian(point, contact.rotation)
    if velocity_map == MOMENTUM:
        return joint_velocity_map(J, point.M, robot.apparent_motor_inertia)
    if velocity_map == MINIMUM_NORM:
        return minimum_norm_joint_velocity_map(J, crb(point, contact.rotation))
    choices = ", ".join(VELOCITY_MAPS)
    raise ControlError(f"velocity map: expected one of {choices}, got {velocity_map!r}")


def impact_rows(
    robot: Robot,
    contact: Contact,
    point: PointState,
    velocity_map: str = MOMENTUM,
    bounds: Sequence[PostImpactBound] = (),
) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Return the bounded effects of an impulse.

    Returns:
        rows of shape (4 n + k, 3) that map an impulse on the robot, contact axes [N.s], to
        impulsive joint torques [N.m], jumps of joint velocity [rad/s], both signs, and the k
        functionals of ``bounds``; their upper limits, shape (4 n + k,); their names.
    """
    torque = joint_torque_map(
        contact_jacobian(point, contact.rotation), contact.peak_factor, contact.impact_duration
    )
    after, highest, names = post_impact_rows(robot, contact, point, velocity_map, bounds)
    impulsive = robot.limits.impulsive_torque
    return (
        np.vstack([torque, -torque, after]),
        np.concatenate([impulsive, impulsive, highest]),
        row_names(robot)[: 2 * robot.dof] + names,
    )


def post_impact_rows(
    robot: Robot,
    contact: Contact,
    point: PointState,
    velocity_map: str = MOMENTUM,
    bounds: Sequence[PostImpactBound] = (),
) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Return those of :func:`impact_rows` that hold after the impact: all but the torques.

    Returns:
        rows of shape (2 n + k, 3), their upper limits, shape (2 n + k,), their names.
    """
    limits, jump = robot.limits, velocity_jump(robot, contact, point, velocity_map)
    rows, names = [jump, -jump], row_names(robot)[2 * robot.dof :]
    highest = [limits.velocity - point.dq, limits.velocity + point.dq]
    for each in bounds:
        D, d = each.rows(point)
        rows.append(D @ jump)
        highest.append(d - D @ point.dq)
        names += each.names
    return np.concatenate(rows), np.concatenate(highest), names


def row_names(robot: Robot) -> tuple[str, ...]:
    """Return the names of the 4 n rows on torques and velocities."""
    return _row_names(robot.joint_names)


@lru_cache(maxsize=64)
def _row_names(joints: tuple[str, ...]) -> tuple[str, ...]:
    kinds = ("impulsive torque", "impulsive torque", "velocity after", "velocity after")
    return tuple(f"{joint} {kind}" for kind in kinds for joint in joints)
