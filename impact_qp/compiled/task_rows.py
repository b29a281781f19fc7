# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Residuals of the tasks of an approach."""

from __future__ import annotations

from math import atan2, sqrt

import numpy as np

from impact_robots.compiling.array_kinds import Matrix, ToMatrix, ToVector, Vector
from impact_robots.compiling.compiled import compiled, part
from impact_robots.compiling.plain_numbers import PointNumbers

SMALL = 1e-4  # sine of an angle, below which its series is exact [-]


@part
def _half_turn(turned: np.ndarray, axis: np.ndarray, cosine: float) -> np.ndarray:
    """Return the unit axis out of the symmetric part, cos 1 + (1 - cos) a a^T: good near pi."""
    largest = 0
    for i in range(1, 3):
        if turned[i, i] > turned[largest, largest]:
            largest = i
    along = 0.5 * (turned[largest] + turned[:, largest])
    along[largest] -= cosine
    size = sqrt(along[0] ** 2 + along[1] ** 2 + along[2] ** 2)
    return along / (size if axis[largest] >= 0.0 else -size)


@part
def rotation_vector(to: np.ndarray, of: np.ndarray) -> np.ndarray:
    """Return R log(R^T R_d), the rotation from ``of`` R to ``to`` R_d in base axes, (3,) [rad].

    That of R_d R^T.
    """
    turned = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            for k in range(3):
                turned[i, j] += to[i, k] * of[j, k]
    axis = np.array(
        [turned[2, 1] - turned[1, 2], turned[0, 2] - turned[2, 0], turned[1, 0] - turned[0, 1]]
    )
    axis *= 0.5
    sine = sqrt(axis[0] ** 2 + axis[1] ** 2 + axis[2] ** 2)
    cosine = 0.5 * (turned[0, 0] + turned[1, 1] + turned[2, 2] - 1.0)
    if cosine < 0.0:
        return _half_turn(turned, axis, cosine) * atan2(sine, cosine)
    if sine < SMALL:
        return axis * (1.0 + sine * sine / 6.0)
    return axis * (atan2(sine, cosine) / sine)


@compiled
def write_velocity(
    point: PointNumbers,
    reference: Vector,
    feedforward: Vector,
    gain: float,
    A: ToMatrix,
    b: ToVector,
) -> None:
    """Write A (3, n) and b (3,) of :class:`~impact_qp.tasks.VelocityTask`."""
    for i in range(3):
        for j in range(A.shape[1]):
            A[i, j] = point.J[i, j]
        b[i] = feedforward[i] + gain * (reference[i] - point.twist[i]) - point.drift[i]


@compiled
def write_orientation(
    point: PointNumbers,
    reference: Matrix,
    feedforward: Vector,
    stiffness: float,
    damping: float,
    A: ToMatrix,
    b: ToVector,
) -> None:
    """Write A (3, n) and b (3,) of :class:`~impact_qp.tasks.OrientationTask`."""
    turn, twist, drift = rotation_vector(reference, point.rotation), point.twist, point.drift
    for i in range(3):
        for j in range(A.shape[1]):
            A[i, j] = point.J[3 + i, j]
        b[i] = feedforward[i] + stiffness * turn[i] - damping * twist[3 + i] - drift[3 + i]


@compiled
def write_posture(
    q: Vector,
    dq: Vector,
    reference: Vector,
    stiffness: float,
    damping: float,
    A: ToMatrix,
    b: ToVector,
) -> None:
    """Write A (k, n) and b (k,) of :class:`~impact_qp.tasks.PostureTask` for the last k joints."""
    k, n = A.shape
    first = len(q) - k
    for i in range(k):
        for j in range(n):
            A[i, j] = 0.0
        A[i, n - k + i] = 1.0
        b[i] = stiffness * (reference[i] - q[first + i]) - damping * dq[n - k + i]
