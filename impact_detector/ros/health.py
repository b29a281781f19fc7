# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""How well measurements arrive, for diagnostics."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from impact_detector.signals.sample import DetectionStatus
from impact_ros.messages import NANOSECONDS

SHORTEST_COUNT = 0.1  # that gives a rate [s]
LONGEST_AGE = 3600.0  # beyond this a stamp is of another clock [s]


@dataclass(frozen=True)
class Health:
    """What arrived since the last report."""

    rate: float  # of states, by the clock of their arrival; NaN: it has just begun [1/s]
    worst_age: float  # from a state's stamp to its arrival; NaN: another clock [s]
    dropped: int  # states and forces with NaN, since the start
    unreadable: int  # messages that could not be read, since the start
    silent: float  # since the last state; infinite: there was none [s]
    ready: bool  # the first detector could judge the last state
    last_impact: int | None  # time of the last detection [ns]
    suppressed: int = 0  # times above the threshold without a detection, of the first detector
    troubles: tuple[str, ...] = ()  # why detectors have no statistic, as text
    newly_dropped: int = 0  # of the dropped samples, those since the last report
    newly_unreadable: int = 0  # of the unreadable messages, those since the last report
    unready: str = ""  # usual causes of a detector that is not ready, as text
    timeless: bool = False  # simulated time has not begun

    @property
    def summary(self) -> str:
        """One line."""
        if self.timeless:
            return "no time: use_sim_time without messages on /clock"
        if math.isinf(self.silent):
            return "no joint states yet"
        if self.rate == 0.0:
            return f"no joint states for {self.silent:.1f} s"
        if self.troubles:
            return f"{'watching' if self.ready else 'cannot judge'}: {'; '.join(self.troubles)}"
        if self.ready:
            return "watching"
        if self.newly_unreadable:
            return f"cannot judge: {self.newly_unreadable} messages unreadable, see the log"
        if self.newly_dropped:
            return f"cannot judge: {self.newly_dropped} samples dropped, not finite or too large"
        return f"cannot judge: {self.unready}"

    @property
    def level(self) -> str:
        """Of diagnostics: "ok", "warn" or "stale"."""
        if self.timeless:
            return "warn"
        if self.rate == 0.0 or math.isinf(self.silent):
            return "stale"
        return "ok" if self.ready and not self.troubles else "warn"


class HealthMonitor:
    """Counts messages between reports. Time is in nanoseconds, given by the caller.

    A clock that jumps back, as of a recording played in a loop, restarts the count, and so does
    one that leaves 0, where simulated time waits for its first message.
    """

    def __init__(self, start: int, unready: str = "") -> None:
        """Begin to count at ``start`` [ns]; ``unready`` as of :class:`Health`."""
        self._since, self._unready = start, unready
        self._last: int | None = None
        self.newest: int | None = None  # stamp of the last state [ns]
        self._count, self._worst, self._ready = 0, math.nan, False
        self._impact: int | None = None
        self._suppressed, self._dropped = 0, 0
        self.unreadable, self._unreadable = 0, 0

    def add(self, stamp: int, arrival: int) -> None:
        """Count a state by its ``stamp`` and its time of ``arrival`` [ns]."""
        self._restart_before(arrival)
        self._count, self._last, self.newest = self._count + 1, arrival, stamp
        age = (arrival - stamp) / NANOSECONDS
        if abs(age) < LONGEST_AGE and not age <= self._worst:
            self._worst = age

    def _restart_before(self, now: int) -> None:
        """Restart the count if the clock jumped back, or has just begun."""
        if not self._since or now < max(self._since, self._last or 0):
            self._since, self._last = now, None
            self._count, self._worst = 0, math.nan

    def judged(self, status: DetectionStatus) -> None:
        """Note the detection status on a state."""
        self._ready, self._suppressed = status.ready, status.suppressed_count
        if status.detection_time is not None:
            self._impact = status.detection_time

    def report(self, now: int, dropped: int, troubles: Iterable[str] = ()) -> Health:
        """Return the counts up to ``now`` [ns], and restart the count of states if it gave a rate.

        Args:
            now: by the clock of arrivals [ns].
            dropped: samples with NaN so far.
            troubles: why detectors have no statistic, as text.
        """
        self._restart_before(now)
        span = (now - self._since) / NANOSECONDS
        silent = math.inf if self._last is None else (now - self._last) / NANOSECONDS
        health = Health(
            self._count / span if span >= SHORTEST_COUNT else math.nan,
            self._worst,
            dropped,
            self.unreadable,
            silent,
            self._ready,
            self._impact,
            self._suppressed,
            tuple(troubles),
            max(dropped - self._dropped, 0),
            self.unreadable - self._unreadable,
            self._unready,
            not now,
        )
        if span >= SHORTEST_COUNT:
            self._since, self._count, self._worst = now, 0, math.nan
            self._dropped, self._unreadable = dropped, self.unreadable
        return health
