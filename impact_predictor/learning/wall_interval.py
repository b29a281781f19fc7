# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What is known of a wall, as ranges of its figures by name."""

from __future__ import annotations

import numpy as np

from impact_predictor.learning.knowledge import Knowledge
from impact_predictor.learning.learned_file import FIGURES_OF_WALL
from impact_predictor.learning.learning_box import LearningBox

SHOWN = FIGURES_OF_WALL[:4]  # what is learnt of a wall whose normal is known


def wall_ranges(box: LearningBox) -> dict[str, tuple[float, float]]:
    """Return the range of each figure of the wall in a box; stiffness in N/m."""
    return _named(box.low, box.high)


def interval(known: Knowledge) -> dict[str, tuple[float, float]]:
    """Return the interval of each figure of the wall: three standard deviations, in its range."""
    half, box = known.half_width, known.box
    low, high = (box.figures(np.clip(known.mean + side, -1.0, 1.0)) for side in (-half, half))
    return _named(np.where(box.free, low, box.low), np.where(box.free, high, box.high))


def _named(low: np.ndarray, high: np.ndarray) -> dict[str, tuple[float, float]]:
    ends = np.array([low, high])[:, : len(SHOWN)]
    ends[:, 0] = np.exp(ends[:, 0])
    return {name: (float(ends[0, i]), float(ends[1, i])) for i, name in enumerate(SHOWN)}
