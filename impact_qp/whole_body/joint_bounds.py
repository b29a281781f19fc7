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
        limits, self._dt = robot.limits, period
        self._first = robot.nv - robot.dof
        self._lowest, self._highest = limits.position_lower, limits.position_upper
        self._fastest = np.where(np.isnan(limits.velocity), np.inf, limits.velocity)
        unknown = np.isnan(limits.acceleration)
        self._most = np.where(unknown, ACCELERATION, limits.acceleration)

    def fill(self, state: RobotState, G: np.ndarray, E: np.ndarray, h: np.ndarray) -> None:
        """Write no rows."""

    def narrow(self, state: RobotState, ddq: np.ndarray, y: np.ndarray) -> None:
        """Write the joints' box."""
        joints = state.q[-len(self._most) :], state.dq[self._first :]
        ddq[:, self._first :] = self.box(*joints)

    def box(self, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
        """Return lowest and highest accelerations, shape (2, n) [rad/s^2].

        Args:
            q: positions of the joints, shape (n,) [rad].
            dq: their velocities, shape (n,) [rad/s].
        """
        down, up = q - self._lowest, self._highest - q
        slow = np.maximum(-self._fastest, -self._stopping(down, dq * self._dt))
        fast = np.minimum(self._fastest, self._stopping(up, -dq * self._dt))
        reach = np.stack([slow, fast]) - dq
        return np.clip(reach / self._dt, -self._most, self._most)

    def _stopping(self, way: np.ndarray, gained: np.ndarray) -> np.ndarray:
        """Return the speed from which braking stops within a way, shape (n,) [rad/s].

        No faster than the way is long in a cycle; ``gained`` is what the cycle adds to it [rad].
        """
        braking = np.sqrt(self._most * np.maximum(way + gained, 0.0))
        speed: np.ndarray = np.minimum(braking, np.maximum(way, 0.0) / self._dt)
        return speed
