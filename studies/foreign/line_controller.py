# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A controller that follows a line in joint space by a model that is wrong, and then lets go."""

from __future__ import annotations

import numpy as np

from impact_robots import ArmDynamics, Robot
from studies.foreign.setups import RAMP, REST, RUN_UP, STEADY, ForeignSetup, HitMotion

DUE = REST + RAMP + STEADY  # time of the touch that is aimed at [s]
RELEASE_AFTER = 2e-3  # after the touch the controller stops driving [s]
DAMPING = 0.7  # of critical


class LineController:
    """Computed torque or joint impedance; after the touch gravity compensation alone."""

    def __init__(self, thought: Robot, setup: ForeignSetup, motion: HitMotion) -> None:
        """Set up.

        Args:
            thought: the arm as the controller knows it.
            setup: of which the controller's kind and gain are used.
            motion: where to go through, and how fast.
        """
        self._dynamics, self._setup, self._motion = ArmDynamics(thought), setup, motion

    def reference(self, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return position, velocity and acceleration, each of shape (n,), at a time [s]."""
        x = float(np.clip((time - REST) / RAMP, 0.0, 1.0))
        speed = 0.5 * (1.0 - np.cos(np.pi * x))
        gone = 0.5 * RAMP * (x - np.sin(np.pi * x) / np.pi) + max(0.0, time - REST - RAMP)
        change = 0.5 * np.pi / RAMP * np.sin(np.pi * x)
        dq = self._motion.dq
        return self._motion.q + (gone - RUN_UP) * dq, speed * dq, change * dq

    def torque(self, time: float, q: np.ndarray, dq: np.ndarray, since_touch: float) -> np.ndarray:
        """Return motor torques, gravity included, shape (n,) [N.m].

        Args:
            time: since the start [s].
            q: measured positions, shape (n,) [rad].
            dq: measured velocities, shape (n,) [rad/s].
            since_touch: time since the first touch, negative before it [s].
        """
        state = self._dynamics(q, dq)
        if since_touch > RELEASE_AFTER:
            return state.g
        wanted, velocity, acceleration = self.reference(time)
        gain = self._setup.stiffness
        pull = gain * (wanted - q) + 2.0 * DAMPING * np.sqrt(gain) * (velocity - dq)
        if self._setup.computed_torque:
            return np.asarray(state.M @ (acceleration + pull) + state.h)
        return np.asarray(np.diagonal(state.M) * pull + state.g)
