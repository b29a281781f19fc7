# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the guards of a controller ask every cycle; what is wrong is worked out only if it is."""

from __future__ import annotations

import numpy as np

from impact_robots.compiled import NEW_VECTOR, NUMBER, TRUTH, VECTOR, compiled, several


@compiled(TRUTH, VECTOR, VECTOR, NUMBER)
def within(values: np.ndarray, most: np.ndarray, share: float) -> bool:
    """Tell whether all magnitudes are at most a share of the limits, both (n,); NaN is not."""
    for i in range(len(most)):
        if not abs(values[i]) <= share * most[i]:
            return False
    return len(values) == len(most)


@compiled(TRUTH, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, NUMBER, NUMBER)
def plausible(
    q: np.ndarray,
    dq: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    fastest: np.ndarray,
    last: np.ndarray,
    dt: float,
    jitter: float,
) -> bool:
    """Tell whether a state can be one of the robot's, and can follow that before.

    Args:
        q: positions, shape (n,) [rad].
        dq: velocities, shape (n,) [rad/s].
        low: least possible positions, shape (n,) [rad].
        high: most, shape (n,) [rad].
        fastest: possible velocities, shape (n,) [rad/s].
        last: positions before, shape (n,) [rad].
        dt: since then, negative: nothing is known [s].
        jitter: of positions, for stamps that are not exact [rad].
    """
    if not len(q) == len(dq) == len(low):
        return False
    somewhere = False
    for i in range(len(low)):
        somewhere = somewhere or q[i] != 0.0
        if not (low[i] <= q[i] <= high[i] and abs(dq[i]) <= fastest[i]):
            return False
        if dt >= 0.0 and not abs(q[i] - last[i]) <= jitter + fastest[i] * dt:
            return False
    return somewhere


@compiled(
    several((NEW_VECTOR, TRUTH)),
    *(VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, NUMBER, NUMBER, VECTOR),
)
def disagreement(
    q: np.ndarray,
    dq: np.ndarray,
    last_q: np.ndarray,
    last_dq: np.ndarray,
    apart: np.ndarray,
    dt: float,
    memory: float,
    tolerance: np.ndarray,
) -> tuple[np.ndarray, bool]:
    """Return by how much positions and velocities disagree, and whether by too much.

    Args:
        q: positions, shape (n,) [rad].
        dq: velocities, shape (n,) [rad/s].
        last_q: positions before, shape (n,) [rad].
        last_dq: velocities before, shape (n,) [rad/s].
        apart: disagreement before, shape (n,) [rad/s].
        dt: since then [s].
        memory: over which both are compared [s].
        tolerance: shape (n,) [rad/s].
    """
    after, bad = np.empty(len(q)), False
    for i in range(len(q)):
        gap = q[i] - last_q[i] - 0.5 * dt * (dq[i] + last_dq[i])
        after[i] = (apart[i] + gap / memory) * max(0.0, 1.0 - dt / memory)
        bad = bad or abs(after[i]) > tolerance[i]
    return after, bad
