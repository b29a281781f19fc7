# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Tasks of a palm: its velocity along one axis, its place across that axis."""

from __future__ import annotations

import numpy as np

from impact_qp.tasks import Task
from impact_robots import RobotState, contact_rotation


class AxialVelocityTask(Task):
    r"""Residual :math:`n^T(J\ddot q + \dot J\dot q) - k_v(n^T v_{ref} - n^T v)`, world axes."""

    def __init__(self, frame: str, *, gain: float = 15.0, weight: float = 300.0) -> None:
        """Create the task with k_v [1/s] for a frame."""
        super().__init__(weight, 1, frame)
        self.gain = gain
        self.axis = np.array([0.0, 0.0, 1.0])  # n, unit
        self.velocity = np.zeros(3)  # v_ref [m/s]

    def fill(self, state: RobotState, A: np.ndarray, b: np.ndarray) -> None:
        """Write A and b, see :meth:`~impact_qp.tasks.task.Task.fill`."""
        point = state.at(self.frame)
        A[0] = self.axis @ point.J[:3]
        missing = self.gain * (self.velocity - point.velocity) - point.drift[:3]
        b[0] = self.axis @ missing


class AcrossPositionTask(Task):
    r"""Residual :math:`T^T(J\ddot q + \dot J\dot q - k_p(p_d - p) - k_d(v_{ref} - v))`.

    T are two axes across n: where a palm is in the plane of the face that it comes to.
    """

    def __init__(
        self, frame: str, *, stiffness: float = 60.0, damping: float = 15.0, weight: float = 100.0
    ) -> None:
        """Create the task with k_p [1/s^2] and k_d [1/s] for a frame."""
        super().__init__(weight, 2, frame)
        self.stiffness, self.damping = stiffness, damping
        self.axis = np.array([0.0, 0.0, 1.0])
        self.position = np.zeros(3)  # p_d [m]
        self.velocity = np.zeros(3)  # v_ref [m/s]

    @property
    def axis(self) -> np.ndarray:
        """n, unit, shape (3,)."""
        return self._axis

    @axis.setter
    def axis(self, axis: np.ndarray) -> None:
        self._axis, self._across = axis, contact_rotation(axis)[:, :2].T.copy()

    def fill(self, state: RobotState, A: np.ndarray, b: np.ndarray) -> None:
        """Write A and b, see :meth:`~impact_qp.tasks.task.Task.fill`."""
        point = state.at(self.frame)
        A[:] = self._across.dot(point.J[:3])
        wanted = self.stiffness * (self.position - point.position) - point.drift[:3]
        wanted += self.damping * (self.velocity - point.twist[:3])
        b[:] = self._across.dot(wanted)
