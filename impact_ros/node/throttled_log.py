# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Rate-limited log lines for control cycles. Needs no ROS to import."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

PERIOD = 1.0  # between two lines of one kind [s]


class ThrottledLog:
    """Writes each kind of line at most once in a period.

    rclpy's ``throttle_duration_sec`` first looks up its caller in the stack and the source files,
    which takes about a millisecond even for a suppressed line.
    """

    def __init__(
        self, logger: Any, period: float = PERIOD, *, now: Callable[[], float] = time.monotonic
    ) -> None:
        """Begin with nothing written.

        Args:
            logger: of a node.
            period: between two lines of one kind [s].
            now: a clock that does not jump [s].
        """
        self._logger, self._period, self._now = logger, period, now
        self._due: dict[str, float] = {}  # of each kind, from when on it is written again [s]

    def warning(self, line: str, kind: str = "") -> None:
        """Write a warning, unless one of that kind was written a moment ago."""
        if self._is_due(kind):
            self._logger.warning(line)

    def error(self, line: str, kind: str = "") -> None:
        """Write an error, unless a line of that kind was written a moment ago."""
        if self._is_due(kind):
            self._logger.error(line)

    def _is_due(self, kind: str) -> bool:
        now = self._now()
        if now < self._due.get(kind, now):
            return False
        self._due[kind] = now + self._period
        return True
