# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Detects an arm that moves less than commanded: a missed impact, an obstacle."""

from __future__ import annotations

from collections import deque
from math import isnan

import numpy as np

STALLED = 0.25  # fraction of the speed that the arm should have, below which it counts as blocked
CREEP = 0.01  # speed below which no impact limit holds the arm back [m/s]
LOOKED_BACK = 0.25  # fraction of the stall time over which a speed is measured
HELD_BACK, FORGOTTEN = 0.03, 2.0  # commanded return without motion [rad], and its decay time [s]


class StallWatch:
    """Counts for how long the arm has been slower than it should be; one phase at a time.

    Speeds are computed from the travel in a quarter of the stall time: measured velocities are too
    noisy. Those of a Panda (4e-3 rad/s) occasionally give more than 5 mm/s for a contact point at
    rest. An arm that starts a phase in the opposite direction is not blocked until it has turned;
    nor is an arm that must stand, as while its bound is unknown.

    Attributes:
        time: without interruption [s].
    """

    def __init__(self, period: float, stall_time: float) -> None:
        """Watch cycles of a period [s] for an arm that is blocked for ``stall_time`` [s]."""
        self._period = period
        cycles = max(1, round(LOOKED_BACK * stall_time / period))
        self._now = 0.0  # [s]
        self._ways: deque[tuple[float, float, float]] = deque(maxlen=cycles + 1)
        self.reset()

    def reset(self) -> None:
        """Restart, at the beginning of a phase."""
        self.time, self._fastest, self._wanted = 0.0, CREEP, 0.0
        self._turning = True  # a phase may begin with the arm moving the other way
        self._ways.clear()

    def update(
        self, way: float, reference: float, bound: float, elapsed: float | None = None
    ) -> None:
        """Take one cycle.

        Args:
            way: position along the direction of the phase, any origin [m].
            reference: commanded speed [m/s].
            bound: of the impact limit, infinite without one; NaN where it has no closed form: then
                the arm's own highest speed in this phase is used [m/s].
            elapsed: since the last cycle, None: one period [s].
        """
        time = self._period if elapsed is None else elapsed
        ways, limit = self._ways, self._fastest if isnan(bound) else bound
        now = self._now = self._now + time
        asked = self._wanted = self._wanted + time * (reference if reference < limit else limit)
        ways.append((now, way, asked))
        before, way_before, asked_before = ways[0]
        gone, least = way - way_before, STALLED * (asked - asked_before)
        if gone > self._fastest * (now - before) and len(ways) == ways.maxlen:
            self._fastest = gone / (now - before)  # over less time, noise alone looks fast
        if self._turning:
            self._turning = len(ways) == 1 or gone < -least
        blocked = gone < least and least > 0.0 and not self._turning
        self.time = self.time + time if blocked else 0.0


class HeldBackWatch:
    """Adds up commanded motion that a holding velocity-controlled arm did not follow.

    The arm is held or leans on something: its drives wind up while it tries to return.
    """

    def __init__(self) -> None:
        """Start with an arm that follows."""
        self.reset()

    def reset(self) -> None:
        """Restart, at the beginning of a hold."""
        self._way: np.ndarray | None = None

    def update(self, commanded: np.ndarray, measured: np.ndarray, elapsed: float) -> bool:
        """Take one cycle; return whether the arm is held back.

        Args:
            commanded: joint velocities, shape (n,) [rad/s].
            measured: joint velocities, shape (n,) [rad/s].
            elapsed: since the last cycle [s].
        """
        way = np.zeros_like(commanded) if self._way is None else self._way
        stands = measured.dot(commanded) < STALLED * commanded.dot(commanded)
        self._way = way + elapsed * (stands * commanded - way / FORGOTTEN)
        return bool(np.abs(self._way).max() > HELD_BACK)
