# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Bring a frame to a pose."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from impact_qp.tasks.task import Task
from impact_robots.state.state import RobotState


class FrameTask(Task):
    r"""Residual :math:`J\ddot q + \dot J\dot q - k_p e + k_d v`, base axes.

    e is the displacement to the reference, linear part first, then the rotation vector (corrected
    sign and axes of doc/theory.md); v the twist of the frame.
    """

    def __init__(
        self,
        *,
        stiffness: float = 100.0,
        damping: float = 20.0,
        weight: float = 100.0,
        frame: str | None = None,
    ) -> None:
        """Create the task with k_p [1/s^2] and k_d [1/s] for a frame."""
        super().__init__(weight, 6, frame)
        self.stiffness, self.damping = stiffness, damping
        self.reference = pin.SE3.Identity()  # pose of the frame in base axes

    def fill(self, state: RobotState, A: np.ndarray, b: np.ndarray) -> None:
        """Write A and b, see :meth:`Task.fill`."""
        point = state.at(self.frame)
        A[:] = point.J
        b[:3] = self.reference.translation - point.position
        R = point.rotation
        b[3:] = R.dot(pin.log3(R.T.dot(self.reference.rotation)))
        b *= self.stiffness
        b -= self.damping * point.twist + point.drift
