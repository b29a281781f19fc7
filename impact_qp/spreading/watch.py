# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Says why an arm that spreads its references must stop; once it has said so, it stays."""

from __future__ import annotations

from math import inf

import numpy as np

from impact_qp.references import ReferenceState
from impact_qp.spreading.guard import SpreadGuard
from impact_qp.spreading.modes import Mode, StopReason
from impact_robots.state import PointState

STOPPING = 0.3  # in which an arm comes to rest [s]
LETTING_GO = 0.15  # the same of one that has no room, no object or no partner any more [s]


class SpreadWatch:
    """Looks at one arm in each of its cycles.

    An object that is there gives way as the post-impact reference does, and, where arms or object
    were not where they should be, until arms and object are. One that is gone lets the force that
    was meant for it move the arm: that is seen by the way.
    """

    def __init__(self, guard: SpreadGuard, contact: np.ndarray) -> None:
        """Watch by a ``guard``; nominal ``contact`` point in base axes, shape (3,) [m]."""
        self._guard, self._contact = guard, contact
        self._into = np.asarray(guard.into, dtype=float)
        self.reset()

    def reset(self) -> None:
        """Start over."""
        self.stop: StopReason | None = None
        self._first: float | None = None  # along ``into`` beyond the reference, at the impact [m]

    def look(
        self, mode: Mode, impact_time: float | None, point: PointState, partner_stopped: bool
    ) -> StopReason | None:
        """Return why the arm must stop, before it follows anything; none: it need not."""
        if self.stop is None:
            if mode is Mode.STOP:
                self.stop = StopReason.NO_IMPACT if impact_time is None else StopReason.UNTIMELY
            elif self._has_no_room(point):
                self.stop = StopReason.ROOM
            elif partner_stopped:
                self.stop = StopReason.PARTNER
        return self.stop

    def _has_no_room(self, point: PointState) -> bool:
        """Tell whether the arm can just brake before the end of its room."""
        if self._guard.room == inf:
            return False
        speed = max(0.0, float(self._into @ point.velocity))
        way = float(self._into @ (point.position - self._contact)) + speed * LETTING_GO / 2
        return way > self._guard.room

    def follow(self, mode: Mode, position: np.ndarray, motion: ReferenceState) -> None:
        """Look how far the object has given way; the arm stops from the next cycle on.

        Args:
            mode: of the cycle.
            position: of the contact point, base axes, shape (3,) [m].
            motion: that is followed, of [p; xi].
        """
        give = self._guard.give
        if give == inf or self.stop is not None or mode not in (Mode.INTERIM, Mode.POST):
            return
        beyond = float(self._into @ (position - motion.position[:3]))
        if self._first is None:
            self._first = beyond
        if beyond - self._first > give:
            self.stop = StopReason.LOST

    @property
    def braking_time(self) -> float:
        """In which an arm that stops comes to rest [s]."""
        usual = self.stop in (None, StopReason.NO_IMPACT, StopReason.UNTIMELY)
        return STOPPING if usual else LETTING_GO
