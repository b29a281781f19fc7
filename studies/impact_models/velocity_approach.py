# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The experiment of Wang 2022: a velocity-controlled arm moves straight into a wall."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from impact_robots import ArmDynamics, Robot

PERIOD = 1e-3  # of the command [s]
RAMP_TIME = 0.1  # from rest to the approach speed [s]


class VelocityApproach:
    """Joint velocities at 1 kHz that move the tool along a line without turning it."""

    def __init__(self, robot: Robot, q: np.ndarray, velocity: np.ndarray) -> None:
        """Start at rest.

        Args:
            robot: the arm.
            q: where the line begins, shape (n,) [rad].
            velocity: of the contact point after the ramp, base axes, shape (3,) [m/s].
        """
        self._dynamics = ArmDynamics(robot)
        self._model, self._data = robot.model, robot.model.createData()
        self._twist = np.concatenate([velocity, np.zeros(3)])
        self._q, self._dq = np.array(q, dtype=float), np.zeros(robot.dof)
        self._time = 0.0

    def step(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the next joint velocities (n,) [rad/s] and the torque (n,) [N.m] they need.

        The torque is that of the rigid links, M qddot + h: the detector's reference.
        """
        self._q = self._q + self._dq * PERIOD
        self._time += PERIOD
        x = min(1.0, self._time / RAMP_TIME)
        state = self._dynamics(self._q, self._dq)
        dq = np.linalg.pinv(state.J) @ ((3.0 * x**2 - 2.0 * x**3) * self._twist)
        ddq, self._dq = (dq - self._dq) / PERIOD, dq
        return dq, pin.rnea(self._model, self._data, self._q, dq, ddq)
