# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Decides why an arm by reference spreading must stop; a reason stays until the reset."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

from impact_qp.guards.tracking import TrackingWatch, looks_every
from impact_qp.interface import TorqueInterface
from impact_qp.references import ReferenceState
from impact_qp.spreading.guard import SpreadGuard
from impact_qp.spreading.modes import AFTER, Mode, StopReason

if TYPE_CHECKING:
    from impact_robots.state.packed_state import PackedState

STOPPING = 0.3  # braking time of an arm [s]
LETTING_GO = 0.15  # the same of one with no braking distance, object or partner left [s]


class SpreadWatch:
    """Checks one arm in each of its cycles.

    A real object yields as the post-impact reference does and, if arms or object were misplaced,
    until all are in contact. If the object is gone, its force accelerates the arm: this is detected
    by the displacement.
    """

    def __init__(self, guard: SpreadGuard, contact: np.ndarray, period: float) -> None:
        """Watch an arm.

        Args:
            guard: its limits.
            contact: nominal point of the impact, base axes, shape (3,) [m].
            period: of control [s].
        """
        self._guard, self._contact = guard, contact
        self._every = looks_every(period)
        self._tracking = TrackingWatch(TorqueInterface, self._every * period)
        self._into = np.asarray(guard.into, dtype=float)
        self.reset()

    def reset(self) -> None:
        """Start over."""
        self.stop: StopReason | None = None
        self._before = True  # before the impact
        self._tracking.reset(0.0)
        self._cycles, self._elapsed = 0, 0.0  # of the motion, and since its speed was measured [s]
        self._first: float | None = None  # along ``into`` beyond the reference, at the impact [m]

    def halt(self) -> None:
        """Stop the arm on an external request."""
        self.stop = self.stop or StopReason.HALTED

    def hit_again(self) -> None:
        """Stop the arm because of a second impact."""
        self.stop = self.stop or StopReason.AGAIN

    def look(
        self, mode: Mode, impact_time: float | None, point: PackedState, partner_stopped: bool
    ) -> StopReason | None:
        """Return why the arm must stop, before it follows a reference; None: it need not."""
        self._before = impact_time is None
        if self.stop is None:
            if mode is Mode.STOP:
                self.stop = StopReason.NO_IMPACT if impact_time is None else StopReason.UNTIMELY
            elif self._travels_too_far(point):
                self.stop = StopReason.ROOM
            elif partner_stopped:
                self.stop = StopReason.PARTNER
        return self.stop

    def _travels_too_far(self, point: PackedState) -> bool:
        """Tell whether the arm can only just stop within the allowed travel."""
        if self._guard.travel == inf:
            return False
        speed = max(0.0, float(self._into @ point.velocity))
        travel = float(self._into @ (point.position - self._contact)) + speed * LETTING_GO / 2
        return travel > self._guard.travel

    def follow(
        self, mode: Mode, point: PackedState, motion: ReferenceState, elapsed: float
    ) -> None:
        """Check the speed of the arm and the displacement of the object, for the next cycle.

        Args:
            mode: of the cycle.
            point: of the arm, base axes.
            motion: followed reference, of [p; xi].
            elapsed: since the last cycle [s].
        """
        if self.stop is not None:
            return
        self._cycles += 1
        self._elapsed += elapsed
        if self._cycles % self._every == 0 and self._is_too_fast(point, motion):
            self.stop = StopReason.OVERSPEED
        elif mode in AFTER and self._object_is_gone(point.position, motion):
            self.stop = StopReason.LOST

    def _is_too_fast(self, point: PackedState, motion: ReferenceState) -> bool:
        """Tell whether the arm has moved faster than commanded since this was asked last."""
        speed = float(np.linalg.norm(motion.velocity[:3])) if self._before else inf
        commanded = np.array([min(speed, self._guard.cap), 0.0, 0.0])  # in any direction
        elapsed, self._elapsed = self._elapsed, 0.0
        return bool(self._tracking.problem(point.position, commanded, elapsed))

    def _object_is_gone(self, position: np.ndarray, motion: ReferenceState) -> bool:
        """Tell whether the object is gone; ``position`` in base axes, shape (3,) [m]."""
        if self._guard.give == inf:
            return False
        beyond = float(self._into @ (position - motion.position[:3]))
        if self._first is None:
            self._first = beyond
        return beyond - self._first > self._guard.give

    @property
    def braking_time(self) -> float:
        """Braking time of an arm that stops [s]."""
        sudden = (StopReason.ROOM, StopReason.LOST, StopReason.PARTNER)
        return LETTING_GO if self.stop in sudden else STOPPING
