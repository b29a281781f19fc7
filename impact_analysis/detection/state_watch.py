# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""How the time of joint states goes on: gaps, repetitions, and jumps back."""

from __future__ import annotations

from collections import deque

import numpy as np

from impact_bags.reading.recording import Recording

MILLISECONDS = (0.2, 5.0)  # period between joint states at 200 to 5000 Hz whose stamps are in ms
GAP = 5.0  # times the usual period between joint states is a gap


class StateWatch:
    """Watches the time of joint states: gaps, repetitions, and jumps back."""

    def __init__(self) -> None:
        self.samples = 0
        self.gaps: list[float] = []  # [s]
        self.jumps: list[float] = []  # [s]
        self.repeated = 0
        self._duration = 0  # [ns]
        self._seen = 0
        self._usual = float("inf")  # [ns]
        self._last: int | None = None
        self._steps: deque[int] = deque(maxlen=200)  # [ns]

    @property
    def duration(self) -> float:
        """Measured time [s]."""
        return self._duration * 1e-9

    @property
    def period(self) -> float:
        """Usual time between samples, NaN of fewer than two [s]."""
        return float(np.median(self._steps)) * 1e-9 if self._steps else float("nan")

    def may_be_milliseconds(self, recording: Recording) -> bool:
        """Return whether the stamps of a table may be milliseconds, by its rate."""
        low, high = MILLISECONDS
        return not recording.state_topic and low <= self.period <= high

    def add(self, time: int, *, counts: bool = True) -> None:
        """Take the time of a joint state [ns]; one that does not count is only learned from."""
        last, self._last = self._last, time
        self._seen += 1
        self.samples += counts
        if last is None:
            return
        step = time - last
        if self._seen % 50 == 0 and len(self._steps) > 20:
            self._usual = float(np.median(self._steps))
        irregular = step <= 0 or step > GAP * self._usual
        if not irregular:
            self._steps.append(step)
        if not counts:
            return
        if step < 0:
            self.jumps.append(-step * 1e-9)
            return
        self._duration += step
        self.repeated += step == 0
        if irregular and step > 0:
            self.gaps.append(step * 1e-9)
