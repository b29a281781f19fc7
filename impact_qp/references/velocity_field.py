# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""Desired velocity as a function of the pose alone, made of a planned motion.

On the path of the motion it is the motion's velocity there; beside it the pose is led back:

.. math:: v_{ref}(x) = \dot p(t^*) + \mathrm{sat}(\kappa\,(p(t^*) - x)), \qquad
    d^T p(t^*) = d^T x

no faster than the motion is anywhere, with d the direction of the motion and t* its time at the
plane across d through x. Before the first knot and after the last the motion goes on, so the field
does as well: that before an impact past the surface, that after it in front of the surface (van
Steen and others, arXiv 2411.09870, use fields of their own; this one is made of the same references
as the time-based modes).
"""

from __future__ import annotations

import numpy as np

from impact_qp.references.quintics import Quintics, ReferenceState

SLOWEST = 0.02  # along a motion that starts from rest, or it would not begin [m/s]
STANDS = 0.005  # slower than that a motion is at its end [m/s]
LEADS = np.array([0.05, 0.05, 0.05, 0.2])  # fastest way back to the path [m/s; rad/s]
_STEP = 1e-3  # between tabulated times [s]
_STILL = 1e-6  # path that is shorter than this has no direction [m]


class VelocityField:
    """The velocity field of a motion of [p; xi], shape (4,)."""

    def __init__(self, motion: Quintics, leading: np.ndarray, *, begins: bool) -> None:
        """Tabulate the motion along its direction.

        Args:
            motion: along which the contact point never goes back.
            leading: kappa of [p; xi], shape (4,) [1/s].
            begins: the motion begins at rest, where the field still has ``SLOWEST``.
        """
        self._motion, self._leading = motion, leading
        self._slowest = SLOWEST if begins else 0.0
        times = np.arange(motion.start, motion.end + _STEP, _STEP)
        states = [motion(float(t)) for t in times]
        points = np.array([each.position[:3] for each in states])
        way = points[-1] - points[0]
        length = float(np.linalg.norm(way))
        self._into = way / length if length > _STILL else np.zeros(3)
        self._times = times
        speeds = np.linalg.norm([each.velocity[:3] for each in states], axis=1)
        moves = np.flatnonzero(speeds >= STANDS)
        self._stops = float(times[moves[-1] if len(moves) else 0])  # slower from then on [s]
        self._fastest = max(SLOWEST, float(speeds.max()))
        self._progress = np.maximum.accumulate(points @ self._into)

    def time(self, position: np.ndarray) -> float:
        """Return t* of a position of the contact point, shape (3,) [s].

        Outside of the motion as long as it would take at the velocity of that end.
        """
        along, table = float(self._into @ position), self._progress
        for end, outside in ((0, along < table[0]), (-1, along > table[-1])):
            if outside:
                time = float(self._times[end])
                speed = float(self._into @ self._motion(time).velocity[:3])
                return time + (along - table[end]) / speed if speed > self._slowest else time
        return float(np.interp(along, table, self._times))

    def along(self, position: np.ndarray) -> tuple[np.ndarray, bool]:
        """Return the motion's velocity of [p; xi] at a place (3,), and whether it ends there.

        The velocity is without the way back; a motion ends where it stands still from then on.
        """
        time = self.time(position)
        velocity = self._motion(time).velocity
        return velocity, time >= self._stops and float(np.linalg.norm(velocity[:3])) < STANDS

    def __call__(self, x: np.ndarray, moving: np.ndarray) -> ReferenceState:
        """Return the field where an arm is, and how it changes as the arm moves.

        Args:
            x: pose [p; xi], shape (4,), which is the reference position, too.
            moving: velocity of the contact point, shape (3,) [m/s]. The motion's acceleration
                counts as far as the arm goes along with it: one that stands is not braked.
        """
        time = self.time(x[:3])
        place, velocity, acceleration = self._motion(time)
        speed = float(self._into @ velocity[:3])
        acceleration = acceleration * _share(float(self._into @ moving), speed)
        if speed < self._slowest and time < self._times[-1]:
            velocity = velocity + np.append((self._slowest - speed) * self._into, 0.0)
            acceleration = np.zeros_like(acceleration)
        velocity = velocity + self._back(place - x)
        speed = float(np.linalg.norm(velocity[:3]))
        if speed > self._fastest:
            velocity[:3] *= self._fastest / speed
        return ReferenceState(np.array(x), velocity, acceleration)

    def held(self, x: np.ndarray) -> ReferenceState:
        """Return the field at a pose (4,) of an arm that is led to where the motion ends.

        On its way there an arm at rest would be held back by the motion's deceleration.
        """
        end = self._motion(float(self._times[-1])).position
        return ReferenceState(np.array(x), self._back(end - x), np.zeros_like(x))

    def _back(self, offset: np.ndarray) -> np.ndarray:
        """Return the velocity of the way back over an offset of [p; xi], (4,)."""
        return np.clip(self._leading * offset, -LEADS, LEADS)


def _share(part: float, whole: float) -> float:
    """Return part over whole, within 0 and 1."""
    return min(1.0, max(0.0, part) / whole) if whole > 0.0 else 0.0
