# SPDX-License-Identifier: Apache-2.0
"""How rigidly the arm moves: when the composite-rigid-body inverse inertia may be trusted."""

from __future__ import annotations

import math

import numpy as np

from impact_predictor.symmetric3 import solve
from impact_robots import ArmState


def approximate_to_exact_ratio(
    state: ArmState, rotation: np.ndarray, normal_velocity: float | None = None
) -> float:
    """Return e_a [-]: normal velocity of the contact point on the composite body over the real one.

    Wang, Dehio, Kheddar, RA-L 2022, (29): the body has the arm's momentum and the composite
    inertia. Above 0.85 the composite-rigid-body inverse inertia may be trusted. NaN without normal
    velocity.

    Args:
        state: dynamics of the arm.
        rotation: R_Op, from contact axes to base axes, shape (3, 3).
        normal_velocity: of the contact point [m/s], if it is known already.
    """
    x, y, z = rotation[:, 2].tolist()
    if normal_velocity is None:
        normal_velocity = float(rotation[:, 2] @ (state.J[:3] @ state.dq))
    if normal_velocity == 0.0:
        return math.nan
    px, py, pz, *spin = state.A_G.dot(state.dq).tolist()
    turning = solve(state.rotational_inertia.tolist(), (spin[0], spin[1], spin[2]))
    if turning is None:
        return math.nan
    wx, wy, wz = turning
    lx, ly, lz = (state.position - state.com).tolist()
    moved = x * (wy * lz - wz * ly) + y * (wz * lx - wx * lz) + z * (wx * ly - wy * lx)
    return ((x * px + y * py + z * pz) / state.mass + moved) / normal_velocity
