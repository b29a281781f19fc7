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
BLOCK = 4096  # numbers that are drawn at once: those that would come one by one, in less time


class NoisySensors:
    """Adds noise; the same seed gives the same noise."""

    def __init__(self, noise: Noise, seed: int | Sequence[int]) -> None:
        """Create the generator."""
        self._noise = noise
        self._joint_noise = np.array([[noise.position], [noise.velocity], [noise.torque]])
        self._random = np.random.default_rng(seed)
        self._drawn, self._next = np.empty(0), 0

    def joints(
        self, q: np.ndarray, dq: np.ndarray, tau: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return measured positions, velocities and torques, each of shape (n,)."""
        noise = self._normal(3 * len(q)).reshape(3, -1) * self._joint_noise
        return q + noise[0], dq + noise[1], tau + noise[2]

    def forces(self, forces: np.ndarray) -> np.ndarray:
        """Return measured forces, shape (m, 3) [N]."""
        noise = self._normal(forces.size).reshape(forces.shape) * self._noise.force
        noise += forces
        return noise

    def _normal(self, count: int) -> np.ndarray:
        """Return the next ``count`` numbers of a standard normal distribution."""
        if self._next + count > len(self._drawn):
            more = self._random.standard_normal(max(BLOCK, count))
            self._drawn, self._next = np.append(self._drawn[self._next :], more), 0
        self._next += count
        return self._drawn[self._next - count : self._next]
