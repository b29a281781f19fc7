# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A foreign controller, whose commands a governor slows down."""

from __future__ import annotations

import numpy as np
from adversary_arm import SimulatedArm

ASKED = 0.5  # speed that it asks for [m/s]
AWAY = 0.6  # of the arm, where it waits for it [rad]


class Foreign:
    """Asks for 0.5 m/s along a winding way; knows no wall, and no limits.

    Attributes:
        gain: by which it asks for more.
        kind: of its trajectories: "stream", "window" or "plan".
    """

    def __init__(self, random: np.random.Generator, direction: np.ndarray) -> None:
        """Begin with a direction, shape (3,)."""
        self._random, self._direction, self.gain = random, direction, 1.0
        self._winding = 0.2 * random.standard_normal((2, 3))
        self._null, self._pace = 0.3 * random.standard_normal(7), random.uniform(0.5, 3.0)
        self.kind = str(random.choice(["stream", "window", "plan"]))
        self.order = int(random.integers(1, 4))  # positions; velocities; accelerations
        self.target: np.ndarray | None = None

    def turn(self, direction: np.ndarray) -> None:
        """Go in another direction, shape (3,), from where the arm is."""
        self._direction, self.target = direction, None

    def twist(self, time: float) -> np.ndarray:
        """Return a twist in base axes, shape (6,)."""
        phase = self._pace * time
        way = self._direction + np.array([np.sin(phase), 1.0 - np.cos(phase)]) @ self._winding
        return self.gain * np.append(ASKED * way / np.linalg.norm(way), np.zeros(3))

    def velocity(self, arm: SimulatedArm, time: float) -> np.ndarray:
        """Return joint velocities, shape (7,)."""
        J = arm.state.J
        inverse = J.T @ np.linalg.inv(J @ J.T + 1e-6 * np.eye(6))
        return inverse @ self.twist(time) + self._null - inverse @ (J @ self._null)

    def position(self, arm: SimulatedArm, time: float, elapsed: float) -> np.ndarray:
        """Return joint positions, shape (7,), a time after the last ones [s]."""
        if self.target is None or np.abs(self.target - arm.q).max() > AWAY:
            self.target = arm.q.copy()
        self.target = self.target + elapsed * self.velocity(arm, time)
        return self.target
