# SPDX-License-Identifier: Apache-2.0
"""Joint torque and torque rate."""

from __future__ import annotations

import numpy as np

from impact_qp.limits.limit import Limit, Rows
from impact_robots.dynamics import ArmState
from impact_robots.robot import Robot


class TorqueLimit(Limit):
    r"""Bounds on :math:`u = (M + B_\theta)\ddot q + h` and on its change over one cycle.

    The rate is that of the torque beyond gravity, which is what the driver is sent.
    """

    def __init__(self, robot: Robot, period: float) -> None:
        """Create the limit for a control period ``period`` [s]."""
        self._torque = robot.limits.torque
        self._step = robot.limits.torque_rate * period
        self._motor = np.diag(robot.apparent_motor_inertia)
        self.previous: np.ndarray | None = None  # last u - g [N.m], None after a re-start
        self._names = tuple(f"{name} torque upper" for name in robot.joint_names) + tuple(
            f"{name} torque lower" for name in robot.joint_names
        )

    def rows(self, state: ArmState) -> Rows:
        """Return 2 n rows."""
        inertia = state.M + self._motor
        lower, upper = self.box(state)
        bound = np.concatenate([upper - state.h, state.h - lower])
        return Rows(np.vstack([inertia, -inertia]), bound, self._names)

    def box(self, state: ArmState) -> tuple[np.ndarray, np.ndarray]:
        """Return lower and upper torques u, gravity included, each of shape (n,) [N.m]."""
        lower, upper = -self._torque, self._torque
        if self.previous is None:
            return lower, upper
        base = self.previous + state.g
        return np.clip(base - self._step, lower, upper), np.clip(base + self._step, lower, upper)
