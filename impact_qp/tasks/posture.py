# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Stay near a configuration in the null space of the other tasks."""

from __future__ import annotations

import numpy as np

from impact_qp.tasks.floats import Floats
from impact_qp.tasks.task import Task
from impact_robots.state.state import RobotState


class PostureTask(Task):
    r"""Residual :math:`\ddot q - k_p(q_d - q) + k_d\dot q`."""

    reference: np.ndarray = Floats()  # type: ignore[assignment]

    def __init__(
        self, dof: int, *, stiffness: float = 10.0, damping: float = 6.3, weight: float = 0.1
    ) -> None:
        """Create the task for ``dof`` joints with k_p [1/s^2] and k_d [1/s]."""
        from impact_qp.compiled.task_rows import write_posture  # loads slowly

        super().__init__(weight, dof)
        self._write = write_posture
        self.stiffness, self.damping = stiffness, damping
        self.reference = np.zeros(dof)  # q_d [rad]

    def fill(self, state: RobotState, A: np.ndarray, b: np.ndarray) -> None:
        """Write A and b, see :meth:`Task.fill`."""
        self._write(state.q, state.dq, self.reference, self.stiffness, self.damping, A, b)
