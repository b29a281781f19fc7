# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Positions and velocities at the end of one cycle."""

from __future__ import annotations

import numpy as np

from impact_qp.limits.limit import Limit
from impact_robots.robot import Robot
from impact_robots.state import RobotState


class OneCycleLimit(Limit):
    r"""Rows of :math:`q + \dot q\,dt + \tfrac12\ddot q\,dt^2` and :math:`\dot q + \ddot q\,dt`.

    Both within the limits (van Steen et al., 19, 20). The position row looks one cycle ahead, so it
    acts when it is too late to brake: :class:`~impact_qp.limits.JointLimit` brakes in time.
    """

    def __init__(self, robot: Robot, period: float) -> None:
        """Create the limit for a control period ``period`` [s]."""
        self._limits, self._dt = robot.limits, period
        kinds = ("position upper", "position lower", "velocity upper", "velocity lower")
        self.names = tuple(f"{joint} {kind}" for kind in kinds for joint in robot.joint_names)
        identity, half = np.eye(robot.dof), 0.5 * period**2
        up = [half * identity, -half * identity, period * identity, -period * identity]
        self._G = np.vstack(up)

    def fill(self, state: RobotState, G: np.ndarray, E: np.ndarray, h: np.ndarray) -> None:
        """Write 4 n rows."""
        limits, q, dq, n = self._limits, state.q + self._dt * state.dq, state.dq, len(state.q)
        G[:] = self._G
        np.subtract(limits.position_upper, q, out=h[:n])
        np.subtract(q, limits.position_lower, out=h[n : 2 * n])
        np.subtract(limits.velocity, dq, out=h[2 * n : 3 * n])
        np.add(limits.velocity, dq, out=h[3 * n :])
