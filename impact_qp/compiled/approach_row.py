# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The previewed approach velocity as a row on the joint accelerations, and the bound of it."""

from __future__ import annotations

import numpy as np

from impact_robots.compiling.array_kinds import Matrix, NewVector, Vector
from impact_robots.compiling.compiled import compiled

NO_EFFECT = 1.0  # bound of a row of zeros, as that of a limit
STEEPEST = 2.0  # fall of a bound; what is faster is a jump, as after a pause [m/s^2]


@compiled
def approach_row(
    normal: Vector,
    J: Matrix,
    twist: Vector,
    drift: Vector,
    preview: float,
    unexplained: Vector,
) -> tuple[NewVector, float]:
    r"""Return gradient, shape (n,), and offset of the map from qddot to v_n [m/s].

    :math:`v_n = J_n\dot q + T_p\,(J_n(\ddot q + a) + \dot J_n\dot q)`.

    Args:
        normal: base axes, shape (3,).
        J: of the contact point, base axes, shape (6, n).
        twist: of that point, shape (6,) [m/s; rad/s].
        drift: Jdot qdot of it, shape (6,) [m/s^2; rad/s^2].
        preview: T_p [s].
        unexplained: a, accelerations beside qddot, shape (n,) [rad/s^2].
    """
    gradient, offset = np.zeros(len(unexplained)), 0.0
    for axis in range(3):
        offset += normal[axis] * (twist[axis] + preview * drift[axis])
        for i in range(len(gradient)):
            gradient[i] += preview * normal[axis] * J[axis, i]
    for i in range(len(gradient)):
        offset += gradient[i] * unexplained[i]
    return gradient, offset


@compiled
def fall(change: float, period: float, preview: float) -> float:
    """Return the expected change of a bound at the end of the preview, <= 0 [m/s].

    Extrapolates its fall since the last cycle; otherwise the speed lags by the preview.

    Args:
        change: of the bound since the last cycle; NaN: not known [m/s].
        period: since then; 0: not known [s].
        preview: T_p [s].
    """
    fallen = change / period if period > 0.0 else 0.0
    return preview * fallen if -STEEPEST < fallen < 0.0 else 0.0
