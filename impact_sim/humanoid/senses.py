# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Sensor readings of a humanoid: with delay, and noise drawn from a seed."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pinocchio as pin


@dataclass(frozen=True)
class HumanoidNoise:
    """Standard deviations of white noise; all are assumed."""

    joint_position: float = 1e-5  # [rad]
    joint_velocity: float = 4e-3  # [rad/s]
    base_position: float = 2e-4  # of an estimator [m]
    base_turn: float = 2e-4  # [rad]
    base_velocity: float = 2e-3  # [m/s]
    base_rate: float = 2e-3  # [rad/s]
    force: float = 0.5  # of a palm, each axis [N]


QUIET = HumanoidNoise(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class HumanoidMeasurement(NamedTuple):
    """Sensor readings at the beginning of a controller's cycle."""

    time: float  # of the cycle, not of the measurement [s]
    q: np.ndarray  # shape (7 + n,), see HumanoidPlant
    v: np.ndarray  # shape (6 + n,)
    palm_forces: np.ndarray  # world axes, shape (palms, 3) [N]


class HumanoidSenses:
    """Adds noise and delay; the same seed gives the same noise."""

    def __init__(
        self, model: pin.Model, noise: HumanoidNoise, late: int, seed: int | Sequence[int]
    ) -> None:
        """Prepare.

        Args:
            model: of the robot.
            noise: of its sensors.
            late: delay of all of them, in whole cycles.
            seed: of the noise.
        """
        self._model, self._noise = model, noise
        self._random = np.random.default_rng(seed)
        self._past: deque[HumanoidMeasurement] = deque(maxlen=late + 1)

    def __call__(self, true: HumanoidMeasurement) -> HumanoidMeasurement:
        """Return the readings when ``true`` has been sensed: the first one is not delayed."""
        self._past.append(self._noisy(true))
        return self._past[0]

    def _noisy(self, true: HumanoidMeasurement) -> HumanoidMeasurement:
        noise, n = self._noise, len(true.v) - 6
        place = np.repeat([noise.base_position, noise.base_turn, noise.joint_position], [3, 3, n])
        rate = np.repeat([noise.base_velocity, noise.base_rate, noise.joint_velocity], [3, 3, n])
        draw = self._random.standard_normal((2, 6 + n))
        q = pin.integrate(self._model, true.q, place * draw[0])
        force = noise.force * self._random.standard_normal(true.palm_forces.shape)
        return true._replace(q=q, v=true.v + rate * draw[1], palm_forces=true.palm_forces + force)
