# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The previewed approach velocity as a row on the joint accelerations."""

from __future__ import annotations

import numpy as np

from impact_robots.compiled import MATRIX, NEW_VECTOR, NUMBER, VECTOR, compiled, several


@compiled(several((NEW_VECTOR, NUMBER)), VECTOR, MATRIX, VECTOR, VECTOR, NUMBER, VECTOR)
def approach_row(
    normal: np.ndarray,
    J: np.ndarray,
    twist: np.ndarray,
    drift: np.ndarray,
    preview: float,
    unexplained: np.ndarray,
) -> tuple[np.ndarray, float]:
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
