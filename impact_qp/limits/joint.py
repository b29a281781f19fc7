# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Joint position, velocity, acceleration and jerk as one box on the joint accelerations."""

from __future__ import annotations

from math import sqrt
from operator import neg

import numpy as np

from impact_qp.limits.limit import RateLimit
from impact_robots.robot import Robot
from impact_robots.state import RobotState

POSITION_RESERVE = 1e-4  # kept to the position limits, for what sampling adds [rad]


class JointLimit(RateLimit):
    r"""The box that all kinematic limits leave for :math:`\ddot q` over one cycle.

    Acceleration and jerk are direct; velocity as :math:`\dot q + \ddot q\,dt` and with what the
    jerk limit adds until the acceleration is zero; position with the distance that braking at
    ``braking`` times the acceleration limit needs. Where two contradict
    each other the earlier of (acceleration, jerk, velocity, position) wins and the box shrinks to
    its nearest point, so the box is never empty. An acceleration a may use up a speed, within the
    cycle and while the jerk limit brings it back to zero, if a dt + a^2/(2 jerk) is no more.

    Joint by joint in plain numbers: for arrays this short that takes a third of numpy's time. A
    joint far from the limits of its velocity and position has only the box of acceleration and
    jerk.
    """

    def __init__(self, robot: Robot, period: float, *, braking: float = 0.5) -> None:
        """Create the limit for a control period ``period`` [s]."""
        limits, n = robot.limits, robot.dof
        self._dt = period
        step = limits.jerk * period
        # From this speed left on, a velocity limit leaves more than the acceleration limit.
        ample = ((limits.acceleration + step) ** 2 - step**2) / (2.0 * limits.jerk)
        columns = (
            limits.position_lower + POSITION_RESERVE,
            limits.position_upper - POSITION_RESERVE,
            limits.velocity,
            limits.acceleration,
            step,
            step**2,
            2.0 * limits.jerk,
            2.0 * braking * limits.acceleration,
            ample,
        )
        self._nothing = [0.0] * n
        self._joints = list(zip(*(column.tolist() for column in columns), strict=True))
        self.previous: np.ndarray | None = None  # last qddot, None after a re-start
        self.names = tuple(f"{name} upper" for name in robot.joint_names) + tuple(
            f"{name} lower" for name in robot.joint_names
        )
        identity = np.eye(n)
        self._G = np.vstack([identity, -identity])

    def fill(self, state: RobotState, G: np.ndarray, E: np.ndarray, h: np.ndarray) -> None:
        """Write the box as 2 n rows."""
        lower, upper = self._bounds(state)
        G[:] = self._G
        upper.extend(map(neg, lower))
        h[:] = upper

    def reset(self) -> None:
        """Forget the last cycle."""
        self.previous = None

    def remember(self, ddq: np.ndarray, torque: np.ndarray) -> None:
        """Take what was commanded; see :meth:`RateLimit.remember`."""
        self.previous = ddq

    def box(self, state: RobotState) -> tuple[np.ndarray, np.ndarray]:
        """Return lower and upper joint accelerations, each of shape (n,) [rad/s^2]."""
        lower, upper = self._bounds(state)
        return np.array(lower), np.array(upper)

    def _bounds(self, state: RobotState) -> tuple[list[float], list[float]]:
        free = self.previous is None
        previous = self._nothing if self.previous is None else self.previous.tolist()
        lower: list[float] = []
        upper: list[float] = []
        for joint, q, dq, last in zip(
            self._joints, state.q.tolist(), state.dq.tolist(), previous, strict=True
        ):
            low_end, high_end, velocity, high, step, square, double, braking, ample = joint
            low = -high
            if not free:
                low, high = _clipped(low, high, last - step, last + step)
            way = q + dq * self._dt
            fast = ample + abs(dq)
            need = fast * fast / braking
            if fast <= velocity and low_end + need <= way <= high_end - need:
                lower.append(low)
                upper.append(high)
                continue
            up, down = velocity - dq, velocity + dq  # speed left to the limits
            a = sqrt(square + double * down) - step if down > 0.0 else down / self._dt
            b = sqrt(square + double * up) - step if up > 0.0 else up / self._dt
            low, high = _clipped(low, high, -a, b)
            up, down = high_end - way, way - low_end  # way left, then speed left to stop in it
            up = (sqrt(braking * up) if up > 0.0 else 0.0) - dq
            down = (sqrt(braking * down) if down > 0.0 else 0.0) + dq
            a = sqrt(square + double * down) - step if down > 0.0 else down / self._dt
            b = sqrt(square + double * up) - step if up > 0.0 else up / self._dt
            low, high = _clipped(low, high, -a, b)
            lower.append(low)
            upper.append(high)
        return lower, upper


def _clipped(low: float, high: float, lower: float, upper: float) -> tuple[float, float]:
    """Return the part of [low, high] within [lower, upper], or its point nearest to that."""
    return (
        lower if low < lower < high else high if lower >= high else low,
        upper if low < upper < high else low if upper <= low else high,
    )
