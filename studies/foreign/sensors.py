# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What sensors record of a run: noise, their own clocks, an offset of the force."""

from __future__ import annotations

from collections import deque

import numpy as np

from studies.foreign.disturbances import UNDISTURBED, WAVES, Disturbance

PERIOD = 1e-3  # of the joint sensors and the controller [s]
NOISE = {"q": 1e-5, "dq": 4e-3, "tau": 0.08, "force": 0.5}  # deviations: rad, rad/s, N.m, N
_DUE_WITHIN = 1e-9  # a sample that is due this soon is taken [s]


class Clock:
    """Tells when a periodic sample is due, from a drawn phase on."""

    def __init__(self, period: float, random: np.random.Generator) -> None:
        """Draw the phase of a period [s]."""
        self._period, self._due = period, random.uniform(0.0, PERIOD)

    def __call__(self, time: float) -> bool:
        """Return whether a sample is due at a time [s], and then wait for the next one."""
        if time < self._due - _DUE_WITHIN:
            return False
        self._due += self._period
        return True


class JointSensors:
    """Positions, velocities and torques of n joints with white noise and what disturbs them."""

    def __init__(self, random: np.random.Generator, disturbance: Disturbance = UNDISTURBED) -> None:
        """Take the generator of the noise, and what disturbs the sensors."""
        self._random, self._off = random, disturbance
        self._every = max(1, round(disturbance.recorded_every / PERIOD))
        self._count = 0
        self._torques: deque[np.ndarray] = deque(maxlen=1 + round(disturbance.late / PERIOD))
        self.rows: list[tuple[float, np.ndarray, np.ndarray, np.ndarray]] = []

    def sample(
        self, time: float, q: np.ndarray, dq: np.ndarray, tau: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Keep a sample if it is recorded, and return the measured position and velocity."""
        off, noise = self._off, self._random.standard_normal((3, len(q)))
        self._torques.append(
            off.sensor_gain * tau + off.bias + 0.5 * off.ripple * np.sin(WAVES * q)
        )
        tau = self._torques[0]
        q, dq, tau = (
            value + NOISE[name] * drawn
            for name, value, drawn in zip(("q", "dq", "tau"), (q, dq, tau), noise, strict=True)
        )
        if self._count % self._every == 0:
            self.rows.append((time, q, dq, tau))
        self._count += 1
        return q, dq


class ForceSensor:
    """Force on the arm with white noise and an offset."""

    def __init__(
        self, rate: int, offset: np.ndarray, random: np.random.Generator, late: float = 0.0
    ) -> None:
        """Set up; a rate of 0 Hz never samples; stamps are ``late`` [s]."""
        self._random, self._offset, self._late = random, offset, late
        self._clock = Clock(1.0 / rate if rate else np.inf, random)
        self._absent = rate == 0
        self.rows: list[tuple[float, np.ndarray]] = []

    def look(self, time: float, force: np.ndarray) -> None:
        """Keep a sample of the force, base axes, shape (3,) [N], if one is due."""
        if not self._absent and self._clock(time):
            noise = NOISE["force"] * self._random.standard_normal(3)
            self.rows.append((time + self._late, force + self._offset + noise))
