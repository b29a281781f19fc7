# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Noise of a measured signal, estimated from the signal itself."""

from __future__ import annotations

import numpy as np

# Part of a sensor's variance below which learnt noise is not believed: an arm that stands, or a
# driver that sends zeros then, may be quieter than any motion, and noise that returns is no impact.
LEAST = 0.15
STD_OF_MEDIAN = 1.4826  # standard deviation over median absolute value, if Gaussian
_OF_SECOND_DIFFERENCE = 1.0 / np.sqrt(6.0)
_FEWEST = 6


def white_noise(values: np.ndarray, smallest: float) -> np.ndarray:
    """Return the standard deviation of the white noise of each column, in its unit.

    From second differences, in which smooth motion vanishes, by their median, which a jump or a
    missing sample hardly moves. Noise that a filter has smoothed is underestimated.

    Args:
        values: equally spaced samples, shape (N, n).
        smallest: lower bound of the result; the result for fewer than 6 samples.
    """
    if len(values) < _FEWEST:
        return np.full(values.shape[1], smallest)
    size = np.median(np.abs(np.diff(values, 2, axis=0)), axis=0)
    return np.maximum(size * (STD_OF_MEDIAN * _OF_SECOND_DIFFERENCE), smallest)
