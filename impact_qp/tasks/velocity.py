# SPDX-License-Identifier: Apache-2.0
"""Move the contact point at a linear velocity."""

from __future__ import annotations

import numpy as np

from impact_qp.tasks.task import Task
from impact_robots.dynamics import ArmState


class VelocityTask(Task):
    r"""Residual :math:`J_v\ddot q + \dot J_v\dot q - \dot v_{ref} - k_v(v_{ref} - v)`.

    Wang et al. 2023, section 3; gains are not published (specification, section 9).
    """

    def __init__(self, *, gain: float = 20.0, weight: float = 100.0) -> None:
        """Create the task; ``gain`` is k_v [1/s]."""
        super().__init__(weight)
        self.gain = gain
        self.reference = np.zeros(3)  # v_ref in base axes [m/s]
        self.feedforward = np.zeros(3)  # its rate [m/s^2]

    def residual(self, state: ArmState) -> tuple[np.ndarray, np.ndarray]:
        """Return A and b, see :meth:`Task.residual`."""
        error = self.reference - state.velocity
        return state.J[:3], self.feedforward + self.gain * error - state.dJ_dq[:3]
