# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Follow the motion of a point."""

from __future__ import annotations

from math import sqrt

import numpy as np

from impact_qp.tasks.task import Task
from impact_robots.state.state import RobotState


class TrackingTask(Task):
    r"""Residual :math:`\ddot p - \ddot p_d - \gamma d(\dot p_d - \dot p) - k_p(p_d - p) - a_f`.

    :math:`\ddot p = J_p\ddot q + \dot J_p\dot q`, base axes; :math:`d = 2\sqrt{k_p}`;
    :math:`\gamma` fades the velocity feedback in after an impact, because it would amplify the
    vibration; a_f is the friction feedforward (van Steen et al., 15, 23).
    """

    def __init__(
        self, *, stiffness: float = 150.0, weight: float = 1.0, frame: str | None = None
    ) -> None:
        """Create the task with k_p [1/s^2], critically damped, for a frame."""
        super().__init__(weight, 3, frame)
        self.stiffness = stiffness
        self.fade = 1.0  # gamma, 0 to 1 [-]
        self.position = np.zeros(3)  # p_d [m]
        self.velocity = np.zeros(3)  # its rate [m/s]
        self.acceleration = np.zeros(3)  # and that one's [m/s^2]
        self.feedforward = np.zeros(3)  # a_f [m/s^2]

    def feedback(self, state: RobotState) -> np.ndarray:
        """Return the feedback's part of the acceleration, base axes, shape (3,) [m/s^2]."""
        point = state.at(self.frame)
        damping = self.fade * 2.0 * sqrt(self.stiffness)
        return damping * (self.velocity - point.twist[:3]) + self.stiffness * (
            self.position - point.position
        )

    def fill(self, state: RobotState, A: np.ndarray, b: np.ndarray) -> None:
        """Write A and b, see :meth:`Task.fill`."""
        point = state.at(self.frame)
        A[:] = point.J[:3]
        b[:] = self.acceleration + self.feedforward + self.feedback(state) - point.drift[:3]
