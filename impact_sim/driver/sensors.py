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
BLOCK = 4096  # numbers drawn at once: the same as single draws, but faster


class NoisySensors:
    """Adds noise; the same seed gives the same noise."""

    def __init__(self, noise: Noise, seed: int | Sequence[int]) -> None:
        """Create the generator."""
        self._noise = noise
        self._deviations = np.empty(0)  # of all numbers of a measurement
        self._random = np.random.default_rng(seed)
        self._drawn, self._next = np.empty(0), 0

    def measured(
        self, q: np.ndarray, dq: np.ndarray, tau: np.ndarray, forces: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return positions, velocities and torques, (n,), and forces, (m, 3), with noise."""
        n = len(q)
        count = 3 * n + forces.size
        if len(self._deviations) != count:
            of = self._noise
            each = of.position, of.velocity, of.torque, of.force
            self._deviations = np.repeat(each, (n, n, n, forces.size))
        readings = np.concatenate((q, dq, tau, forces.ravel()))
        readings += self._normal(count) * self._deviations
        force = readings[3 * n :].reshape(forces.shape)
        return readings[:n], readings[n : 2 * n], readings[2 * n : 3 * n], force

    def _normal(self, count: int) -> np.ndarray:
        """Return the next ``count`` numbers of a standard normal distribution."""
        if self._next + count > len(self._drawn):
            more = self._random.standard_normal(max(BLOCK, count))
            self._drawn, self._next = np.append(self._drawn[self._next :], more), 0
        self._next += count
        return self._drawn[self._next - count : self._next]
