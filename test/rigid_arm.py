# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A rigid arm with its apparent motor inertia, whose velocity an impact changes at one instant."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from impact_robots import Robot

STEPS = 4  # of the integration a cycle


class RigidArm:
    """Integrates (M + B_theta) qddot + h = u, less joint friction."""

    def __init__(self, robot: Robot, q, *, friction=0.0) -> None:
        self.model = robot.model.copy()
        self.model.armature = robot.apparent_motor_inertia.copy()
        self.data = self.model.createData()
        self.q, self.dq, self.friction = np.array(q, dtype=float), np.zeros(robot.dof), friction

    def step(self, torque, period=1e-3):
        """Go on for a cycle with a torque, gravity included."""
        h = period / STEPS
        for _ in range(STEPS):
            drag = self.friction * np.tanh(self.dq / 1e-2)
            ddq = pin.aba(self.model, self.data, self.q, self.dq, torque - drag)
            middle = self.dq + h / 2 * ddq
            drag = self.friction * np.tanh(middle / 1e-2)
            ddq = pin.aba(self.model, self.data, self.q + h / 2 * self.dq, middle, torque - drag)
            self.q, self.dq = self.q + h * middle, self.dq + h * ddq
