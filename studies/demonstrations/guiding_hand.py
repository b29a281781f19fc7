# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A hand that guides an arm at its contact point: soft, trembling, corrected after a delay."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np
import pinocchio as pin
from scipy.signal import butter, sosfilt

from impact_robots.state.state import PointState

PERIOD = 1e-3  # of the hand's forces [s]
STIFFNESS, DAMPING = 400.0, 80.0  # of the grip [N/m], [N.s/m]
TURN_STIFFNESS, TURN_DAMPING = 100.0, 6.0  # of the grip [N.m/rad], [N.m.s/rad]
DELAY = 0.15  # between what is seen and the correction [s]
CORRECTION = 0.3  # duration of a correcting sub-movement [s]
GAIN = 0.5  # fraction of the seen error that a sub-movement corrects
TREMOR = (8.0, 12.0)  # band of the physiological tremor [Hz]
SHAKE, TWIST = 3e-4, 2e-3  # its standard deviations [m], [rad]
AIM, PACE = 0.04, 0.15  # of length and direction of the movement, of its duration: relative spread
WANDER = 0.008  # of the orientation over a movement [rad]


class Wrench(NamedTuple):
    """Of a hand on the arm at the contact point, base axes."""

    force: np.ndarray  # shape (3,) [N]
    moment: np.ndarray  # shape (3,) [N.m]


class _SubMovement(NamedTuple):
    """A movement of least jerk."""

    start: float  # [s]
    duration: float  # [s]
    way: np.ndarray  # shape (3,) [m]

    def at(self, time: float) -> tuple[np.ndarray, np.ndarray]:
        """Return displacement [m] and velocity [m/s] at a time [s]."""
        s = min(max((time - self.start) / self.duration, 0.0), 1.0)
        speed = 30.0 * s**2 * (1.0 - s) ** 2 / self.duration
        return s**3 * (10.0 - 15.0 * s + 6.0 * s**2) * self.way, speed * self.way


class GuidingHand:
    """Pulls the contact point along a movement that it does not make exactly.

    The movement is of least jerk (Flash and Hogan 1985), with errors of aim and pace. Errors that
    are seen are corrected by further such sub-movements, ``DELAY`` later and in part. The grip is a
    soft spring and damper, and trembles.
    """

    def __init__(
        self, start: PointState, way: np.ndarray, duration: float, begin: float, seed: int
    ) -> None:
        """Plan a movement.

        Args:
            start: of the arm, at rest.
            way: from there to the movement's end, base axes, shape (3,) [m].
            duration: of the movement [s].
            begin: time at which it begins [s].
            seed: of all that is drawn.
        """
        self._draw = draw = np.random.default_rng(seed)
        self._from, self._rotation = start.position.copy(), start.rotation.copy()
        self._wanted = _SubMovement(begin, duration, np.asarray(way, dtype=float))
        length = float(np.linalg.norm(way))
        made = self._wanted.way + length * AIM * draw.standard_normal(3)
        pace = duration * (1.0 + PACE * draw.uniform(-1.0, 1.0))
        self._movements = [_SubMovement(begin, pace, made)]
        self._turn = _SubMovement(begin, pace, WANDER * draw.standard_normal(3))
        self._next = begin + DELAY + draw.uniform(0.0, DELAY)
        self._last = begin + duration + 2.0 * CORRECTION  # no correction from then on
        self._seen: deque[np.ndarray] = deque(maxlen=round(DELAY / PERIOD))
        self._tremor = butter(2, TREMOR, "bandpass", fs=1.0 / PERIOD, output="sos")
        self._state = np.zeros((len(self._tremor), 6, 2))
        self._scale = _deviations() / np.sqrt(2.0 * (TREMOR[1] - TREMOR[0]) * PERIOD)
        self._shaken = np.zeros(6)

    def pull(self, time: float, point: PointState) -> Wrench:
        """Return the wrench of one period.

        Args:
            time: [s].
            point: true state of the arm.
        """
        self._seen.append(self._from + self._wanted.at(time)[0] - point.position)
        if self._next <= time < self._last:
            self._movements.append(_SubMovement(time, CORRECTION, GAIN * self._seen[0]))
            self._next = time + CORRECTION * self._draw.uniform(0.7, 1.3)
        parts = [each.at(time) for each in self._movements]
        place, speed = (sum(each[k] for each in parts) for k in (0, 1))
        shake, shaking = self._trembled()
        away = self._from + place + shake[:3] - point.position
        turned = pin.exp3(self._turn.at(time)[0] + shake[3:]) @ self._rotation
        turn = pin.log3(turned @ point.rotation.T)
        spin = point.J[3:] @ point.dq
        return Wrench(
            STIFFNESS * away + DAMPING * (speed + shaking[:3] - point.velocity),
            TURN_STIFFNESS * turn + TURN_DAMPING * (shaking[3:] - spin),
        )

    def _trembled(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the tremor's displacement [m; rad] and velocity of this period, shape (6,)."""
        white = self._scale * self._draw.standard_normal(6)
        found, self._state = sosfilt(self._tremor, white[:, None], axis=1, zi=self._state)
        before, self._shaken = self._shaken, found[:, 0]
        return self._shaken, (self._shaken - before) / PERIOD


def _deviations() -> np.ndarray:
    """Return the tremor's standard deviations, shape (6,) [m; rad]."""
    return np.repeat([SHAKE, TWIST], 3)
