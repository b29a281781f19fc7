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
BLOCK = 16384  # numbers drawn at once: the same as single draws, but faster


class NoisySensors:
    """Draws noise; the same seed gives the same noise."""

    def __init__(self, noise: Noise, seed: int | Sequence[int]) -> None:
        """Create the generator."""
        self._noise = noise
        self._random = np.random.default_rng(seed)
        self._drawn = np.empty(0)  # of a standard normal distribution, from the first row on
        self._rows, self._next = np.empty((0, 0)), 0  # noise of measurements; the next one

    def noise(self, n: int, forces: int) -> np.ndarray:
        """Return the noise of the next measurement, which the caller may overwrite.

        Of positions, velocities and torques of n joints and some numbers of forces, one after the
        other, shape (3 n + forces,).
        """
        if self._next == len(self._rows) or self._rows.shape[1] != 3 * n + forces:
            self._draw(n, forces)
        self._next += 1
        row: np.ndarray = self._rows[self._next - 1]
        return row

    def _draw(self, n: int, forces: int) -> None:
        """Draw the noise of the next measurements of n joints and some numbers of forces."""
        count, of = 3 * n + forces, self._noise
        drawn = self._drawn[self._next * self._rows.shape[1] :]
        if len(drawn) < count:
            drawn = np.append(drawn, self._random.standard_normal(max(BLOCK, count)))
        rows = len(drawn) // count
        each = of.position, of.velocity, of.torque, of.force
        deviations = np.repeat(each, (n, n, n, forces))
        self._rows = drawn[: rows * count].reshape(rows, count) * deviations
        self._drawn, self._next = drawn, 0
