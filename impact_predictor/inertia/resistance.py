# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What resists a force on a point that friction keeps from giving way sideways."""

from __future__ import annotations

from math import inf

import numpy as np

STUCK = 1e-6  # motion that counts as none, over the largest [-]


def resistance(W: np.ndarray, direction: np.ndarray, friction: float) -> float:
    r"""Return what resists a force on a point, per motion in its direction.

    Friction keeps the point from giving way sideways, up to its coefficient, or altogether:

    .. math:: \frac1m = \max\left(W_{uu} - \mu\,\|W_{tu}\|,\; W_{uu} - W_{ut} W_{tt}^+ W_{tu}\right)

    with t across u. Infinite where nothing gives way: W has lost rank, and the point is wedged.

    Args:
        W: motion of the point per force, shape (3, 3): J M^-1 J^T [1/kg] gives a mass [kg].
        direction: u, unit, same axes, shape (3,).
        friction: coefficient mu [-].
    """
    free = float(direction @ W @ direction)
    across = np.eye(3) - np.outer(direction, direction)
    sideways = across @ W @ direction
    gives = np.linalg.pinv(across @ W @ across, rcond=STUCK, hermitian=True)
    stuck = free - float(sideways @ gives @ sideways)
    left = max(free - friction * float(np.linalg.norm(sideways)), stuck)
    return 1.0 / left if left > STUCK * free else inf
