# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Positions and velocities at the end of one cycle."""

from __future__ import annotations

import numpy as np

from impact_qp.limits.limit import Limit
from impact_robots.robot import Robot
from impact_robots.state.state import RobotState


class OneCycleLimit(Limit):
    r"""Rows of :math:`q + \dot q\,dt + \tfrac12\ddot q\,dt^2` and :math:`\dot q + \ddot q\,dt`.

    Both within the limits (van Steen et al., 19, 20), each solved for the acceleration: solvers
    lose digits on rows as small as dt^2. The position row looks one cycle ahead, so it acts too
    late to brake: :class:`~impact_qp.limits.JointLimit` brakes in time.
    """

    def __init__(self, robot: Robot, period: float) -> None:
        """Create the limit for a control period ``period`` [s]."""
        self._limits, self._dt = robot.limits, period
        kinds = ("position upper", "position lower", "velocity upper", "velocity lower")
        self.names = tuple(f"{joint} {kind}" for kind in kinds for joint in robot.joint_names)
        identity = np.eye(robot.dof)
        self._G = np.vstack([identity, -identity, identity, -identity])

    @property
    def figures(self) -> tuple[np.ndarray, float]:
        """Lowest and highest position, and velocity, shape (3, n), and the period [s]."""
        limits = self._limits
        ends = limits.position_lower, limits.position_upper, limits.velocity
        return np.array(ends, dtype=float), self._dt

    def fill(self, state: RobotState, G: np.ndarray, E: np.ndarray, h: np.ndarray) -> None:
        """Write 4 n rows."""
        limits, dt, q, dq, n = self._limits, self._dt, state.q, state.dq, len(state.q)
        G[:] = self._G
        way = q + dt * dq
        h[:n] = 2.0 / dt**2 * (limits.position_upper - way)
        h[n : 2 * n] = 2.0 / dt**2 * (way - limits.position_lower)
        h[2 * n : 3 * n] = (limits.velocity - dq) / dt
        h[3 * n :] = (limits.velocity + dq) / dt
