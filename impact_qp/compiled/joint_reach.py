# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The accelerations that positions and velocities leave for joints without a limit of jerk."""

from __future__ import annotations

from math import sqrt

from impact_robots.array_kinds import Matrix, ToMatrix, Vector
from impact_robots.compiled import compiled, part


@part
def _speed(way: float, gained: float, most: float, dt: float) -> float:
    """Return the speed from which half of ``most`` stops within a way, if the cycle has so much."""
    way_ahead = way + gained
    braking = sqrt(most * way_ahead) if way_ahead > 0.0 else 0.0
    return min(braking, way / dt if way > 0.0 else 0.0)


@compiled
def write_reach(q: Vector, dq: Vector, limits: Matrix, dt: float, box: ToMatrix) -> None:
    """Write the box of :class:`~impact_qp.whole_body.joint_bounds.JointBounds`, (2, n) [rad/s^2].

    Args:
        q: positions, shape (n,) [rad].
        dq: velocities, shape (n,) [rad/s].
        limits: lowest and highest position, velocity, acceleration, shape (4, n).
        dt: control period [s].
        box: written.
    """
    for i in range(len(q)):
        low, high, fastest, most = limits[0, i], limits[1, i], limits[2, i], limits[3, i]
        down = min(fastest, _speed(q[i] - low, dq[i] * dt, most, dt))
        up = min(fastest, _speed(high - q[i], -dq[i] * dt, most, dt))
        box[0, i] = min(max((-down - dq[i]) / dt, -most), most)
        box[1, i] = min(max((up - dq[i]) / dt, -most), most)
