# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The free flight of a toss: when it ends, how gravity and the plane lean, and the state in it.

Positions and orientations are fitted, not differentiated: the centre of mass moves on a parabola,
the body turns at a constant angular velocity in the world. That holds for a few tenths of a second
and nearly equal moments of inertia.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from impact_analysis.tosses.convex_body import ConvexBody
from impact_analysis.tosses.toss_impacts import Toss

LINEAR, ANGULAR = 6.0, 0.5  # departure from free flight [m/s^2], [rad/s per frame]
NEAR = 0.012  # height of the lowest corner below which a departure is a contact [m]
FEWEST = 8  # free frames from which a tilt of gravity can be had


class Line(NamedTuple):
    """Free motion about a time 0: the centre of mass at r + v t + g t^2/2, turning at w."""

    position: np.ndarray  # of the centre of mass, shape (3,) [m]
    velocity: np.ndarray  # of it, shape (3,) [m/s]
    rotation: np.ndarray  # body to world axes, shape (3, 3)
    angular: np.ndarray  # angular velocity in the world, shape (3,) [rad/s]
    gravity: np.ndarray  # shape (3,) [m/s^2]

    def at(self, t: float) -> Line:
        """Return the same motion about another time."""
        return Line(
            self.position + self.velocity * t + self.gravity * t * t / 2,
            self.velocity + self.gravity * t,
            turned(self.angular * t) @ self.rotation,
            self.angular,
            self.gravity,
        )


def turned(vector: np.ndarray) -> np.ndarray:
    """Return the rotation by a vector, shape (3, 3)."""
    from scipy.spatial.transform import Rotation  # loads slowly

    return np.asarray(Rotation.from_rotvec(vector).as_matrix())


def turn_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the rotation vectors from orientations b to a, in the world, shape (..., 3)."""
    from scipy.spatial.transform import Rotation  # loads slowly

    return np.asarray(Rotation.from_matrix(a @ np.swapaxes(b, -1, -2)).as_rotvec())


class Flight:
    """A toss of a body whose centre of mass is known."""

    def __init__(self, toss: Toss, body: ConvexBody, centre: np.ndarray) -> None:
        """Take the toss.

        Args:
            toss: at least as long as its file must be.
            body: that was tossed.
            centre: of its mass from the tracked origin, shape (3,) [m].
        """
        self.toss, self.body, self.centre = toss, body, centre
        self.centres = toss.position + toss.rotation @ centre

    @cached_property
    def in_contact(self) -> np.ndarray:
        """Which frames depart from free flight near the plane, shape (k,)."""
        rate, free = self.body.rate, np.array([0.0, 0.0, -self.body.gravity])
        acceleration = np.diff(self.centres, 2, axis=0) * rate**2
        turns = turn_between(self.toss.rotation[1:], self.toss.rotation[:-1]) * rate
        away = np.linalg.norm(acceleration - free, axis=1) > LINEAR
        away |= np.linalg.norm(np.diff(turns, axis=0), axis=1) > ANGULAR
        corners = self.body.length_scale * self.body.corners
        low = self.toss.position[:, 2] + (self.toss.rotation[:, 2] @ corners.T).min(axis=1)
        found = np.zeros(len(low), dtype=bool)
        found[1:-1] = away & (low[1:-1] < NEAR)
        return found

    @property
    def touch(self) -> int:
        """First frame in contact; the number of frames if there is none."""
        return int(np.argmax(self.in_contact)) if self.in_contact.any() else len(self.centres)

    @cached_property
    def gravity(self) -> np.ndarray:
        """Gravity, tilted as this toss's own flight says, shape (3,) [m/s^2]."""
        level, n = np.array([0.0, 0.0, -self.body.gravity]), self.touch
        if self.body.normal_per_gravity is None or n < FEWEST:
            return level
        t = np.arange(n) / self.body.rate
        basis = np.stack([np.ones(n), t, t * t / 2], axis=1)
        found = np.linalg.lstsq(basis, self.centres[:n], rcond=None)[0][2]
        return np.array([found[0], found[1], level[2]])

    @property
    def axes(self) -> np.ndarray:
        """Contact axes as rows, the plane's normal the last, in the world, shape (3, 3)."""
        normal = np.array([0.0, 0.0, 1.0])
        if self.body.normal_per_gravity is not None:
            tilt = complex(*self.body.normal_per_gravity) * complex(*self.gravity[:2])
            normal = np.array([tilt.real, tilt.imag, np.sqrt(1.0 - abs(tilt) ** 2)])
        x = np.cross([0.0, 1.0, 0.0], normal)
        x /= np.linalg.norm(x)
        return np.array([x, np.cross(normal, x), normal])

    def line(self, first: int, end: int, gravity: np.ndarray, at: float) -> Line:
        """Return the motion through frames ``first`` to ``end`` - 1, about frame ``at``."""
        t = (np.arange(first, end) - at) / self.body.rate
        basis = np.stack([np.ones(len(t)), t], axis=1)
        straight = self.centres[first:end] - gravity * t[:, None] ** 2 / 2
        position, velocity = np.linalg.lstsq(basis, straight, rcond=None)[0]
        middle = self.toss.rotation[(first + end) // 2]
        turns = turn_between(self.toss.rotation[first:end], middle)
        start, angular = np.linalg.lstsq(basis, turns, rcond=None)[0]
        return Line(position, velocity, turned(start) @ middle, angular, gravity)
