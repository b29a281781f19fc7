# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Joint position, velocity, acceleration and jerk as one box on the joint accelerations."""

from __future__ import annotations

import numpy as np

from impact_qp.limits.limit import RateLimit
from impact_robots.robot import Robot
from impact_robots.state.state import RobotState

POSITION_RESERVE = 1e-4  # distance to the position limits, for sampling errors [rad]


class JointLimit(RateLimit):
    r"""The box that all kinematic limits leave for :math:`\ddot q` over one cycle.

    Acceleration and jerk are direct; velocity as :math:`\dot q + \ddot q\,dt` and with the speed
    added until the jerk limit has brought the acceleration to zero; position with the distance for
    braking at ``braking`` times the acceleration limit. If two contradict each other, the earlier
    of (acceleration, jerk, velocity, position) wins and the box shrinks to its nearest point, so
    the box is never empty. An acceleration a may use up a speed, within the cycle and while the
    jerk limit brings it back to zero, if a dt + a^2/(2 jerk) is no more.
    """

    def __init__(self, robot: Robot, period: float, *, braking: float = 0.5) -> None:
        """Create the limit for a control period ``period`` [s]."""
        from impact_qp.compiled.joint_box import joint_box, write_box  # loads slowly

        self._joint_box, self._write_box = joint_box, write_box
        limits, self.period = robot.limits, period
        self._limits = np.stack(
            [
                limits.position_lower + POSITION_RESERVE,
                limits.position_upper - POSITION_RESERVE,
                limits.velocity,
                limits.acceleration,
                braking * limits.acceleration,
                limits.jerk,
            ]
        )
        self._unknown = np.full(robot.dof, np.nan)
        self.previous: np.ndarray | None = None  # last qddot, None after a re-start
        self.names = tuple(f"{name} upper" for name in robot.joint_names) + tuple(
            f"{name} lower" for name in robot.joint_names
        )

    def fill(self, state: RobotState, G: np.ndarray, E: np.ndarray, h: np.ndarray) -> None:
        """Write the box as 2 n rows."""
        self._write_box(self._box(state), G, h)

    def reset(self) -> None:
        """Forget the last cycle."""
        self.previous = None

    def remember(self, ddq: np.ndarray, torque: np.ndarray) -> None:
        """Store the commanded accelerations; see :meth:`RateLimit.remember`."""
        self.previous = ddq

    def box(self, state: RobotState) -> tuple[np.ndarray, np.ndarray]:
        """Return lower and upper joint accelerations, each of shape (n,) [rad/s^2]."""
        lower, upper = self._box(state)
        return lower, upper

    @property
    def figures(self) -> tuple[np.ndarray, np.ndarray, float]:
        """Arguments of :func:`~impact_qp.compiled.joint_box.joint_box` beside the state."""
        return self.last, self._limits, self.period

    @property
    def last(self) -> np.ndarray:
        """Accelerations of the last cycle, shape (n,) [rad/s^2]; NaN: not known."""
        return self._unknown if self.previous is None else self.previous

    def _box(self, state: RobotState) -> np.ndarray:
        box: np.ndarray = self._joint_box(state.q, state.dq, *self.figures)
        return box
