# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The Jacobian of a contact point, and how well conditioned it is."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import inf, sqrt

import numpy as np

from impact_predictor.impact_result import Flag
from impact_robots import PointState

SINGULAR = 1e-3  # smallest singular value of a contact Jacobian that counts as full rank [m]
_SINGULAR_JACOBIAN = int(Flag.SINGULAR_JACOBIAN)


def contact_jacobian(state: PointState, rotation: np.ndarray) -> np.ndarray:
    """Return the linear Jacobian of the contact point in contact axes p, shape (3, n).

    Args:
        state: dynamics of the arm.
        rotation: R_Op, from contact axes to base axes, shape (3, 3).
    """
    return rotation.T.dot(state.J[:3])


def jacobian_condition(J: np.ndarray) -> tuple[float, int]:
    """Return the condition of J (3, n), infinite at rank 2 or less, and a flag near there."""
    smallest, largest = _squares()(J)
    condition = sqrt(largest / smallest) if smallest > 1e-14 * largest else inf
    return condition, 0 if smallest > SINGULAR**2 else _SINGULAR_JACOBIAN


@cache
def _squares() -> Callable[[np.ndarray], tuple[float, float]]:
    from impact_predictor.compiled.mobility import squared_singular_values  # loads slowly

    function: Callable[[np.ndarray], tuple[float, float]] = squared_singular_values
    return function
