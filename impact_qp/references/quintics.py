# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Piecewise quintics through knots, extended at the velocity of their ends."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from impact_robots.compiling.direct_call import direct
from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import finite_array, positive

_new = tuple.__new__  # half the time of the constructor


class Knot(NamedTuple):
    """State of a motion at one time; arrays of shape (m,)."""

    time: float  # [s]
    position: ArrayLike  # [m]; [rad] of a joint
    velocity: ArrayLike  # [m/s]
    acceleration: ArrayLike  # [m/s^2]


class ReferenceState(NamedTuple):
    """A point of a motion; arrays of shape (m,)."""

    position: np.ndarray  # [m]
    velocity: np.ndarray  # [m/s]
    acceleration: np.ndarray  # [m/s^2]


class Quintics:
    r"""A motion through knots, twice continuously differentiable (van Steen et al., 11 to 13).

    Between two knots T apart :math:`p(\tau) = \sum_{i=0}^{5} c_i \tau^i` in the local time
    :math:`\tau = t - T_{j-1}`, as powers of absolute time lose digits. Before the first knot and
    after the last the motion continues with the velocity there, without acceleration.
    """

    def __init__(self, knots: Sequence[Knot]) -> None:
        """Fit the polynomials.

        Args:
            knots: at least one, their times increasing, their arrays all of shape (m,).

        Raises:
            OutOfRangeError: no knot, times that do not increase, or arrays that do not match.
        """
        if not knots:
            raise OutOfRangeError("knots", "at least one", "none")
        m = (np.size(knots[0].position),)
        self._times = [float(finite_array(knot.time, (), "time")) for knot in knots]
        if any(b <= a for a, b in zip(self._times, self._times[1:], strict=False)):
            raise OutOfRangeError("knots", "times that increase", self._times)
        states = [
            ReferenceState(
                *(finite_array(each, m, f"knot at {knot.time:g} s") for each in knot[1:])
            )
            for knot in knots
        ]
        steps = zip(self._times, self._times[1:], states, states[1:], strict=False)
        self._pieces = [_coefficients(start, end, b - a) for a, b, start, end in steps]
        self._states = states
        self._ends = states[0], states[-1]
        self.size = m[0]

    @property
    def start(self) -> float:
        """Time of the first knot [s]."""
        return self._times[0]

    @property
    def end(self) -> float:
        """Time of the last knot [s]."""
        return self._times[-1]

    def slowed(self, factor: float) -> Quintics:
        """Return the same path at ``factor`` times the speed, starting at time 0.

        Raises:
            OutOfRangeError: the factor is not above 0.
        """
        slow = 1.0 / positive(factor, "factor")
        knots = [
            Knot(slow * t, each.position, factor * each.velocity, factor**2 * each.acceleration)
            for t, each in zip(self._times, self._states, strict=True)
        ]
        return Quintics(knots)

    def knots_before(self, time: float) -> list[Knot]:
        """Return the knots before a time [s]."""
        return [knot for knot in self._knots() if knot.time < time]

    def knots_after(self, time: float) -> list[Knot]:
        """Return the knots after a time [s]."""
        return [knot for knot in self._knots() if knot.time > time]

    def _knots(self) -> list[Knot]:
        return [Knot(t, *each) for t, each in zip(self._times, self._states, strict=True)]

    def __call__(self, time: float) -> ReferenceState:
        """Return the motion at a time [s]."""
        if time < self._times[0]:
            return _glide(self._ends[0], time - self._times[0])
        if time >= self._times[-1]:
            beyond = time - self._times[-1]
            return _glide(self._ends[1], beyond) if beyond else self._ends[1]
        piece = bisect_right(self._times, time) - 1
        return _evaluate(self._pieces[piece], time - self._times[piece])


def _coefficients(start: ReferenceState, end: ReferenceState, T: float) -> np.ndarray:
    """Return c_0 to c_5 of the quintic between two states T [s] apart, shape (6, m)."""
    low = np.array([start.position, start.velocity, start.acceleration / 2])
    free = low[0] + T * (low[1] + T * low[2])  # where the first three terms alone would lead
    dp = (end.position - free) / T**3
    dv = (end.velocity - low[1] - 2 * T * low[2]) / T**2
    da = (end.acceleration - 2 * low[2]) / T
    high = [10 * dp - 4 * dv + da / 2, (-15 * dp + 7 * dv - da) / T, (6 * dp - 3 * dv + da / 2)]
    high[2] = high[2] / T**2
    return np.vstack([low, high])


@cache
def _polynomial() -> Callable[[np.ndarray, float], np.ndarray]:
    from impact_qp.compiled.motion_step import quintic  # loads slowly

    function: Callable[[np.ndarray, float], np.ndarray] = direct(quintic)
    return function


def _evaluate(c: np.ndarray, x: float) -> ReferenceState:
    """Return the polynomial and its derivatives at a local time [s]."""
    found = _polynomial()(c, x)
    return _new(ReferenceState, (found[0], found[1], found[2]))


def _glide(end: ReferenceState, time: float) -> ReferenceState:
    """Return the displacement by the velocity of an end within a time [s]."""
    position = end.position + time * end.velocity
    return ReferenceState(position, end.velocity, np.zeros_like(end.velocity))
