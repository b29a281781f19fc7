# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The motion of a frame's origin out of what pinocchio has computed for its joint, compiled."""

from __future__ import annotations

import numpy as np

from impact_robots.compiled import (
    MATRIX,
    NOTHING,
    TO_MATRIX,
    TO_VECTOR,
    VECTOR,
    compiled,
    part,
)


@part
def _cross(a: np.ndarray, b: np.ndarray) -> tuple[float, float, float]:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@compiled(
    NOTHING,
    *(VECTOR, MATRIX, VECTOR, MATRIX, VECTOR, VECTOR, VECTOR, VECTOR, MATRIX, VECTOR),
    *(TO_MATRIX, TO_VECTOR, TO_VECTOR, TO_MATRIX, TO_VECTOR),
)
def point_motion(
    dq: np.ndarray,
    J_origin: np.ndarray,
    moves: np.ndarray,
    R: np.ndarray,
    p: np.ndarray,
    linear: np.ndarray,
    angular: np.ndarray,
    gravity: np.ndarray,
    rotation: np.ndarray,
    lever: np.ndarray,
    J: np.ndarray,
    twist: np.ndarray,
    drift: np.ndarray,
    frame: np.ndarray,
    position: np.ndarray,
) -> None:
    """Write J, twist, drift, rotation and position, as of :class:`~impact_robots.PointState`.

    Args:
        dq: velocities, shape (n,).
        J_origin: twists of the joints at the origin of the base axes O, in O, shape (6, n).
        moves: 1 for each velocity that moves the frame, else 0, shape (n,).
        R: axes of the frame's joint, in O, shape (3, 3).
        p: its origin in O, shape (3,) [m].
        linear: its spatial acceleration without that of the joints and minus gravity, own axes,
            shape (3,) [m/s^2].
        angular: the same, shape (3,) [rad/s^2].
        gravity: in O, shape (3,) [m/s^2].
        rotation: of the frame in its joint's axes, shape (3, 3).
        lever: of its origin in those, shape (3,) [m].
        J: written, shape (6, n).
        twist: written, shape (6,).
        drift: written, shape (6,).
        frame: written, axes of the frame, shape (3, 3).
        position: written, shape (3,).
    """
    J[:], twist[:], frame[:] = 0.0, 0.0, 0.0
    pull = _cross(angular, lever)
    for i in range(3):
        position[i], drift[i], drift[3 + i] = p[i], gravity[i], 0.0
        for k in range(3):
            position[i] += R[i, k] * lever[k]
            drift[i] += R[i, k] * (linear[k] + pull[k])
            drift[3 + i] += R[i, k] * angular[k]
            for j in range(3):
                frame[i, j] += R[i, k] * rotation[k, j]
    for column in range(len(dq)):
        if moves[column] == 0.0:
            continue
        turning = _cross(J_origin[3:, column], position)
        for i in range(3):
            J[i, column] = J_origin[i, column] + turning[i]
            J[3 + i, column] = J_origin[3 + i, column]
        for i in range(6):
            twist[i] += J[i, column] * dq[column]
    turning = _cross(twist[3:], twist[:3])
    for i in range(3):
        drift[i] += turning[i]
