# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Press with a measured force."""

from __future__ import annotations

import numpy as np

from impact_qp.tasks.task import Task
from impact_robots.state.state import RobotState


class AdmittanceTask(Task):
    r"""Residual :math:`J_n\ddot q + \dot J_n\dot q - k_v(v_{ref} - v_n)` along the normal.

    :math:`v_{ref} = (f - f_d)/d`: the contact point yields while the measured force f of the
    surface on the robot is above the target, and follows the surface while it is below, no faster
    than ``speed``. The other directions are left to other tasks.
    """

    def __init__(
        self,
        normal: np.ndarray,
        *,
        damping: float = 2000.0,
        gain: float = 20.0,
        speed: float = 0.02,
        weight: float = 100.0,
        frame: str | None = None,
    ) -> None:
        """Create the task.

        Args:
            normal: of the surface, towards the robot, base axes, unit, shape (3,).
            damping: d [N.s/m].
            gain: k_v [1/s].
            speed: largest reference [m/s].
            weight: of the task.
            frame: that presses; None: the robot's contact frame.
        """
        super().__init__(weight, 1, frame)
        self.normal, self.damping, self.gain = np.array(normal, dtype=float), damping, gain
        self.speed = speed
        self.wanted = 0.0  # target force of the surface on the robot along the normal [N]
        self.measured = 0.0  # the same, measured [N]

    def fill(self, state: RobotState, A: np.ndarray, b: np.ndarray) -> None:
        """Write A and b, see :meth:`Task.fill`."""
        point = state.at(self.frame)
        A[0] = self.normal.dot(point.J[:3])
        excess = (self.measured - self.wanted) / self.damping
        reference = min(max(excess, -self.speed), self.speed)
        drift = float(self.normal.dot(point.drift[:3]))
        b[0] = self.gain * (reference - float(A[0].dot(state.dq))) - drift
