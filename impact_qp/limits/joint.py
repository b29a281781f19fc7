# SPDX-License-Identifier: Apache-2.0
"""Joint position, velocity, acceleration and jerk as one box on the joint accelerations."""

from __future__ import annotations

import numpy as np

from impact_qp.limits.limit import Limit, Rows
from impact_robots.dynamics import ArmState
from impact_robots.robot import Robot

POSITION_RESERVE = 1e-4  # kept to the position limits, for what sampling adds [rad]


class JointLimit(Limit):
    r"""The box that all kinematic limits leave for :math:`\ddot q` over one cycle.

    Acceleration and jerk are direct; velocity as :math:`\dot q + \ddot q\,dt` and with what the
    jerk limit adds until the acceleration is zero; position with the distance that braking at
    ``braking`` times the acceleration limit needs. Where two contradict
    each other the earlier of (acceleration, jerk, velocity, position) wins and the box shrinks to
    its nearest point, so the box is never empty.
    """

    def __init__(self, robot: Robot, period: float, *, braking: float = 0.5) -> None:
        """Create the limit for a control period ``period`` [s]."""
        self._limits = robot.limits
        self._period = period
        self._braking = braking * robot.limits.acceleration
        self.previous: np.ndarray | None = None  # last qddot, None after a re-start
        self._names = tuple(f"{name} upper" for name in robot.joint_names) + tuple(
            f"{name} lower" for name in robot.joint_names
        )
        identity = np.eye(robot.dof)
        self._G = np.vstack([identity, -identity])

    def rows(self, state: ArmState) -> Rows:
        """Return the box as 2 n rows."""
        lower, upper = self.box(state)
        return Rows(self._G, np.concatenate([upper, -lower]), self._names)

    def box(self, state: ArmState) -> tuple[np.ndarray, np.ndarray]:
        """Return lower and upper joint accelerations, each of shape (n,) [rad/s^2]."""
        limits = self._limits
        box = (-limits.acceleration, limits.acceleration)
        if self.previous is not None:
            step = limits.jerk * self._period
            box = _intersect(box, self.previous - step, self.previous + step)
        velocity, dq = limits.velocity, state.dq
        box = _intersect(box, -self._reach(velocity + dq), self._reach(velocity - dq))
        slowest, fastest = self._speeds_that_can_stop(state)
        return _intersect(box, -self._reach(dq - slowest), self._reach(fastest - dq))

    def _reach(self, headroom: np.ndarray) -> np.ndarray:
        """Return the highest acceleration that uses up at most ``headroom`` [rad/s].

        Within this cycle and while the jerk limit brings it back to zero: the largest a with
        ``a dt + a^2/(2 jerk) <= headroom``.
        """
        jerk, dt = self._limits.jerk, self._period
        root = np.sqrt((jerk * dt) ** 2 + 2.0 * jerk * np.maximum(0.0, headroom))
        return np.where(headroom < 0.0, headroom / dt, root - jerk * dt)

    def _speeds_that_can_stop(self, state: ArmState) -> tuple[np.ndarray, np.ndarray]:
        """Return the joint speeds from which the arm stops before its position limits."""
        limits, ahead = self._limits, state.q + state.dq * self._period
        up = np.maximum(0.0, limits.position_upper - POSITION_RESERVE - ahead)
        down = np.maximum(0.0, ahead - POSITION_RESERVE - limits.position_lower)
        return -np.sqrt(2.0 * self._braking * down), np.sqrt(2.0 * self._braking * up)


def _intersect(
    box: tuple[np.ndarray, np.ndarray], lower: np.ndarray, upper: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the part of ``box`` within the bounds, or its point nearest to them."""
    return np.clip(lower, *box), np.clip(upper, *box)
