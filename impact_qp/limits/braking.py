# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Joints that come to rest before the limits of their positions."""

from __future__ import annotations

import numpy as np

from impact_qp.limits.limit import Limit
from impact_robots.robot import Robot
from impact_robots.state.state import RobotState

BRAKING = 0.25  # beta, usable fraction of the acceleration limit for braking [-]
PREVIEW = 0.02  # T_p [s]
RESERVE = 0.01  # distance to the position limits [rad]


class BrakingLimit(Limit):
    r"""Rows :math:`\dot q + T_p\ddot q \le \sqrt{2\beta a_{max}(q_{max} - q)}`, and the other way.

    The speed from which a joint can still be braked; solved for the acceleration. Accelerations are
    not limited otherwise: they include the force on an object, for which tasks demand the motion
    of a free arm.
    """

    def __init__(self, robot: Robot) -> None:
        """Create the limit of an arm."""
        self._limits = robot.limits
        self._twice = 2.0 * BRAKING * robot.limits.acceleration
        identity = np.eye(robot.dof)
        self._G = np.vstack([identity, -identity])
        ends = ("upper", "lower")
        self.names = tuple(f"{joint} braking {end}" for end in ends for joint in robot.joint_names)

    @property
    def figures(self) -> tuple[np.ndarray, float]:
        """Ends of the range, twice the braking acceleration, shape (3, n), and the preview [s]."""
        ends = self._limits.position_lower + RESERVE, self._limits.position_upper - RESERVE
        return np.array([*ends, self._twice]), PREVIEW

    def fill(self, state: RobotState, G: np.ndarray, E: np.ndarray, h: np.ndarray) -> None:
        """Write 2 n rows."""
        limits, q, dq, n = self._limits, state.q, state.dq, len(state.q)
        up = np.maximum(limits.position_upper - RESERVE - q, 0.0)
        down = np.maximum(q - limits.position_lower - RESERVE, 0.0)
        G[:] = self._G
        h[:n] = (np.sqrt(self._twice * up) - dq) / PREVIEW
        h[n:] = (np.sqrt(self._twice * down) + dq) / PREVIEW
