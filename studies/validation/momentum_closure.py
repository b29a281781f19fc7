# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which motor inertia explains an arm's change of velocity by commanded and measured torques."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from impact_robots import ArmDynamics, PointState, Robot
from impact_robots.exceptions import OutOfRangeError
from impact_sim.plant.torque_loop import FILTER_HZ, PERIOD

_SHARE = 1.0 - np.exp(-2.0 * np.pi * FILTER_HZ * PERIOD)
LAG = float(PERIOD * ((1.0 - _SHARE) / _SHARE + 0.5))  # of torque loops, filter and hold [s]


def closure_miss(
    robot: Robot,
    motor_inertia: np.ndarray,
    links: Sequence[np.ndarray],
    torques: Sequence[np.ndarray],
    joint_impulses: Sequence[np.ndarray],
    sensed: Sequence[np.ndarray],
    period: float = 1e-3,
    lag: float = LAG,
) -> np.ndarray:
    r"""Return by how much the contact point's change of velocity exceeds its explanation.

    .. math:: \Delta\dot p - \int \dot J\dot q
        + J (M + B)^{-1}(\tau_d - h + J^T f + (1 - B B_\rho^{-1}) T \dot\tau)\,dt

    vanishes for the inertia B that the motors show (van Steen et al. 2025, section II), whatever
    law the contact follows. The last term is the torque loop's, which makes B of the motors' true
    inertia :math:`B_\rho` by the sensed torques, and hears them T late: of a torque that stays, as
    a clamp force's, an impulse is left. A cycle's inertia is the mean of those at its two ends.

    Args:
        robot: the arm.
        motor_inertia: diagonal of B, shape (n,) [kg.m^2].
        links: true q and dq at the beginning of each cycle and at the end of the last, (2, n) each
            [rad], [rad/s].
        torques: tau_d of each cycle, gravity included, shape (n,) each [N.m].
        joint_impulses: of J^T f in each cycle, shape (n,) each [N.m.s].
        sensed: joint torques tau, at the same instants as ``links``, shape (n,) each [N.m].
        period: of a cycle [s].
        lag: T [s].

    Returns:
        The miss, base axes, shape (3,) [m/s].

    Raises:
        OutOfRangeError: not one state, and one sensed torque, more than cycles.
    """
    if not len(links) == len(sensed) == len(torques) + 1 == len(joint_impulses) + 1:
        raise OutOfRangeError("links", f"{len(torques) + 1} states", len(links))
    dynamics = ArmDynamics(robot)
    points = [dynamics(q, dq) for q, dq in links]
    miss = points[-1].velocity - points[0].velocity
    late = (1.0 - motor_inertia / robot.reflected_motor_inertia) * lag * np.diff(sensed, axis=0)
    for start, end, torque, impulse in zip(
        points, points[1:], torques, np.array(joint_impulses) + late, strict=False
    ):
        for point in (start, end):
            miss = miss - _gain(point, motor_inertia, torque, impulse, period) / 2.0
    return miss


def _gain(
    point: PointState, motor_inertia: np.ndarray, torque: np.ndarray, impulse: np.ndarray, dt: float
) -> np.ndarray:
    """Return the velocity that a cycle gives the contact point, shape (3,) [m/s]."""
    inertia = point.robot_state.inertia(motor_inertia)
    joints = np.linalg.solve(inertia, (torque - point.h) * dt + impulse)
    return point.J[:3] @ joints + point.drift[:3] * dt
