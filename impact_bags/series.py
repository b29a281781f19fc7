# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Rows of numbers over time, of a topic: finite, in order of time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from impact_bags.reading.recording import LARGEST


class Series(NamedTuple):
    """Series of one topic; times increase."""

    time: np.ndarray  # stamps, shape (k,) [ns]
    values: np.ndarray  # shape (k, m)
    dropped: int = 0  # rows that were not finite

    @property
    def seconds(self) -> np.ndarray:
        """Stamps, shape (k,) [s]."""
        return np.asarray(self.time, dtype=float) * 1e-9

    @property
    def period(self) -> float:
        """Usual time between rows, NaN of fewer than two [s]."""
        return float(np.median(np.diff(self.time))) * 1e-9 if len(self.time) > 1 else float("nan")

    def since(self, origin: int) -> np.ndarray:
        """Return the times since a stamp [ns], shape (k,) [s]."""
        return (self.time - origin) * 1e-9

    def at(self, times: np.ndarray) -> np.ndarray:
        """Return the row that holds at each stamp [ns], NaN if it is older than 1.5 periods."""
        found = np.full((len(times), self.values.shape[1]), np.nan)
        if not len(self.time):
            return found
        index = np.searchsorted(self.time, times, side="right") - 1
        age = times - self.time[np.maximum(index, 0)]
        oldest = 1.5e9 * self.period if len(self.time) > 1 else 0.0
        fresh = (index >= 0) & (age <= oldest)
        found[fresh] = self.values[index[fresh]]
        return found

    def within(self, origin: int, start: float, end: float) -> Series:
        """Return the rows from ``start`` to ``end`` [s] after a stamp [ns]."""
        t = self.since(origin)
        chosen = (t >= start) & (t <= end)
        return Series(self.time[chosen], self.values[chosen], self.dropped)


def series(
    times: Sequence[int], rows: Sequence[np.ndarray], width: int, *, unbounded: bool = False
) -> Series:
    """Return rows in the order of their stamps, each stamp once, without those not finite.

    Args:
        times: stamps [ns].
        rows: of shape (width,) each.
        width: of a row.
        unbounded: rows may have NaN and infinity as valid values.
    """
    time, values = np.array(times, dtype=np.int64), np.array(rows, dtype=float).reshape(-1, width)
    good = (np.abs(values) < LARGEST).all(axis=1) | unbounded  # NaN is not below
    time, first = np.unique(time[good], return_index=True)
    return Series(time, values[good][first], int(len(good) - good.sum()))
