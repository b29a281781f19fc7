# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The loop's answer times, its skipped states, and their assessment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

CAPACITY = 600_000  # cycles: ten minutes; later ones replace the oldest
CYCLE_NS = 1_000_000  # of the arm [ns]
ALLOWED = 300e-6  # from a state's arrival to its answer, by libfranka's documentation [s]
LEAST_SUCCESS = 0.95


class TimesReport(NamedTuple):
    """Times in microseconds."""

    cycles: int
    p50: float
    p99: float
    p999: float
    longest: float
    skipped: int  # states that did not reach the loop
    success_rate: float  # the lowest that the arm reported, NaN without

    @property
    def assessment(self) -> str:
        """Whether the loop is fast enough, in one line."""
        if not self.cycles:
            return "the loop did not run"
        wrong = []
        if self.p99 > ALLOWED * 1e6:
            wrong.append(f"99 % within {self.p99:.0f} us, expected {ALLOWED * 1e6:.0f}")
        if self.skipped:
            wrong.append(f"{self.skipped} of {self.cycles + self.skipped} states skipped")
        if self.success_rate <= LEAST_SUCCESS:
            wrong.append(f"success rate down to {self.success_rate:.2f}")
        return "too slow: " + "; ".join(wrong) if wrong else "fast enough"

    def line(self) -> str:
        """Return all of it in one line."""
        rate = "" if np.isnan(self.success_rate) else f", success rate {self.success_rate:.2f}"
        return (
            f"state to answer p50 {self.p50:.0f}, p99 {self.p99:.0f}, p99.9 {self.p999:.0f},"
            f" longest {self.longest:.0f} us in {self.cycles} cycles; {self.skipped} states"
            f" skipped{rate}: {self.assessment}"
        )


class LoopTimes:
    """Collects the times without allocating memory."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        """Allocate memory for ``capacity`` cycles."""
        self._times = np.zeros(capacity)
        self._rate = float("nan")
        self.cycles = self.skipped = 0

    def add(self, seconds: float, period: int, success_rate: float) -> None:
        """Take a cycle.

        Args:
            seconds: from the state's arrival to the answer's leaving.
            period: since the state before, by the arm's clock [ns].
            success_rate: as the arm reports it; it counts once 100 commands were sent.
        """
        self._times[self.cycles % len(self._times)] = seconds
        self.cycles += 1
        self.skipped += max(0, round(period / CYCLE_NS) - 1)
        if self.cycles > 100 and not success_rate >= self._rate:
            self._rate = success_rate

    @classmethod
    def joined(cls, parts: Sequence[LoopTimes]) -> LoopTimes:
        """Return the report of several collectors, none beyond its capacity."""
        joined = cls(0)
        joined._times = np.concatenate([part._times[: part.cycles] for part in parts])
        joined.cycles = sum(part.cycles for part in parts)
        joined.skipped = sum(part.skipped for part in parts)
        joined._rate = min(part._rate for part in parts)
        return joined

    def report(self) -> TimesReport:
        """Return the report so far."""
        times = self._times[: min(self.cycles, len(self._times))] * 1e6
        if not len(times):
            nan = float("nan")
            return TimesReport(0, nan, nan, nan, nan, 0, nan)
        p50, p99, p999 = (float(np.percentile(times, share)) for share in (50.0, 99.0, 99.9))
        longest = float(times.max())
        return TimesReport(self.cycles, p50, p99, p999, longest, self.skipped, self._rate)
