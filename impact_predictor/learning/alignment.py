# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Start of a hit: detectors report the contact with a soft wall some milliseconds late."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from impact_predictor.learning.box_fit import GRID
from impact_predictor.learning.hit_residual import modelled, residuals
from impact_predictor.learning.hit_window import hit_window
from impact_predictor.learning.learning_box import LearningBox
from impact_predictor.recorded_hit import RecordedHit

EARLIER, LATER = 6e-3, 2e-3  # largest offset of contact from its detection [s]
_STEP = 0.25e-3  # of the search [s]


def aligned(box: LearningBox, hit: RecordedHit) -> RecordedHit:
    """Return a hit with its time relative to the contact that fits its samples best.

    Searched from 6 ms before to 2 ms after time zero, by the model of the hit on walls of ten
    stiffnesses and two restitutions. As none of these is exact, the cost is the log-likelihood of
    Cauchy's distribution. Fits estimate the remaining offset as an unknown.

    Args:
        box: of the unknowns.
        hit: its samples begin 12 samples or more before the earliest contact.

    Raises:
        PredictionError: the hit is not sampled as needed.
        NotApproachingError: the arm moves away from the wall.
    """
    early = replace(hit, time=hit.time + EARLIER)
    window = hit_window(box.robot, box.surface, early)
    shifts = np.arange(0.0, EARLIER + LATER + _STEP / 2, _STEP)
    left = [residuals(window, modelled(box, window, x), shifts) for x in _walls(box)]
    costs = np.log1p(np.square(left)).sum(axis=2).min(axis=0)
    return replace(hit, time=early.time - shifts[int(costs.argmin())])


def _walls(box: LearningBox) -> list[np.ndarray]:
    """Return unknowns of walls all over the box, else in its middle, shape (p,) each."""
    free = np.flatnonzero(box.free)
    grids = [grid if index in free else np.zeros(1) for index, grid in enumerate(GRID)]
    walls = []
    for values in product(*grids):
        x = np.zeros(box.size)
        for index, value in enumerate(values):
            x[free == index] = value
        walls.append(x)
    return walls
