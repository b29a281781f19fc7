# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Loads that the model does not explain, and the commanded motion one preview ahead."""

from __future__ import annotations

from math import sqrt

import numpy as np

from impact_robots.compiling.array_kinds import Matrix, NewVector, ToMatrix, Vector
from impact_robots.compiling.compiled import compiled
from impact_robots.compiling.small_algebra import solved

AHEAD = 0.02  # T_p of the envelope [s]


@compiled
def borne_load(
    M: Matrix,
    motor_inertia: Vector,
    lift: Vector,
    unexplained: Vector,
    weight: float,
    other: float,
    named: Vector,
    load: ToMatrix,
) -> int:
    """Compute the part of the unexplained torques that an arm compensates.

    Args:
        M: mass matrix, shape (n, n) [kg.m^2].
        motor_inertia: diagonal of B_theta, shape (n,) [kg.m^2].
        lift: vertical row of the contact point's Jacobian, shape (n,) [m].
        unexplained: accelerations that no command explains, shape (n,) [rad/s^2].
        weight: compensated at the contact point [N].
        other: additional torque that each joint compensates [N.m].
        named: torques above which a joint is reported, shape (n,) [N.m].
        load: written, compensated torques [N.m], accelerations of the compensated load [rad/s^2]
            and unexplained torques [N.m], shape (3, n).

    Returns:
        The joint to be reported, -1 if there is none.
    """
    n = len(lift)
    borne, opposed, torque = load[0], load[1], load[2]
    joint, worst, whole = -1, 1.0, True
    for i in range(n):
        torque[i] = motor_inertia[i] * unexplained[i]
        for j in range(n):
            torque[i] += M[i, j] * unexplained[j]
        limit = other + weight * abs(lift[i])
        borne[i], opposed[i] = min(max(torque[i], -limit), limit), unexplained[i]
        whole = whole and borne[i] == torque[i]
        if abs(torque[i]) > worst * named[i]:
            joint, worst = i, abs(torque[i]) / named[i]
    if whole:
        return joint
    inertia, against = M.copy(), np.empty((n, 1))
    for i in range(n):
        inertia[i, i] += motor_inertia[i]
        against[i, 0] = borne[i]
    found = solved(inertia, against)
    for i in range(n):
        opposed[i] = found[i, 0]
    return joint


@compiled
def velocity_ahead(
    J: Matrix, twist: Vector, drift: Vector, ddq: Vector, preview: float
) -> tuple[NewVector, float]:
    r"""Return the velocity of a point one preview ahead, (3,), and its norm [m/s].

    :math:`\dot p + T_p (J\ddot q + \dot J\dot q)`.

    Args:
        J: of the point, base axes, shape (6, n).
        twist: of that point, shape (6,) [m/s; rad/s].
        drift: Jdot qdot of it, shape (6,) [m/s^2; rad/s^2].
        ddq: joint accelerations, shape (n,) [rad/s^2].
        preview: T_p [s].
    """
    velocity, square = np.empty(3), 0.0
    for axis in range(3):
        rate = drift[axis]
        for i in range(len(ddq)):
            rate += J[axis, i] * ddq[i]
        velocity[axis] = twist[axis] + preview * rate
        square += velocity[axis] ** 2
    return velocity, sqrt(square)
