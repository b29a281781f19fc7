# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The motion of the joints over one cycle: as it is estimated, and as it is commanded."""

from __future__ import annotations

import numpy as np

from impact_robots.compiled import (
    MATRIX,
    NEW_VECTOR,
    NUMBER,
    TO_MATRIX,
    VECTOR,
    compiled,
    several,
)


@compiled(
    several((NEW_VECTOR, NEW_VECTOR)), MATRIX, TO_MATRIX, VECTOR, VECTOR, VECTOR, VECTOR, NUMBER
)
def filtered(
    step: np.ndarray,
    known: np.ndarray,
    q: np.ndarray,
    dq: np.ndarray,
    ddq: np.ndarray,
    slow: np.ndarray,
    share: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Take a measurement into the state of :class:`~impact_qp.control.velocity_filter`.

    Args:
        step: what is known and measured to what is known then, shape (3, 6).
        known: positions, velocities, accelerations beyond the command; overwritten, (3, n).
        q: measured, shape (n,) [rad].
        dq: measured, shape (n,) [rad/s].
        ddq: commanded since the last measurement, shape (n,) [rad/s^2].
        slow: smoothed accelerations beyond the command, shape (n,) [rad/s^2].
        share: of a new one in these [-].

    Returns:
        velocities [rad/s]; the new ``slow``; each of shape (n,).
    """
    velocity, smoothed = np.empty(len(q)), np.empty(len(q))
    for i in range(len(q)):
        before = (known[0, i], known[1, i], known[2, i], ddq[i], q[i], dq[i])
        for row in range(3):
            known[row, i] = 0.0
            for k in range(6):
                known[row, i] += step[row, k] * before[k]
        velocity[i] = known[1, i]
        smoothed[i] = slow[i] + share * (known[2, i] - slow[i])
    return velocity, smoothed


@compiled(several((NEW_VECTOR, NEW_VECTOR)), VECTOR, VECTOR, VECTOR, NUMBER)
def moved(
    position: np.ndarray, velocity: np.ndarray, ddq: np.ndarray, dt: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return velocities [rad/s] and positions [rad] after dt [s] of constant accelerations."""
    after, way = np.empty(len(ddq)), np.empty(len(ddq))
    for i in range(len(ddq)):
        step = ddq[i] * dt
        after[i] = velocity[i] + step
        way[i] = position[i] + (velocity[i] + 0.5 * step) * dt
    return after, way
