# SPDX-License-Identifier: Apache-2.0
"""How rigidly the arm moves: when the composite-rigid-body inverse inertia may be trusted."""

from __future__ import annotations

import math

import numpy as np

from impact_predictor.inverse_inertia import contact_jacobian
from impact_robots import ArmState


def approximate_to_exact_ratio(state: ArmState, rotation: np.ndarray) -> float:
    """Return e_a [-]: normal velocity of the contact point on the composite body over the real one.

    Wang, Dehio, Kheddar, RA-L 2022, (29): the body has the arm's momentum and the composite
    inertia. Above 0.85 the composite-rigid-body inverse inertia may be trusted. NaN without normal
    velocity.

    Args:
        state: dynamics of the arm.
        rotation: R_Op, from contact axes to base axes, shape (3, 3).
    """
    exact = contact_jacobian(state, rotation)[2] @ state.dq
    if exact == 0.0:
        return math.nan
    momentum = state.A_G @ state.dq
    spin = np.linalg.solve(state.rotational_inertia, momentum[3:])
    rigid = momentum[:3] / state.mass + np.cross(spin, state.position - state.com)
    return float(rotation[:, 2] @ rigid / exact)
