# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Rate of joint states, by their stamps."""

from __future__ import annotations

from collections import deque
from statistics import median

_STEPS = 50  # between samples, whose median is the usual one


class SampleRate:
    """The usual time between samples, which single gaps and repetitions do not change."""

    def __init__(self) -> None:
        self._last: int | None = None
        self._restart()

    def _restart(self) -> None:
        self.period: int | None = None  # [ns]; None until there are enough samples
        self._steps: deque[int] = deque(maxlen=_STEPS)
        self._new = 0

    def add(self, time: int) -> None:
        """Take the stamp of a sample [ns]; an earlier one restarts the estimate."""
        last, self._last = self._last, time
        if last is None or time <= last:
            if last is not None and time < last:
                self._restart()
            return
        self._steps.append(time - last)
        self._new += 1
        if self._new >= _STEPS:
            self.period, self._new = round(median(self._steps)), 0
