# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""Routh's path: how friction and slip develop while the normal impulse grows, in a plane.

With the normal impulse p as the clock, Coulomb's friction makes slip and normal velocity piecewise
linear in p. There are at most two pieces: friction opposes the first slip until it ends; then the
contact sticks if |G_tn/G_tt| <= mu, or slips in the opposite direction. Sources: Routh, Dynamics of
a System of Rigid Bodies (1905), art. 180-; Stronge, Impact Mechanics (2000), chapter 5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class RouthPath:
    """Normal velocity and tangential impulse over the normal impulse p; arrays of one shape."""

    approach: np.ndarray  # normal velocity at p = 0, negative [m/s]
    turn: np.ndarray  # p at which the first slip ends, inf if it does not [N.s]
    friction: tuple[np.ndarray, np.ndarray]  # dP_t/dp before and after the turn [-]
    slope: tuple[np.ndarray, np.ndarray]  # dv_n/dp before and after the turn [1/kg]
    compression: np.ndarray  # p at which the normal velocity is zero [N.s]

    def tangential(self, p: np.ndarray) -> np.ndarray:
        """Return the tangential impulse at p [N.s]."""
        first, second = self._parts(p)
        return self.friction[0] * first + self.friction[1] * second

    def normal_velocity(self, p: np.ndarray) -> np.ndarray:
        """Return the normal velocity at p [m/s]."""
        first, second = self._parts(p)
        return self.approach + self.slope[0] * first + self.slope[1] * second

    def normal_work(self, p: np.ndarray) -> np.ndarray:
        """Return the integral of the normal velocity from 0 to p: the work of n on the body [J]."""
        first, second = self._parts(p)
        at_turn = self.approach + self.slope[0] * first
        return (
            first * (self.approach + at_turn) / 2 + second * at_turn + self.slope[1] * second**2 / 2
        )

    def _parts(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return how much of p is before the turn and how much after it."""
        return np.minimum(p, self.turn), np.maximum(p - self.turn, 0.0)


def routh_path(
    a: np.ndarray, b: np.ndarray, g: np.ndarray, v_t: np.ndarray, v_n: np.ndarray, mu: np.ndarray
) -> RouthPath:
    """Return the path of impacts; arguments broadcast.

    Args:
        a: G_tt [1/kg].
        b: G_tn [1/kg].
        g: G_nn [1/kg]; a g > b^2.
        v_t: slip before [m/s].
        v_n: normal velocity before, negative [m/s].
        mu: friction coefficient [-].
    """
    first = -mu * np.sign(v_t)
    slip_slope = a * first + b
    turn = np.where(v_t * slip_slope < 0.0, -v_t / slip_slope, np.inf)
    turn = np.where(v_t == 0.0, 0.0, turn)
    second = np.clip(-b / a, -mu, mu)  # sticks, or slips in the opposite direction
    slopes = (g + b * first, g + b * second)
    at_turn = v_n + slopes[0] * np.where(np.isfinite(turn), turn, 0.0)
    late = np.isfinite(turn) & (at_turn < 0.0)
    compression = np.where(late, turn - at_turn / slopes[1], -v_n / slopes[0])
    return RouthPath(v_n, turn, (first, second), slopes, compression)


def poisson_end(path: RouthPath, e: np.ndarray) -> np.ndarray:
    """Return p at the end by Poisson's hypothesis: (1 + e) times that of compression [N.s]."""
    return (1 + e) * path.compression


def energetic_end(path: RouthPath, e: np.ndarray) -> np.ndarray:
    """Return p at the end by Stronge's hypothesis [N.s].

    The normal work of restitution is e^2 of that of compression, so the integral of v_n from the
    end of compression on is E = e^2 |W_c|: a quadratic in each piece of the path.
    """
    wanted = -(e**2) * path.normal_work(path.compression)
    late = path.compression >= path.turn
    alone = path.compression + np.sqrt(
        2 * wanted / np.where(late, path.slope[1], np.maximum(path.slope[0], 1e-300))
    )
    turn = np.where(np.isfinite(path.turn), path.turn, path.compression)
    speed = path.normal_velocity(turn)  # of rebound, when the slip ends during restitution
    rest = np.maximum(wanted - speed * (turn - path.compression) / 2, 0.0)
    k = path.slope[1]
    across = turn + (np.sqrt(speed**2 + 2 * k * rest) - speed) / k
    return np.where(~late & (alone > path.turn), across, alone)
