# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Newton's method from a contact frame to a point, compiled; see :class:`~impact_qp.reach.Reach`.

The plain form there does the same with pinocchio and numpy; a test compares both.
"""

from __future__ import annotations

from math import cos, sin

import numpy as np

from impact_qp.compiled.records import Allowed, Newton
from impact_robots.compiling.array_kinds import NewVector, Vector
from impact_robots.compiling.compiled import compiled, part
from impact_robots.compiling.small_algebra import cross, dot, solved
from impact_robots.state.axis_chain import AxisChain


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
        across, along = cross(row, axis), (1.0 - c) * dot(row, axis)
        for j in range(3):
            R[i, j] = c * row[j] + s * across[j] + along * axis[j]


@part
def _kinematics(chain: AxisChain, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rotation (3, 3), position (3,) and Jacobian (6, n) of the frame, base axes."""
    joints, places = chain.joints, chain.places
    R, p, J = np.eye(3), np.zeros(3), np.zeros((6, len(q)))
    count = len(joints)
    axes, origins = np.empty((count, 3)), np.empty((count, 3))
    for k in range(count):
        _moved(R, p, joints[k, :12])
        axis, slides, value = joints[k, 12:15], joints[k, 15] > 0.0, q[places[k]]
        for i in range(3):
            axes[k, i] = dot(R[i], axis)
            p[i] += value * axes[k, i] if slides else 0.0
            origins[k, i] = p[i]
        if not slides:
            _turned(R, axis, value)
    _moved(R, p, chain.frame)
    for k in range(count):
        slides, lever = joints[k, 15] > 0.0, cross(axes[k], p - origins[k])
        for i in range(3):
            J[i, places[k]] = axes[k, i] if slides else lever[i]
            J[3 + i, places[k]] = 0.0 if slides else axes[k, i]
    return R, p, J


@part
def _least_step(J: np.ndarray, error: np.ndarray, damping: float) -> np.ndarray:
    """Return J^T (J J^T + damping)^-1 error, shape (n,)."""
    count = len(error)
    squared = np.empty((count, count))
    for i in range(count):
        for j in range(i + 1):
            squared[i, j] = dot(J[i], J[j])
        squared[i, i] += damping
    solution = solved(squared, error.reshape(count, 1))[:, 0]
    step = np.zeros(J.shape[1])
    for i in range(count):
        for j in range(J.shape[1]):
            step[j] += J[i, j] * solution[i]
    return step


@part
def _cosine(R: np.ndarray, allowed: Allowed) -> float:
    total = 0.0
    for i in range(3):
        total += allowed.normal[i] * dot(R[i], allowed.facing)
    return total


@compiled
def to_point(
    chain: AxisChain, allowed: Allowed, newton: Newton, point: Vector, start: Vector
) -> tuple[bool, NewVector]:
    """Return whether an allowed configuration at a point was found, and it, shape (n,) [rad].

    Args:
        chain: to the frame.
        allowed: configurations.
        newton: method.
        point: where the frame is to be, base axes, shape (3,) [m].
        start: to begin with, shape (n,) [rad].
    """
    q = start.copy()
    for _ in range(newton.iterations):
        R, p, J = _kinematics(chain, q)
        missing = point - p
        if dot(missing, missing) < newton.reached**2:
            good = _cosine(R, allowed) >= allowed.least - 1e-6
            for i in range(len(q)):
                good = good and allowed.low[i] <= q[i] <= allowed.high[i]
            return good, q
        q += _least_step(J[:3], missing, newton.damping)
    return False, q


@compiled
def bring_to_point(
    chain: AxisChain, allowed: Allowed, newton: Newton, point: Vector, start: Vector
) -> tuple[bool, NewVector]:
    """Return the same from further away: the tool turns too, joints stay at their limits."""
    q, error, normal = start.copy(), np.zeros(6), allowed.normal
    for _ in range(newton.iterations):
        for j in range(len(q)):
            q[j] = min(max(q[j], allowed.low[j]), allowed.high[j])
        R, p, J = _kinematics(chain, q)
        missing = point - p
        faces = _cosine(R, allowed) >= allowed.least
        if faces and dot(missing, missing) < newton.reached**2:
            return True, q
        looks = np.empty(3)
        for i in range(3):
            looks[i] = dot(R[i], allowed.facing)
        turn = cross(looks, normal)
        for i in range(3):
            error[i], error[3 + i] = missing[i], 0.0 if faces else turn[i]
        for j in range(len(q)):
            about = dot(normal, J[3:, j])
            for i in range(3):
                J[3 + i, j] = 0.0 if faces else J[3 + i, j] - about * normal[i]
        q += _least_step(J, error, newton.damping)
    return False, q


@compiled
def step_around(chain: AxisChain, newton: Newton, q: Vector, step: Vector) -> NewVector:
    """Return q (n,) after a step (n,) that hardly moves the frame [rad]."""
    _, _, J = _kinematics(chain, q)
    moved = np.empty(3)
    for i in range(3):
        moved[i] = dot(J[i], step)
    return q + step - _least_step(J[:3], moved, newton.damping)
