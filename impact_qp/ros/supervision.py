# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Watches the timing of the control cycles: extra states, missed ones, late answers. No ROS."""

from __future__ import annotations

from collections import deque

from impact_qp.control.status import Counts
from impact_ros.messages import NANOSECONDS

BURST = 3.0  # periods that the arrival clock may lag: messages come in bursts
JITTER = 0.3  # of a period, of stamps
_STEPS = 10  # of stamps that are compared


class CycleWatch:
    """Decides which states are answered, and when too many cycles in a row were missed.

    Torque rates and filters assume one command per period, so states faster than the rate, by their
    stamps or by their arrival, are skipped.
    """

    def __init__(self, period: float, max_missed: int) -> None:
        """Watch cycles of a period [s], of which at most so many may be missed in a row."""
        self._period, self._max_missed = period, max_missed
        self.reset()

    def reset(self) -> None:
        """Restart the counts."""
        self.counts = Counts()
        self.in_a_row = 0
        self.resume()

    def resume(self) -> None:
        """Continue after a handled pause."""
        self._stamp: int | None = None
        self._arrival, self._by_stamp, self._by_clock = 0.0, 1.0, BURST
        self.in_a_row, self._skipped = 0, False
        # of stamps, while all miss cycles [periods]
        self._steps: deque[float] = deque(maxlen=_STEPS)

    def take(self, stamp: int, arrival: float) -> bool:
        """Take a state; return whether it must be answered.

        Args:
            stamp: of the state, later than that of the last one [ns].
            arrival: by a monotonic clock [s].
        """
        periods = 0.0
        if self._stamp is not None:
            periods = (stamp - self._stamp) / NANOSECONDS / self._period
            waited = (arrival - self._arrival) / self._period
            self._by_stamp = min(self._by_stamp + periods, 1.0 + JITTER)
            self._by_clock = min(self._by_clock + waited, BURST)
        self._stamp, self._arrival = stamp, arrival
        if min(self._by_stamp, self._by_clock) < 1.0 - JITTER:
            self.counts.passed += 1
            return False
        self._by_stamp -= 1.0
        self._by_clock -= 1.0
        missed = max(0, round(periods) - 1)
        self._miss(missed)
        if missed:
            self._steps.append(periods)
        else:
            self._steps.clear()
        self.counts.answered += 1
        return True

    def answered(self, cycle_time: float) -> None:
        """Record the time from a state's arrival to its answer [s]."""
        if cycle_time > self._period:
            self._miss(1)
            self._steps.clear()
        elif not self._skipped:
            self.in_a_row = 0

    def _miss(self, count: int) -> None:
        self._skipped = count > 0
        self.counts.missed += count
        self.in_a_row += count

    @property
    def problem(self) -> str:
        """Why the arm must stop, "" if it need not."""
        if self.in_a_row <= self._max_missed:
            return ""
        return (
            f"{self.in_a_row} control cycles of {self._period * 1e3:g} ms missed in a row"
            f" (max_consecutive_missed {self._max_missed}); {self._likely_cause()}"
        )

    def _likely_cause(self) -> str:
        """Return what to change: the rate if the states are evenly apart, else the load."""
        steps = self._steps
        if len(steps) > 1 and max(steps) - min(steps) <= 2 * JITTER:
            got = len(steps) / sum(steps) / self._period
            return (
                f"by their stamps states come at {got:.0f} Hz, expected {1 / self._period:.0f} Hz:"
                " set rate, or free a core if the driver sends more"
            )
        return "is the machine busy? Free a core, or simulate in lockstep"
