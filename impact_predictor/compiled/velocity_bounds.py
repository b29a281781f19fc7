# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Bounds from the effect of one change at a time, compiled."""

from __future__ import annotations

from math import sqrt

import numpy as np

from impact_robots.compiling.array_kinds import Matrix, NewVector
from impact_robots.compiling.compiled import compiled


@compiled
def velocity_bounds(after: Matrix, ends: int, effects: Matrix) -> tuple[NewVector, NewVector]:
    """Return the lowest and the highest velocities after an impact, shape (n,) each [rad/s].

    Args:
        after: velocities as predicted, then with one parameter at its lower and at its upper end,
            for each, then with each independent quantity changed, shape (c, n) [rad/s].
        ends: how many of the second kind, even; their changes add up.
        effects: further independent changes, which add as squares, shape (m, n) [rad/s].
    """
    low, high = np.zeros(after.shape[1]), np.zeros(after.shape[1])
    for j in range(after.shape[1]):
        nominal, squares = after[0, j], 0.0
        for i in range(1, ends, 2):
            one, other = after[i, j] - nominal, after[i + 1, j] - nominal
            low[j] += min(one, other, 0.0)
            high[j] += max(one, other, 0.0)
        for i in range(1 + ends, len(after)):
            squares += (after[i, j] - nominal) ** 2
        for i in range(len(effects)):
            squares += effects[i, j] ** 2
        spread = sqrt(squares)
        low[j] += nominal - spread
        high[j] += nominal + spread
    return low, high
