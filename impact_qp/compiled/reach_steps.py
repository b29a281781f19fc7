# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Newton's way of a contact frame to a point, compiled; :class:`~impact_qp.reach.Reach` says it.

The plain form there does the same by pinocchio and numpy; a test holds one against the other.
"""

from __future__ import annotations

from math import cos, sin

import numpy as np

from impact_qp.compiled.cholesky import solved
from impact_robots.compiled import (
    INTEGER,
    INTEGERS,
    MATRIX,
    NEW_VECTOR,
    NUMBER,
    TRUTH,
    VECTOR,
    compiled,
    part,
    several,
)

_CHAIN = MATRIX, INTEGERS, VECTOR  # as of impact_robots.axis_chain.AxisChain
_LIMITS = VECTOR, VECTOR, VECTOR, VECTOR, NUMBER, VECTOR  # low, high, normal, facing, least, point
_EFFORT = INTEGER, NUMBER, NUMBER  # iterations, distance [m], damping [m^2]


@part
def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


@part
def _dot(a: np.ndarray, b: np.ndarray) -> float:
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@part
def _moved(R: np.ndarray, p: np.ndarray, place: np.ndarray) -> None:
    """Put R (3, 3) and p (3,) into a place (12,) that is in their axes."""
    before = R.copy()
    for i in range(3):
        for j in range(3):
            p[i] += before[i, j] * place[9 + j]
            R[i, j] = 0.0
            for k in range(3):
                R[i, j] += before[i, k] * place[3 * k + j]


@part
def _turned(R: np.ndarray, axis: np.ndarray, angle: float) -> None:
    """Turn R (3, 3) about one of its own axes (3,), of length 1 (Rodrigues' formula)."""
    c, s = cos(angle), sin(angle)
    for i in range(3):
        row = R[i].copy()
        across, along = _cross(row, axis), (1.0 - c) * _dot(row, axis)
        for j in range(3):
            R[i, j] = c * row[j] + s * across[j] + along * axis[j]


@part
def _kinematics(
    joints: np.ndarray, places: np.ndarray, frame: np.ndarray, q: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rotation (3, 3), position (3,) and Jacobian (6, n) of the frame, base axes."""
    R, p, J = np.eye(3), np.zeros(3), np.zeros((6, len(q)))
    count = len(joints)
    axes, origins = np.empty((count, 3)), np.empty((count, 3))
    for k in range(count):
        _moved(R, p, joints[k, :12])
        axis, slides, value = joints[k, 12:15], joints[k, 15] > 0.0, q[places[k]]
        for i in range(3):
            axes[k, i] = _dot(R[i], axis)
            p[i] += value * axes[k, i] if slides else 0.0
            origins[k, i] = p[i]
        if not slides:
            _turned(R, axis, value)
    _moved(R, p, frame)
    for k in range(count):
        column = places[k]
        if joints[k, 15] > 0.0:
            J[:3, column] = axes[k]
        else:
            J[:3, column] = _cross(axes[k], p - origins[k])
            J[3:, column] = axes[k]
    return R, p, J


@part
def _least_step(J: np.ndarray, error: np.ndarray, damping: float) -> np.ndarray:
    """Return J^T (J J^T + damping)^-1 error, shape (n,)."""
    count = len(error)
    squared = np.empty((count, count))
    for i in range(count):
        for j in range(i + 1):
            squared[i, j] = _dot(J[i], J[j])
        squared[i, i] += damping
    share = solved(squared, error.reshape(count, 1))[:, 0]
    step = np.zeros(J.shape[1])
    for i in range(count):
        for j in range(J.shape[1]):
            step[j] += J[i, j] * share[i]
    return step


@part
def _cosine(R: np.ndarray, normal: np.ndarray, facing: np.ndarray) -> float:
    total = 0.0
    for i in range(3):
        total += normal[i] * _dot(R[i], facing)
    return total


@compiled(several((TRUTH, NEW_VECTOR)), *_CHAIN, *_LIMITS, *_EFFORT, VECTOR)
def to_point(
    joints: np.ndarray,
    places: np.ndarray,
    frame: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    normal: np.ndarray,
    facing: np.ndarray,
    least: float,
    point: np.ndarray,
    iterations: int,
    reached: float,
    damping: float,
    start: np.ndarray,
) -> tuple[bool, np.ndarray]:
    """Return whether there is an allowed configuration at a point, and it, shape (n,) [rad].

    Args:
        joints: of the chain, see :class:`~impact_robots.axis_chain.AxisChain`.
        places: of the chain.
        frame: of the chain.
        low: lowest joint positions, shape (n,) [rad].
        high: highest joint positions, shape (n,) [rad].
        normal: outward normal of the surface, base axes, shape (3,).
        facing: direction of the tool that looks along it, axes of the frame, shape (3,).
        least: cosine of the largest tilt.
        point: where the frame is to be, base axes, shape (3,) [m].
        iterations: at most.
        reached: distance at which it is there [m].
        damping: of a step near a singular configuration [m^2].
        start: to begin with, shape (n,) [rad].
    """
    q = start.copy()
    for _ in range(iterations):
        R, p, J = _kinematics(joints, places, frame, q)
        missing = point - p
        if _dot(missing, missing) < reached**2:
            allowed = _cosine(R, normal, facing) >= least - 1e-6
            for i in range(len(q)):
                allowed = allowed and low[i] <= q[i] <= high[i]
            return allowed, q
        q += _least_step(J[:3], missing, damping)
    return False, q


@compiled(several((TRUTH, NEW_VECTOR)), *_CHAIN, *_LIMITS, *_EFFORT, VECTOR)
def bring_to_point(
    joints: np.ndarray,
    places: np.ndarray,
    frame: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    normal: np.ndarray,
    facing: np.ndarray,
    least: float,
    point: np.ndarray,
    iterations: int,
    reached: float,
    damping: float,
    start: np.ndarray,
) -> tuple[bool, np.ndarray]:
    """Return the same from further away: the tool turns too, joints stay at their limits."""
    q, error = start.copy(), np.zeros(6)
    for _ in range(iterations):
        for i in range(len(q)):
            q[i] = min(max(q[i], low[i]), high[i])
        R, p, J = _kinematics(joints, places, frame, q)
        error[:3] = point - p
        faces = _cosine(R, normal, facing) >= least
        if faces and _dot(error[:3], error[:3]) < reached**2:
            return True, q
        error[3:] = 0.0
        if faces:
            J[3:] = 0.0
        else:
            looks = np.empty(3)
            for i in range(3):
                looks[i] = _dot(R[i], facing)
            error[3:] = _cross(looks, normal)
            for j in range(len(q)):
                J[3:, j] -= _dot(normal, J[3:, j]) * normal
        q += _least_step(J, error, damping)
    return False, q


@compiled(NEW_VECTOR, *_CHAIN, NUMBER, VECTOR, VECTOR)
def step_around(
    joints: np.ndarray,
    places: np.ndarray,
    frame: np.ndarray,
    damping: float,
    q: np.ndarray,
    step: np.ndarray,
) -> np.ndarray:
    """Return q (n,) after a step (n,) that hardly moves the frame [rad]."""
    _, _, J = _kinematics(joints, places, frame, q)
    moved = np.empty(3)
    for i in range(3):
        moved[i] = _dot(J[i], step)
    return q + step - _least_step(J[:3], moved, damping)
