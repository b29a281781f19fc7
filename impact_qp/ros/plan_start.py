# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""When the common plan of several arms starts: once the states of all of them arrive. No ROS."""

from __future__ import annotations

from collections.abc import Iterable


class PlanStart:
    """The zero of the plan's time: the stamp of the state that was waited for longest."""

    def __init__(self, arms: Iterable[str]) -> None:
        """Wait for the arms of these names."""
        self._arms = tuple(arms)
        self.reset()

    def reset(self) -> None:
        """Wait for all of them again."""
        self._zero = 0
        self._waited = set(self._arms)

    @property
    def ready(self) -> bool:
        """Whether all arms' states arrive."""
        return not self._waited

    def arrived(self, arm: str, stamp: int) -> None:
        """Take the stamp [ns] of an arm's state, of which the first one counts."""
        if arm in self._waited:
            self._waited.remove(arm)
            self._zero = max(self._zero, stamp)

    def time(self, stamp: int) -> float:
        """Return the plan's time at a stamp [ns], not before its start [s]."""
        return max(0, stamp - self._zero) * 1e-9
