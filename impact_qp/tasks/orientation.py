# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Hold the orientation of a frame."""

from __future__ import annotations

import numpy as np

from impact_qp.tasks.floats import Floats
from impact_qp.tasks.task import Task
from impact_robots.compiling.direct_call import direct
from impact_robots.state.state import RobotState


class OrientationTask(Task):
    r"""Residual :math:`\alpha - k_p R\log(R^T R_d)^\vee + k_d\,\omega - \alpha_f`, base axes.

    The sign and the rotation R are the corrected ones (doc/theory.md); :math:`\alpha_f` is what is
    known of friction.
    """

    reference: np.ndarray = Floats()  # type: ignore[assignment]
    feedforward: np.ndarray = Floats()  # type: ignore[assignment]

    def __init__(
        self,
        *,
        stiffness: float = 100.0,
        damping: float = 20.0,
        weight: float = 9.0,
        frame: str | None = None,
    ) -> None:
        """Create the task with k_p [1/s^2] and k_d [1/s] for a frame."""
        from impact_qp.compiled.task_rows import write_orientation  # loads slowly

        super().__init__(weight, 3, frame)
        self._write = direct(write_orientation)
        self.stiffness, self.damping = stiffness, damping
        self.reference = np.eye(3)  # R_d, the frame's axes in base axes
        self.feedforward = np.zeros(3)  # alpha_f [rad/s^2]

    def fill(self, state: RobotState, A: np.ndarray, b: np.ndarray) -> None:
        """Write A and b, see :meth:`Task.fill`."""
        point, gains = state.at(self.frame).numbers, (self.stiffness, self.damping)
        self._write(point, self.reference, self.feedforward, *gains, A, b)
