# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the guards of a controller ask every cycle; what is wrong is worked out only if it is."""

from __future__ import annotations

import numpy as np

from impact_robots.compiled import (
    INTEGER,
    NUMBER,
    TO_VECTOR,
    TRUTH,
    VECTOR,
    compiled,
)

GOOD, IMPLAUSIBLE, DISAGREEING = 0, 1, 2


@compiled(TRUTH, VECTOR, VECTOR, NUMBER)
def within(values: np.ndarray, most: np.ndarray, share: float) -> bool:
    """Tell whether all magnitudes are at most a share of the limits, both (n,); NaN is not."""
    for i in range(len(most)):
        if not abs(values[i]) <= share * most[i]:
            return False
    return len(values) == len(most)


@compiled(TRUTH, VECTOR, VECTOR, INTEGER, NUMBER)
def usable(q: np.ndarray, dq: np.ndarray, dof: int, most: float) -> bool:
    """Tell whether positions and velocities are ``dof`` numbers each, below ``most``."""
    good = len(q) == len(dq) == dof
    for i in range(dof):
        good = good and abs(q[i]) < most and abs(dq[i]) < most
    return good


@compiled(TRUTH, *(VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR), *(NUMBER, NUMBER, TO_VECTOR))
def sendable(
    torque: np.ndarray,
    gravity: np.ndarray,
    sent: np.ndarray,
    last: np.ndarray,
    most: np.ndarray,
    rate: np.ndarray,
    period: float,
    share: float,
    beyond: np.ndarray,
) -> bool:
    """Tell whether torques, what the driver is sent of them and their rate are within limits.

    Args:
        torque: with gravity, shape (n,) [N.m].
        gravity: of it what holds the arm, shape (n,) [N.m].
        sent: what the driver is sent, shape (n,) [N.m].
        last: torques beyond gravity a period ago, shape (n,) [N.m].
        most: limits of torques, shape (n,) [N.m].
        rate: limits of the rate of torques beyond gravity, shape (n,) [N.m/s].
        period: of control [s].
        share: of the limits that is allowed [-].
        beyond: written, torques beyond gravity, shape (n,) [N.m].
    """
    good = len(torque) == len(sent) == len(most)
    for i in range(len(beyond)):
        beyond[i] = torque[i] - gravity[i]
    for i in range(len(beyond)):
        good = good and abs(sent[i]) <= share * most[i] and abs(torque[i]) <= share * most[i]
        good = good and abs((beyond[i] - last[i]) / period) <= share * rate[i]
    return good


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
    return somewhere or len(q) == 1


@compiled(
    TRUTH,
    *(VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, NUMBER, NUMBER, VECTOR),
    TO_VECTOR,
)
def agreeing(
    q: np.ndarray,
    dq: np.ndarray,
    last_q: np.ndarray,
    last_dq: np.ndarray,
    apart: np.ndarray,
    dt: float,
    memory: float,
    tolerance: np.ndarray,
    after: np.ndarray,
) -> bool:
    """Tell whether positions and velocities agree.

    Args:
        q: positions, shape (n,) [rad].
        dq: velocities, shape (n,) [rad/s].
        last_q: positions before, shape (n,) [rad].
        last_dq: velocities before, shape (n,) [rad/s].
        apart: disagreement before, shape (n,) [rad/s].
        dt: since then; not above 0: nothing is known [s].
        memory: over which both are compared [s].
        tolerance: shape (n,) [rad/s].
        after: written, disagreement now, shape (n,) [rad/s].
    """
    good = True
    for i in range(len(q)):
        gap = q[i] - last_q[i] - 0.5 * dt * (dq[i] + last_dq[i])
        after[i] = (apart[i] + gap / memory) * max(0.0, 1.0 - dt / memory) if dt > 0.0 else 0.0
        good = good and not abs(after[i]) > tolerance[i]
    return good


@compiled(
    INTEGER,
    *(VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR),
    *(NUMBER, NUMBER, NUMBER, VECTOR, TO_VECTOR),
)
def judged(
    q: np.ndarray,
    dq: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    fastest: np.ndarray,
    last_q: np.ndarray,
    last_dq: np.ndarray,
    apart: np.ndarray,
    dt: float,
    jitter: float,
    memory: float,
    tolerance: np.ndarray,
    after: np.ndarray,
) -> int:
    """Return ``IMPLAUSIBLE``, ``DISAGREEING`` or ``GOOD``; arguments of the two functions above.

    What is implausible is not compared: nothing is written.
    """
    if not plausible(q, dq, low, high, fastest, last_q, dt, jitter):
        return IMPLAUSIBLE
    if agreeing(q, dq, last_q, last_dq, apart, dt, memory, tolerance, after):
        return GOOD
    return DISAGREEING
