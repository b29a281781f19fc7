# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Notices an arm that does not move as it should: a missed impact, an obstacle."""

from __future__ import annotations

from math import isnan

STALLED = 0.25  # share of the speed that the arm should have, below which it counts as blocked
CREEP = 0.01  # speed below which no impact limit holds the arm back [m/s]


class StallWatch:
    """Counts for how long the arm has been slower than it should be; one phase at a time.

    Attributes:
        time: without interruption [s].
    """

    def __init__(self, period: float) -> None:
        """Watch cycles of a period [s]."""
        self._period = period
        self.reset()

    def reset(self) -> None:
        """Begin to count, as when a phase begins."""
        self.time, self._fastest = 0.0, CREEP

    def update(self, speed: float, reference: float, bound: float) -> None:
        """Take one cycle.

        Args:
            speed: measured, along the way that the phase goes [m/s].
            reference: speed that was asked for [m/s].
            bound: of the impact limit, infinite without one; NaN where it has no closed form: then
                the arm's own highest speed in this phase counts [m/s].
        """
        self._fastest = max(self._fastest, speed)
        wanted = min(reference, self._fastest if isnan(bound) else bound)
        self.time = self.time + self._period if speed < STALLED * wanted else 0.0
