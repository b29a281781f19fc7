# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Bounds on the accelerations of a whole robot's joints."""

from __future__ import annotations

import numpy as np

from impact_qp.limits import Limit
from impact_robots import Robot, RobotState

ACCELERATION = 100.0  # of a joint whose limit nobody gives: assumed [rad/s^2]


class JointBounds(Limit):
    r"""What positions, velocities and accelerations leave for :math:`\ddot q` over one cycle.

    As bounds of variables, the base free. A position leaves the velocity from which braking at
    half the acceleration stops within the way, a velocity what reaches it in one cycle. Where
    these contradict each other the acceleration's limit wins, then the position's: the box is
    never empty.
    """

    bounded = True

    def __init__(self, robot: Robot, period: float) -> None:
        """Create the bounds for a control period [s]."""
        from impact_qp.compiled.joint_reach import write_reach  # loads slowly

        limits, self._dt, self._write_reach = robot.limits, period, write_reach
        self._first, self._n = robot.nv - robot.dof, robot.dof
        fastest = np.where(np.isnan(limits.velocity), np.inf, limits.velocity)
        most = np.where(np.isnan(limits.acceleration), ACCELERATION, limits.acceleration)
        self._limits = np.stack([limits.position_lower, limits.position_upper, fastest, most])

    def fill(self, state: RobotState, G: np.ndarray, E: np.ndarray, h: np.ndarray) -> None:
        """Write no rows."""

    def narrow(self, state: RobotState, ddq: np.ndarray, y: np.ndarray) -> None:
        """Write the joints' box."""
        q, dq = state.q[-self._n :], state.dq[self._first :]
        self._write_reach(q, dq, self._limits, self._dt, ddq[:, self._first :])
