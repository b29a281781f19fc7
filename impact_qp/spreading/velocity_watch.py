# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Detects an impact by the velocity that an arm has lost along the way it should have gone."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import ArrayLike

from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import finite_array, positive


class VelocityWatch:
    r"""Detects where :math:`|n^T(v_{ref} - v) - b|` exceeds a threshold; b is its recent mean.

    b is over the samples before, up to and without the present one, so that a lag of the controller
    does not count. It detects light and soft objects, which torques of joints hardly show, needs a
    reference that is followed well, and does not tell an impact from a push.
    """

    def __init__(self, direction: ArrayLike, threshold: float = 0.04, *, samples: int = 50) -> None:
        """Create the watch.

        Args:
            direction: n, of the approach, any length, shape (3,).
            threshold: above 0 [m/s].
            samples: of the mean; until there are as many nothing is detected.

        Raises:
            OutOfRangeError: a number is out of its range.
        """
        n = finite_array(direction, (3,), "direction")
        length = float(np.linalg.norm(n))
        if length < 1e-9:
            raise OutOfRangeError("direction", "a vector above 0", direction)
        self._direction, self._threshold = n / length, positive(threshold, "threshold")
        self._past: deque[float] = deque(maxlen=round(positive(samples, "samples")))
        self.statistic = 0.0  # of the last update, bias removed [m/s]
        self.detected = False  # latched

    def update(self, reference: np.ndarray, velocity: np.ndarray) -> bool:
        """Return whether there has been an impact.

        Args:
            reference: velocity of the point as it should be, shape (3,) [m/s].
            velocity: as it is, same axes, shape (3,) [m/s].
        """
        lost = float(self._direction @ (reference - velocity))
        full = len(self._past) == self._past.maxlen
        self.statistic = abs(lost - sum(self._past) / len(self._past)) if self._past else 0.0
        self.detected = self.detected or (full and self.statistic > self._threshold)
        self._past.append(lost)
        return self.detected
