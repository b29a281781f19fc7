# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Tasks of a whole robot: its centre of mass, its angular momentum and its joints."""

from __future__ import annotations

import numpy as np

from impact_qp.tasks import Task
from impact_robots import RobotState


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
        self.reference = np.zeros(dof)  # q_d [rad]

    def fill(self, state: RobotState, A: np.ndarray, b: np.ndarray) -> None:
        """Write A and b, see :meth:`~impact_qp.tasks.task.Task.fill`."""
        n, nv = self.size, len(state.dq)
        A[:, : nv - n] = 0.0
        A[:, nv - n :] = np.eye(n)
        b[:] = self.stiffness * (self.reference - state.q[-n:]) - self.damping * state.dq[nv - n :]
