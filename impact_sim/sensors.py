# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Sensor noise, drawn from a seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Noise:
    """Standard deviations of white noise on each sensor."""

    position: float = 0.0  # [rad]
    velocity: float = 0.0  # [rad/s]
    torque: float = 0.0  # [N.m]
    force: float = 0.0  # [N]


# Robust deviation of the high-frequency part of a recording of a real Panda; force is assumed.
PANDA_NOISE = Noise(position=1e-5, velocity=4e-3, torque=0.08, force=0.5)
NO_NOISE = Noise()


class NoisySensors:
    """Adds noise; the same seed gives the same noise."""

    def __init__(self, noise: Noise, seed: int | Sequence[int]) -> None:
        """Create the generator."""
        self._noise = noise
        self._joint_noise = np.array([[noise.position], [noise.velocity], [noise.torque]])
        self._random = np.random.default_rng(seed)

    def joints(
        self, q: np.ndarray, dq: np.ndarray, tau: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return measured positions, velocities and torques, each of shape (n,)."""
        noise = self._random.standard_normal((3, len(q)))
        noise *= self._joint_noise
        position, velocity, torque = noise
        return q + position, dq + velocity, tau + torque

    def forces(self, forces: np.ndarray) -> np.ndarray:
        """Return measured forces, shape (m, 3) [N]."""
        noise = self._random.standard_normal(forces.shape)
        noise *= self._noise.force
        noise += forces
        return noise
