# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The path of a trajectory with several points, passed on slower than it was given."""

from __future__ import annotations

from math import factorial

import numpy as np

STALLED = 5.0  # a trajectory is dropped that does not go on for longer [s]
STANDS = 1e-3  # factor below which it does not go on [-]
ARRIVED = 1e-6  # from the last point [rad]


class TimedPath:
    """Joint positions over time, as a joint_trajectory_controller interpolates them.

    Between points: straight; cubic with velocities; quintic with accelerations. To the first point:
    straight from where the arm is sent at first.

    Attributes:
        time: until which it was passed on, on its own clock [s].
    """

    def __init__(
        self, times: np.ndarray, points: np.ndarray, start: np.ndarray, begun: float
    ) -> None:
        """Begin to pass on a path.

        Args:
            times: of the points, increasing, shape (m,) [s].
            points: positions, then velocities, then accelerations, as many as are known, shape
                (m, 1 to 3, n) [rad, rad/s, rad/s^2].
            start: positions before it, shape (n,) [rad].
            begun: time on its clock now [s].
        """
        self._times, self._points, self._start, self._begun = times, points, start, begun
        self._coefficients = _hermite(points.shape[1])
        self.time, self._elapsed, self._stands = begun, 0.0, 0.0

    def ahead(self, elapsed: float) -> np.ndarray:
        """Return the positions after a time [s] at full speed, shape (n,) [rad]."""
        self._elapsed = elapsed
        return self._at(self.time + elapsed)[0]

    @property
    def velocity(self) -> np.ndarray:
        """The velocities at full speed where it is, shape (n,) [rad/s]."""
        return self._at(self.time)[1]

    def advance(self, factor: float) -> None:
        """Note that the last positions asked for were passed on with a factor from 0 to 1."""
        self.time += factor * self._elapsed
        self._stands = self._stands + self._elapsed if factor < STANDS else 0.0

    def ended(self, sent: np.ndarray) -> bool:
        """Return whether it is over, for the positions sent last, shape (n,) [rad]."""
        there = np.abs(sent - self._points[-1, 0]).max() <= ARRIVED
        return bool(self.time >= self._times[-1] and there)

    @property
    def stalled(self) -> bool:
        """Whether it has not gone on for ``STALLED``."""
        return self._stands > STALLED

    def _at(self, time: float) -> tuple[np.ndarray, np.ndarray]:
        """Return positions and velocities, each of shape (n,) [rad, rad/s]."""
        times, k = self._times, int(np.searchsorted(self._times, time, side="right"))
        if k == len(times):
            return self._points[-1, 0], np.zeros_like(self._start)
        if k == 0:
            way = (self._points[0, 0] - self._start) / (times[0] - self._begun)
            return self._start + (time - self._begun) * way, way
        duration = times[k] - times[k - 1]
        fraction, order = (time - times[k - 1]) / duration, self._points.shape[1]
        scale = duration ** np.arange(order)[:, None]
        ends = np.concatenate([scale * self._points[k - 1], scale * self._points[k]])
        powers = fraction ** np.arange(2 * order)
        slopes = np.arange(1, 2 * order) * powers[:-1]
        shape = self._coefficients @ ends
        return powers @ shape, slopes @ shape[1:] / duration


def _hermite(order: int) -> np.ndarray:
    """Return what makes powers of a segment's fraction of its ends, shape (2 order, 2 order).

    Args:
        order: of derivatives at each end: 1 with positions only.
    """
    rows = []
    for end in (0.0, 1.0):
        for k in range(order):
            given = [p >= k and factorial(p) / factorial(p - k) for p in range(2 * order)]
            rows.append([float(each) * end ** max(0, p - k) for p, each in enumerate(given)])
    return np.linalg.inv(np.array(rows))
