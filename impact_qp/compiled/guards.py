# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Checks of the guards in every cycle; details of a failure are computed only if needed."""

from __future__ import annotations

from impact_qp.compiled.records import JITTER, MEMORY
from impact_robots.compiling.array_kinds import Matrix, ToVector, Vector
from impact_robots.compiling.compiled import compiled

GOOD, IMPLAUSIBLE, DISAGREEING = 0, 1, 2


@compiled
def within(values: Vector, limits: Vector, fraction: float) -> bool:
    """Tell whether all magnitudes are within a fraction of the limits, both (n,); false for NaN."""
    for i in range(len(limits)):
        if not abs(values[i]) <= fraction * limits[i]:
            return False
    return len(values) == len(limits)


@compiled
def usable(q: Vector, dq: Vector, limit: float) -> bool:
    """Tell whether positions and velocities, as many, are numbers below ``limit``."""
    good = True
    for i in range(len(q)):
        good = good and abs(q[i]) < limit and abs(dq[i]) < limit
    return good


@compiled
def sendable(
    torque: Vector,
    gravity: Vector,
    sent: Vector,
    last: Vector,
    limits: Matrix,
    period: float,
    fraction: float,
    beyond: ToVector,
) -> bool:
    """Tell whether torques, the driver's torques and their rate are within limits.

    Args:
        torque: with gravity, shape (n,) [N.m].
        gravity: the part of it that holds the arm, shape (n,) [N.m].
        sent: torques sent to the driver, shape (n,) [N.m].
        last: torques beyond gravity a period ago, shape (n,) [N.m].
        limits: of torques [N.m], of the rate of torques beyond gravity [N.m/s], shape (2, n).
        period: of control [s].
        fraction: fraction of the limits that is allowed [-].
        beyond: written, torques beyond gravity, shape (n,) [N.m].
    """
    highest, rate = limits[0], limits[1]
    good = len(torque) == len(sent) == len(highest)
    for i in range(len(beyond)):
        beyond[i] = torque[i] - gravity[i]
    for i in range(len(beyond)):
        good = (
            good
            and abs(sent[i]) <= fraction * highest[i]
            and abs(torque[i]) <= fraction * highest[i]
        )
        good = good and abs((beyond[i] - last[i]) / period) <= fraction * rate[i]
    return good


@compiled
def plausible(q: Vector, dq: Vector, last_q: Vector, bounds: Matrix, dt: float) -> bool:
    """Tell whether a state is possible for the robot, and can follow the one before.

    Arguments as of :func:`judged`.
    """
    low, high, fastest = bounds[0], bounds[1], bounds[2]
    if not len(q) == len(dq) == len(low):
        return False
    somewhere = False
    for i in range(len(low)):
        somewhere = somewhere or q[i] != 0.0
        if not (low[i] <= q[i] <= high[i] and abs(dq[i]) <= fastest[i]):
            return False
        if dt >= 0.0 and not abs(q[i] - last_q[i]) <= JITTER + fastest[i] * dt:
            return False
    return somewhere or len(q) == 1


@compiled
def agreeing(
    q: Vector,
    dq: Vector,
    last_q: Vector,
    last_dq: Vector,
    apart: Vector,
    bounds: Matrix,
    dt: float,
    after: ToVector,
) -> bool:
    """Tell whether positions and velocities agree; arguments as of :func:`judged`."""
    good = True
    for i in range(len(q)):
        gap = q[i] - last_q[i] - 0.5 * dt * (dq[i] + last_dq[i])
        after[i] = (apart[i] + gap / MEMORY) * max(0.0, 1.0 - dt / MEMORY) if dt > 0.0 else 0.0
        good = good and not abs(after[i]) > bounds[3, i]
    return good


@compiled
def judged(
    q: Vector,
    dq: Vector,
    last_q: Vector,
    last_dq: Vector,
    apart: Vector,
    bounds: Matrix,
    dt: float,
    after: ToVector,
) -> int:
    """Return ``IMPLAUSIBLE``, ``DISAGREEING`` or ``GOOD``.

    Implausible states are not compared: nothing is written.

    Args:
        q: positions, shape (n,) [rad].
        dq: velocities, shape (n,) [rad/s].
        last_q: positions before, shape (n,) [rad].
        last_dq: velocities before, shape (n,) [rad/s].
        apart: disagreement before, shape (n,) [rad/s].
        bounds: least and highest possible positions [rad], possible velocities, and by how much
            velocities may differ from those of the positions [rad/s], shape (4, n).
        dt: since then [s]; negative: no state before.
        after: written, disagreement now, shape (n,) [rad/s].
    """
    if not plausible(q, dq, last_q, bounds, dt):
        return IMPLAUSIBLE
    if agreeing(q, dq, last_q, last_dq, apart, bounds, dt, after):
        return GOOD
    return DISAGREEING
