# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Follow the motion of one joint."""

from __future__ import annotations

from math import sqrt

import numpy as np

from impact_qp.tasks.task import Task
from impact_robots.state.state import RobotState


class RedundancyTask(Task):
    r"""Residual :math:`\ddot\xi - \ddot\xi_d - \gamma d(\dot\xi_d - \dot\xi) - k_q(\xi_d - \xi)`.

    Minus the friction feedforward; :math:`d = 2\sqrt{k_q}`; :math:`\xi` is one joint's position,
    which resolves the redundancy of a seven-joint arm beside point and orientation. Acceleration
    of the reference is fed forward, which van Steen et al. (17) leave out: without it a moving
    reference is followed with a lag.
    """

    def __init__(self, *, stiffness: float = 50.0, weight: float = 0.1, joint: int = 0) -> None:
        """Create the task with k_q [1/s^2], critically damped; ``joint`` counts from 0."""
        super().__init__(weight, 1)
        self.stiffness, self.joint = stiffness, joint
        self.fade = 1.0  # gamma, 0 to 1 [-]
        self.position = 0.0  # xi_d [rad]
        self.velocity = 0.0  # [rad/s]
        self.acceleration = 0.0  # [rad/s^2]
        self.feedforward = 0.0  # of friction [rad/s^2]

    def feedback(self, state: RobotState) -> float:
        """Return the feedback's part of the acceleration [rad/s^2]."""
        damping = self.fade * 2.0 * sqrt(self.stiffness)
        return float(
            damping * (self.velocity - state.dq[self.joint])
            + self.stiffness * (self.position - state.q[self.joint])
        )

    def fill(self, state: RobotState, A: np.ndarray, b: np.ndarray) -> None:
        """Write A and b, see :meth:`Task.fill`."""
        A[:] = 0.0
        A[0, self.joint] = 1.0
        b[0] = self.acceleration + self.feedforward + self.feedback(state)
