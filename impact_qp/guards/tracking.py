# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Detects an arm that moves faster than commanded: a driver's gain, a payload, a push."""

from __future__ import annotations

from collections import deque
from math import sqrt

import numpy as np

from impact_qp.interface import CommandInterface

STEP = 0.01  # between two measurements [s]
WINDOW = 0.04  # over which a speed is measured [s]
COMMANDED = 0.15  # time for which a commanded speed counts, for the lag of the arm [s]
SPEEDING = 1.35  # factor on a changing commanded speed, for servos that overshoot
STEADY = 0.9  # fraction of the highest commanded speed above which it is constant


def looks_every(period: float) -> int:
    """Return the number of cycles of a period [s] per measurement."""
    return max(1, round(STEP / period))


class TrackingWatch:
    """Compares the travel of the contact point with the commanded velocities."""

    def __init__(
        self, interface: type[CommandInterface], period: float, delay: float = 0.0
    ) -> None:
        """Watch an arm with an interface, in cycles of a period [s].

        Args:
            interface: of the commands.
            period: of the cycles [s].
            delay: after which the arm moves as commanded, beside its lag [s].
        """
        self._every = looks_every(period)
        step = self._every * period
        looks = max(1, round(WINDOW / step))
        self._period, self._time = period, 0.0  # [s]
        self._faster, self._slack = interface.faster, interface.slack
        self._places: deque[tuple[float, np.ndarray]] = deque(maxlen=looks + 1)
        self._commanded: deque[float] = deque(maxlen=max(2, round((COMMANDED + delay) / step)))
        self._cycle = 0

    def reset(self, speed: float) -> None:
        """Restart with an arm that moves at a given speed [m/s]."""
        self._places.clear()
        self._commanded.clear()
        self._commanded.append(speed)
        self._cycle = 0

    def problem(
        self, position: np.ndarray, commanded: np.ndarray, elapsed: float | None = None
    ) -> str:
        """Take one cycle; return the problem, "" if none.

        Args:
            position: of the contact point, shape (3,) [m].
            commanded: velocity of it in this cycle, shape (3,) [m/s].
            elapsed: since the last cycle, None: one period [s].
        """
        self._cycle += 1
        self._time += self._period if elapsed is None else elapsed
        if self._cycle % self._every:
            return ""
        self._places.append((self._time, position))
        self._commanded.append(sqrt(commanded.dot(commanded)))
        if len(self._places) < (self._places.maxlen or 0):
            return ""
        before, place = self._places[0]
        way = position - place
        speed, highest = sqrt(way.dot(way)) / (self._time - before), max(self._commanded)
        steady = min(self._commanded) >= STEADY * highest
        faster = self._faster if steady else max(self._faster, SPEEDING)
        if speed <= faster * highest + self._slack:
            return ""
        return f"the contact point moves at {speed:.3f} m/s, commanded were {highest:.3f} m/s"
