# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Tasks of a whole robot: its centre of mass, its angular momentum and its joints."""

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

    T are two axes across n: the position of a palm in the plane of the target face.
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


class ComTask(Task):
    r"""Residual :math:`\ddot c - k_p(c_d - c) + k_d\dot c` of the whole robot, world axes."""

    def __init__(
        self, *, stiffness: float = 50.0, damping: float = 14.0, weight: float = 200.0
    ) -> None:
        """Create the task with k_p [1/s^2] and k_d [1/s]."""
        super().__init__(weight, 3)
        self.stiffness, self.damping = stiffness, damping
        self.reference = np.zeros(3)  # c_d [m]

    def fill(self, state: RobotState, A: np.ndarray, b: np.ndarray) -> None:
        """Write A and b, see :meth:`~impact_qp.tasks.task.Task.fill`."""
        (mass, com), (A_G, drift) = state.whole(), state.momentum()
        A[:] = A_G[:3] / mass
        b[:] = self.stiffness * (self.reference - com) - drift[:3] / mass
        b -= self.damping * (A @ state.dq)


class AngularMomentumTask(Task):
    r"""Residual :math:`\dot L + k L` of the whole robot about its centre of mass, world axes."""

    def __init__(self, *, damping: float = 5.0, weight: float = 1.0) -> None:
        """Create the task with k [1/s]."""
        super().__init__(weight, 3)
        self.damping = damping

    def fill(self, state: RobotState, A: np.ndarray, b: np.ndarray) -> None:
        """Write A and b, see :meth:`~impact_qp.tasks.task.Task.fill`."""
        A_G, drift = state.momentum()
        A[:] = A_G[3:]
        b[:] = -drift[3:] - self.damping * (A @ state.dq)


class JointPostureTask(Task):
    r"""Residual :math:`\ddot q - k_p(q_d - q) + k_d\dot q` of the joints, the base left out."""

    def __init__(
        self, dof: int, *, stiffness: float = 20.0, damping: float = 9.0, weight: float = 0.5
    ) -> None:
        """Create the task for ``dof`` joints with k_p [1/s^2] and k_d [1/s]."""
        super().__init__(weight, dof)
        self.stiffness, self.damping = stiffness, damping
        self.reference, self._one = np.zeros(dof), np.eye(dof)  # q_d [rad]

    def fill(self, state: RobotState, A: np.ndarray, b: np.ndarray) -> None:
        """Write A and b, see :meth:`~impact_qp.tasks.task.Task.fill`."""
        n, nv = self.size, len(state.dq)
        A[:, : nv - n] = 0.0
        A[:, nv - n :] = self._one
        b[:] = self.stiffness * (self.reference - state.q[-n:]) - self.damping * state.dq[nv - n :]
