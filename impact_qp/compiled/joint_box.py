# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The box that all kinematic limits leave for the accelerations of the joints."""

from __future__ import annotations

from math import isnan, sqrt

import numpy as np

from impact_robots.compiling.array_kinds import Matrix, NewMatrix, ToMatrix, ToVector, Vector
from impact_robots.compiling.compiled import compiled, part


@part
def _speed(way: float, gained: float, acceleration: float, dt: float) -> float:
    """Return the highest speed that half the acceleration stops within the distance ``way``."""
    way_ahead = way + gained
    braking = sqrt(acceleration * way_ahead) if way_ahead > 0.0 else 0.0
    return min(braking, way / dt if way > 0.0 else 0.0)


@compiled
def write_reach(q: Vector, dq: Vector, limits: Matrix, dt: float, box: ToMatrix) -> None:
    """Write the box of :class:`~impact_qp.whole_body.body_limits.JointBounds`, (2, n) [rad/s^2].

    Args:
        q: positions, shape (n,) [rad].
        dq: velocities, shape (n,) [rad/s].
        limits: lowest and highest position, velocity, acceleration, shape (4, n).
        dt: control period [s].
        box: written.
    """
    for i in range(len(q)):
        low, high, fastest, acceleration = limits[0, i], limits[1, i], limits[2, i], limits[3, i]
        down = min(fastest, _speed(q[i] - low, dq[i] * dt, acceleration, dt))
        up = min(fastest, _speed(high - q[i], -dq[i] * dt, acceleration, dt))
        box[0, i] = min(max((-down - dq[i]) / dt, -acceleration), acceleration)
        box[1, i] = min(max((up - dq[i]) / dt, -acceleration), acceleration)


@part
def _bounds(
    q: float,
    dq: float,
    last: float,
    jerk: float,
    limits: tuple[float, float, float, float, float],
    dt: float,
) -> tuple[float, float]:
    """Return lowest and highest acceleration of a joint [rad/s^2]; NaN for ``last``: any jerk."""
    lowest, highest, velocity, acceleration, braking = limits
    step, way = jerk * dt, q + dq * dt
    box = (-acceleration, acceleration)
    if not isnan(last):
        box = _narrowed(box, last - step, last + step)
    down, up = _using_up(velocity + dq, jerk, dt), _using_up(velocity - dq, jerk, dt)
    box = _narrowed(box, -down, up)
    down = _using_up(_stopping(way - lowest, braking) + dq, jerk, dt)
    up = _using_up(_stopping(highest - way, braking) - dq, jerk, dt)
    return _narrowed(box, -down, up)


@part
def _using_up(speed: float, jerk: float, dt: float) -> float:
    """Return the acceleration that adds ``speed`` in dt and while the jerk limit ends it."""
    if not speed > 0.0:
        return speed / dt
    step = jerk * dt
    return sqrt(step * step + 2.0 * jerk * speed) - step


@part
def _stopping(way: float, braking: float) -> float:
    """Return the speed from which ``braking`` stops within the distance ``way`` [rad/s]."""
    return sqrt(2.0 * braking * way) if way > 0.0 else 0.0


@part
def _narrowed(box: tuple[float, float], lower: float, upper: float) -> tuple[float, float]:
    """Return the part of a box within [lower, upper], or its point nearest to that."""
    low, high = box
    return min(max(low, lower), high), max(min(high, upper), low)


@compiled
def joint_box(q: Vector, dq: Vector, previous: Vector, limits: Matrix, dt: float) -> NewMatrix:
    """Return the box of :class:`~impact_qp.limits.JointLimit`, shape (2, n) [rad/s^2].

    Args:
        q: positions, shape (n,) [rad].
        dq: velocities, shape (n,) [rad/s].
        previous: accelerations of the last cycle, shape (n,) [rad/s^2]; NaN: not known.
        limits: lowest and highest position, velocity, acceleration, that of braking, jerk, (6, n).
        dt: control period [s].
    """
    box = np.empty((2, len(q)))
    for i in range(len(q)):
        own = (limits[0, i], limits[1, i], limits[2, i], limits[3, i], limits[4, i])
        box[0, i], box[1, i] = _bounds(q[i], dq[i], previous[i], limits[5, i], own, dt)
    return box


@compiled
def write_box(box: Matrix, G: ToMatrix, h: ToVector) -> None:
    """Write a box (2, n) as rows, upper ends first: G, shape (2 n, n), and h, shape (2 n,)."""
    n = box.shape[1]
    G[:] = 0.0
    for i in range(n):
        G[i, i], G[n + i, i] = 1.0, -1.0
        h[i], h[n + i] = box[1, i], -box[0, i]
