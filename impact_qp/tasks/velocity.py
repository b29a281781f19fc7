# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Move a point at a linear velocity."""

from __future__ import annotations

import numpy as np

from impact_qp.tasks.floats import Floats
from impact_qp.tasks.task import Task
from impact_robots.compiling.direct_call import direct
from impact_robots.state.state import RobotState


class VelocityTask(Task):
    r"""Residual :math:`J_v\ddot q + \dot J_v\dot q - \dot v_{ref} - k_v(v_{ref} - v)`.

    Wang 2023, section 3; gains are not published.
    """

    reference: np.ndarray = Floats()  # type: ignore[assignment]
    feedforward: np.ndarray = Floats()  # type: ignore[assignment]

    def __init__(
        self, *, gain: float = 20.0, weight: float = 100.0, frame: str | None = None
    ) -> None:
        """Create the task; ``gain`` is k_v [1/s], ``frame`` that of the point."""
        from impact_qp.compiled.task_rows import write_velocity  # loads slowly

        super().__init__(weight, 3, frame)
        self._write = direct(write_velocity)
        self.gain = gain
        self.reference = np.zeros(3)  # v_ref in base axes [m/s]
        self.feedforward = np.zeros(3)  # its rate [m/s^2]

    def fill(self, state: RobotState, A: np.ndarray, b: np.ndarray) -> None:
        """Write A and b, see :meth:`Task.fill`."""
        point = state.at(self.frame).numbers
        self._write(point, self.reference, self.feedforward, self.gain, A, b)
