# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Hold the orientation of a frame."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from impact_qp.tasks.task import Task
from impact_robots.state import PointState, RobotState


class OrientationTask(Task):
    r"""Residual :math:`\alpha - k_p R\log(R^T R_d)^\vee + k_d\,\omega - \alpha_f`, base axes.

    The sign and the rotation R are the corrected ones (doc/theory.md); :math:`\alpha_f` is what is
    known of friction.
    """

    def __init__(
        self,
        *,
        stiffness: float = 100.0,
        damping: float = 20.0,
        weight: float = 9.0,
        frame: str | None = None,
    ) -> None:
        """Create the task with k_p [1/s^2] and k_d [1/s] for a frame."""
        super().__init__(weight, 3, frame)
        self.stiffness, self.damping = stiffness, damping
        self.reference = np.eye(3)  # R_d, the frame's axes in base axes
        self.feedforward = np.zeros(3)  # alpha_f [rad/s^2]

    def feedback(self, state: RobotState) -> np.ndarray:
        """Return the feedback's part of the acceleration, base axes, shape (3,) [rad/s^2]."""
        return np.array(self._fed_back(state.at(self.frame)))

    def fill(self, state: RobotState, A: np.ndarray, b: np.ndarray) -> None:
        """Write A and b, see :meth:`Task.fill`."""
        point = state.at(self.frame)
        A[:] = point.J[3:]
        x, y, z = self._fed_back(point)
        _, _, _, dx, dy, dz = point.drift.tolist()
        fx, fy, fz = self.feedforward.tolist()
        b[:] = x - dx + fx, y - dy + fy, z - dz + fz

    def _fed_back(self, point: PointState) -> tuple[float, float, float]:
        R, k, d = point.rotation, self.stiffness, self.damping
        x, y, z = R.dot(pin.log3(R.T.dot(self.reference))).tolist()
        _, _, _, wx, wy, wz = point.twist.tolist()
        return k * x - d * wx, k * y - d * wy, k * z - d * wz
