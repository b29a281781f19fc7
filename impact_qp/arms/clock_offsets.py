# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Offsets between the clocks of several drivers, from the arrival of their states. No ROS."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np

from impact_ros.messages import NANOSECONDS

PAIRS = 20  # states of two arms that are compared
PATIENCE = 500  # pairs after which an uncertain offset is a problem


class ClockOffsets:
    """Compares the stamps of arms with those of the first one, over states that follow each other.

    Delays common to all messages have no effect, nor does the pace of a simulation. An offset
    within the tolerance is taken as zero: the drivers share a clock.
    """

    def __init__(self, arms: Sequence[str], tolerance: float) -> None:
        """Compare arms of these names; an offset must be known to a tolerance [s]."""
        self._first, *self._others = arms
        self._tolerance = tolerance
        self.reset()

    def reset(self) -> None:
        """Restart the measurement."""
        self._last: tuple[int, float] | None = None  # stamp and arrival of the first arm's state
        self._found = {arm: deque[float](maxlen=PAIRS) for arm in self._others}
        self._tried = dict.fromkeys(self._others, 0)

    def arrived(self, arm: str, stamp: int, arrival: float) -> None:
        """Take a state.

        Args:
            arm: its name.
            stamp: of the state [ns].
            arrival: by a clock of this process [s].
        """
        if arm == self._first:
            self._last = stamp, arrival
        elif self._last is not None:
            stamp_before, arrival_before = self._last
            self._last = None  # each state is compared once
            ahead = (stamp - stamp_before) / NANOSECONDS - (arrival - arrival_before)
            self._found[arm].append(ahead)
            self._tried[arm] += 1

    def _spread(self, arm: str) -> float:
        """Return the spread of the middle four fifths of the measured offsets [s]."""
        low, high = np.quantile(self._found[arm], (0.1, 0.9))
        return float(high - low)

    def _is_clear(self, arm: str) -> bool:
        return len(self._found[arm]) == PAIRS and self._spread(arm) <= 2.0 * self._tolerance

    @property
    def known(self) -> bool:
        """Whether all offsets are known to the tolerance."""
        return all(self._is_clear(arm) for arm in self._others)

    @property
    def problem(self) -> str:
        """Why an offset cannot be measured, "" if it still may."""
        for arm in self._others:
            if self._tried[arm] >= PATIENCE and not self._is_clear(arm):
                half = 0.5e3 * self._spread(arm)
                return (
                    f"clocks of {self._first} and {arm}: expected an offset of the stamps known to"
                    f" {self._tolerance * 1e3:g} ms, got +-{half:.3g} ms after {PATIENCE} states"
                )
        return ""

    def offset(self, arm: str) -> int:
        """Return by how much the stamps of an arm are ahead of the first one's [ns]."""
        if arm == self._first:
            return 0
        ahead = float(np.median(self._found[arm]))
        return 0 if abs(ahead) <= self._tolerance else round(ahead * NANOSECONDS)
