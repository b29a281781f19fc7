# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Velocity fields of one arm before and after an impact, in place of references in time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from impact_qp.references.quintics import ReferenceState
from impact_qp.references.spread import TASK, SpreadReference
from impact_qp.references.velocity_field import VelocityField
from impact_robots.state.state import PointState

WAITING = 0.3  # most of the velocity feedback until all arms have hit [-]
DOUBT = 0.02  # lag behind the field, where a surface is expected, that may be a contact's [m/s]
PATIENCE = 1.5  # longest time up to the impact over the nominal one [-]
_STANDS = 3e-5  # approach speed that is none [m/s]


class FieldMotion:
    """Two fields, and what stands for the time of a motion.

    Before the impact that is the place: the nominal time at the contact, less where the arm is
    still to go, at the speed of the impact. After it time goes on as the clock does.
    """

    def __init__(
        self, reference: SpreadReference, stiffness: np.ndarray, *, interim: float, window: float
    ) -> None:
        """Make the fields of references.

        Args:
            reference: whose motions the fields have on their paths.
            stiffness: k of a critically damped feedback of [p; xi], which leads back alike,
                shape (4,) [1/s^2].
            interim: over which velocity feedback is faded in [s].
            window: by how much the impact may be earlier or later, at that speed [s].
        """
        leading = 0.5 * np.sqrt(stiffness)  # k/(2 sqrt(k))
        self._ante = VelocityField(reference.ante, leading, begins=True)
        self._post = VelocityField(reference.post, leading, begins=False)
        self._nominal, self._interim, self._window = reference.nominal_time, interim, window
        self._latest = PATIENCE * self._nominal + window
        approach = reference.jump[0][:3]
        speed = max(float(np.linalg.norm(approach)), _STANDS)
        self._into, self._slowness = approach / speed, approach / speed**2
        self._contact = reference.ante(self._nominal).position[:3]
        self.reset()

    def reset(self) -> None:
        """Restart."""
        self.impact_at: float | None = None  # time of the motion at the impact [s]
        self._over_at: float | None = None  # time at which the motion after the impact was [s]
        self._pressing = np.zeros(TASK)  # velocity of [p; xi] that the force on the object is of
        self._place: np.ndarray | None = None  # [p; xi] of the last cycle
        self._along = np.zeros(3)  # where a point is that goes with the field [m]

    def hear(self, time: float, point: PointState) -> None:
        """Take the place of the arm's impact, at a time of the clock [s]."""
        self.impact_at = self._place_time(time, point)

    def time(self, time: float, point: PointState, hits: Sequence[float | None]) -> float:
        """Return the time of the motion at a time of the clock [s].

        Args:
            time: of the clock [s].
            point: the arm's.
            hits: when impacts were detected, of this arm, then its partners; None: not yet [s].
        """
        own = hits[0]
        if self.impact_at is None or own is None:
            return self._place_time(time, point)
        last = max(time if each is None else each for each in hits)
        waited = min(last - own, WAITING * self._interim)
        return self.impact_at + waited + max(0.0, time - last)

    def _place_time(self, time: float, point: PointState) -> float:
        """Return the time of a place; a field that leads nowhere for too long is over."""
        if time > self._latest:
            return time
        return self._nominal + float(self._slowness @ (point.position - self._contact))

    def __call__(self, point: PointState, *, after: bool) -> ReferenceState:
        """Return the field of [p; xi] where the arm is, before or after the impact."""
        self._place = np.append(point.position, point.q[0])
        if after and self._over_at is not None:
            return self._post.held(self._place)
        return (self._post if after else self._ante)(self._place, point.velocity)

    def gamma(self, motion: ReferenceState, point: PointState, now: float) -> float:
        """Return the fraction of the velocity feedback before the impact.

        A contact slows the arm some cycles before it is detected, so where the impact is expected
        the feedback does not grow with a lag of more than ``DOUBT``.

        Args:
            motion: the field where the arm is.
            point: the arm's.
            now: time of the motion [s].
        """
        lag = float(self._into @ (motion.velocity[:3] - point.velocity))
        expected = abs(now - self._nominal) <= self._window
        return DOUBT / lag if expected and lag > DOUBT else 1.0

    def pressed(self, motion: ReferenceState, point: PointState, now: float) -> ReferenceState:
        """Return the motion that the force on the object is of, after the impact.

        Without the way back to the path. It comes to rest for good where the motion is over: a
        force that returned when the object pushes the arm back would clamp the arm by friction.

        Args:
            motion: the field where the arm is.
            point: the arm's.
            now: time of the motion [s].
        """
        if self._over_at is None:
            self._pressing, ends = self._post.along(point.position)
            if ends:
                self._over_at = now
        rest = 0.0 if self._over_at is None else (now - self._over_at) / self._interim
        return motion._replace(velocity=max(0.0, 1.0 - rest) * self._pressing)

    def watched(self, point: PointState, elapsed: float, *, all_hit: bool) -> np.ndarray:
        """Return where a point is that goes along with the field since the impact, (3,) [m].

        Args:
            point: the arm's.
            elapsed: since the last cycle [s].
            all_hit: all arms have hit; until then it is the arm's own.
        """
        if all_hit:
            self._along = self._along + elapsed * self._post.along(point.position)[0][:3]
        else:
            self._along = point.position
        return self._along

    def velocities(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Return those of the contact point by both fields, (3,) each [m/s]; None: no cycle yet."""
        if self._place is None:
            return None
        fields, still = (self._ante, self._post), np.zeros(3)
        before, after = (each(self._place, still).velocity[:3] for each in fields)
        return before, after
