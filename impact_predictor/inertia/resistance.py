# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What resists a force on a point that friction keeps from giving way sideways."""

from __future__ import annotations

import numpy as np

STUCK = 1e-6  # singular values of W that count as zero, over the largest [-]


def resistance(W: np.ndarray, direction: np.ndarray, friction: float) -> float:
    r"""Return what resists a force on a point, per motion in its direction.

    Friction keeps the point from giving way sideways, up to its coefficient, or altogether:

    .. math:: \frac1m = \max\left(W_{uu} - \mu\,\|W_{tu}\|,\; \frac1{u^T W^{-1} u}\right)

    Args:
        W: motion of the point per force, shape (3, 3): J M^-1 J^T [1/kg] gives a mass [kg].
        direction: u, unit, same axes, shape (3,).
        friction: coefficient mu [-].
    """
    free = float(direction @ W @ direction)
    sideways = float(np.linalg.norm(W @ direction - free * direction))
    stuck = 1.0 / float(direction @ np.linalg.pinv(W, rcond=STUCK) @ direction)
    return 1.0 / max(free - friction * sideways, min(free, stuck))
