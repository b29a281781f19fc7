# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Largest value and quantiles of a stream, in constant memory."""

from __future__ import annotations

from math import log, nan

import numpy as np

_LOWEST, _HIGHEST = 1e-6, 1e9
_STEP = 0.01  # bins are a hundredth wide, relative to their value
_BINS = round(log(_HIGHEST / _LOWEST) / _STEP) + 1


class RunningStatistic:
    """Counts finite values of at least 0 in logarithmic bins.

    Attributes:
        count: values so far.
        largest: of them; NaN without any.
    """

    def __init__(self) -> None:
        self.count, self.largest = 0, nan
        self._bins = np.zeros(_BINS, dtype=np.int64)

    def add(self, value: float) -> None:
        """Count a value; those beyond 1e-6 to 1e9 count in the bin at that end."""
        self.largest = value if self.count == 0 else max(self.largest, value)
        self.count += 1
        place = int(log(value / _LOWEST) / _STEP) if value > _LOWEST else 0
        self._bins[min(place, _BINS - 1)] += 1

    def quantile(self, fraction: float) -> float:
        """Return the quantile of a fraction, to 1 %; NaN if empty."""
        if not self.count:
            return nan
        place = int(np.searchsorted(np.cumsum(self._bins), fraction * self.count))
        return min(_LOWEST * float(np.exp((place + 1) * _STEP)), self.largest)
