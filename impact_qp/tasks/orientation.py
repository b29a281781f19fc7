# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Hold the orientation of the tool."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from impact_qp.tasks.task import Task
from impact_robots.dynamics import ArmState


class OrientationTask(Task):
    r"""Residual :math:`\alpha - k_p R\log(R^T R_d)^\vee + k_d\,\omega`, base axes.

    The sign and the rotation R are the corrected ones (specification, section 12).
    """

    def __init__(
        self, *, stiffness: float = 100.0, damping: float = 20.0, weight: float = 9.0
    ) -> None:
        """Create the task with k_p [1/s^2] and k_d [1/s]."""
        super().__init__(weight, 3)
        self.stiffness, self.damping = stiffness, damping
        self.reference = np.eye(3)  # R_d, tool axes in base axes

    def fill(self, state: ArmState, A: np.ndarray, b: np.ndarray) -> None:
        """Write A and b, see :meth:`Task.fill`."""
        A[:] = state.J[3:]
        R, k, d = state.rotation, self.stiffness, self.damping
        x, y, z = R.dot(pin.log3(R.T.dot(self.reference))).tolist()
        _, _, _, wx, wy, wz = state.twist.tolist()
        _, _, _, dx, dy, dz = state.dJ_dq.tolist()
        b[:] = k * x - d * wx - dx, k * y - d * wy - dy, k * z - d * wz - dz
