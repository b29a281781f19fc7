# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The motion of the joints in one cycle: as it is estimated, commanded, or referred to."""

from __future__ import annotations

from math import sqrt

import numpy as np

from impact_robots.compiling.array_kinds import (
    Matrix,
    NewMatrix,
    ToMatrix,
    ToVector,
    Vector,
)
from impact_robots.compiling.compiled import compiled


@compiled
def filtered(
    step: Matrix,
    known: ToMatrix,
    slow: ToVector,
    q: Vector,
    dq: Vector,
    ddq: Vector,
    smoothing: float,
    velocity: ToVector,
) -> None:
    """Take a measurement into the state of :class:`~impact_qp.control.estimate`.

    Args:
        step: filter gain, from state and measurement to the new state, shape (3, 6).
        known: positions, velocities, accelerations beyond the command; overwritten, (3, n).
        slow: smoothed accelerations beyond the command; overwritten, shape (n,) [rad/s^2].
        q: measured, shape (n,) [rad].
        dq: measured, shape (n,) [rad/s].
        ddq: commanded since the last measurement, shape (n,) [rad/s^2].
        smoothing: weight of a new value in ``slow`` [-].
        velocity: written, shape (n,) [rad/s].
    """
    for i in range(len(q)):
        before = (known[0, i], known[1, i], known[2, i], ddq[i], q[i], dq[i])
        for row in range(3):
            known[row, i] = 0.0
            for k in range(6):
                known[row, i] += step[row, k] * before[k]
        velocity[i] = known[1, i]
        slow[i] += smoothing * (known[2, i] - slow[i])


@compiled
def moved(
    position: Vector,
    velocity: Vector,
    ddq: Vector,
    dt: float,
    after: ToVector,
    way: ToVector,
) -> None:
    """Write velocities [rad/s] and positions [rad] after dt [s] of constant accelerations."""
    for i in range(len(ddq)):
        step = ddq[i] * dt
        after[i] = velocity[i] + step
        way[i] = position[i] + (velocity[i] + 0.5 * step) * dt


@compiled
def quintic(c: Matrix, x: float) -> NewMatrix:
    """Return polynomials of degree 5 and their first two derivatives, shape (3, m).

    Args:
        c: coefficients, that of x^0 first, shape (6, m).
        x: where, such as a time [s].
    """
    found = np.zeros((3, c.shape[1]))
    for k in range(5, -1, -1):  # Horner's scheme; the last row is half the second derivative
        for i in range(c.shape[1]):
            found[2, i] = found[2, i] * x + found[1, i]
            found[1, i] = found[1, i] * x + found[0, i]
            found[0, i] = found[0, i] * x + c[k, i]
    for i in range(c.shape[1]):
        found[2, i] *= 2.0
    return found


@compiled
def along(direction: Vector, size: float, vector: ToVector) -> None:
    """Write a vector of some size along a unit direction, both of shape (3,)."""
    for axis in range(3):
        vector[axis] = size * direction[axis]


@compiled
def change(q: Vector, after: Vector, position: Vector, there: Vector) -> tuple[float, float]:
    """Return how far the joint that moves most [rad], and the contact point [m], have moved.

    Args:
        q: positions of the joints, shape (n,) [rad].
        after: the same after the motion.
        position: of the contact point, shape (3,) [m].
        there: the same after the motion.
    """
    most, square = 0.0, 0.0
    for i in range(len(q)):
        most = max(most, abs(after[i] - q[i]))
    for axis in range(3):
        square += (there[axis] - position[axis]) ** 2
    return most, sqrt(square)
