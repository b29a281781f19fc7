# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Checks of every message that is sent to an arm, and of the arm."""

from __future__ import annotations

import numpy as np

from impact_qp.interface import LEAD
from impact_robots import PointState, Robot

WIND_UP = 0.1  # most that velocities may add up to that the arm did not follow [rad], beside
# what they add up to while they go down at the acceleration limit
WIND_UP_MEMORY = 2.0  # over which a velocity drive adds up what it could not follow [s]
BLOCKED = 0.25  # of the commanded speed: an arm that slides along a wall is faster
LEAD_TOLERANCE = 0.02  # positions are measured with noise, and before the arm moved on
OVERSPEED = 1.05  # fraction of its velocity limit that commands may bring a joint to
TORQUE_TOLERANCE = 0.01  # of the limit: gravity at the measured state is not that at the true one
ROUNDING = 1e-9  # of velocities [rad/s] and positions [rad]


class SentChecks:
    """Judges one message after the other; knows what was sent before.

    Torque is judged with the gravity that the driver adds, its rate without: per second of time,
    and never more than the step of one period, because a driver applies a message at once.
    """

    def __init__(self, robot: Robot, interface: str, period: float, *, exact: bool = True) -> None:
        """Begin before the first message: a driver then balances gravity alone.

        Args:
            robot: the arm, with its limits.
            interface: "torque", "velocity" or "position".
            period: between messages [s].
            exact: torque rates may not exceed their limit by rounding either.
        """
        self._allowance = 1.0 if exact else 1.0 + ROUNDING
        self._robot, self._limits, self._interface = robot, robot.limits, interface
        self._period, self._time = period, -np.inf
        self._sent = np.zeros(robot.dof)
        self._ahead, self._fastest = np.zeros(robot.dof), np.zeros(robot.dof)

    def put_to_rest(self) -> None:
        """Note that the driver was sent zero, or gave up by itself."""
        self._sent = np.zeros(self._robot.dof)

    def judge(self, time: float, values: np.ndarray, arm: PointState) -> list[str]:
        """Return the names of what a message breaks.

        Args:
            time: of the state that it answers [s]; a clock that stands or jumps back counts as
                one period.
            values: in it, shape (n,), unit of the interface.
            arm: how the arm really is.
        """
        since = time - self._time if time > self._time else self._period
        self._time = time
        if values.shape != arm.q.shape or not np.isfinite(values).all():
            return ["finite"]
        judge = {"torque": self._torque, "velocity": self._velocity, "position": self._position}
        return judge[self._interface](values, arm, since)

    def _torque(self, values: np.ndarray, arm: PointState, since: float) -> list[str]:
        added = arm.g if self._robot.driver_compensates_gravity else 0.0
        beyond = values + added - arm.g
        step, self._sent = beyond - self._sent, beyond
        most = self._limits.torque * (1.0 + TORQUE_TOLERANCE)
        broken = ["torque"] if (np.abs(values + added) > most).any() else []
        allowed = self._limits.torque_rate * min(since, self._period)
        if (np.abs(step) > allowed * (1.0 + ROUNDING)).any():
            return [*broken, "torque rate"]
        rounded = np.abs(step) > allowed * self._allowance
        return [*broken, "torque rate, rounding"] if rounded.any() else broken

    def _velocity(self, values: np.ndarray, arm: PointState, since: float) -> list[str]:
        fast = np.abs(values) > self._limits.velocity + ROUNDING
        broken = ["velocity"] if fast.any() else []
        passed = min(since, self._period)
        blocked = np.abs(arm.dq).max() < BLOCKED * np.abs(values).max()
        ahead = values - arm.dq if blocked else np.zeros_like(values)
        self._ahead += passed * (ahead - self._ahead / WIND_UP_MEMORY)
        self._fastest = values**2 if not blocked else np.maximum(self._fastest, values**2)
        most = WIND_UP + self._fastest / (2.0 * self._limits.acceleration)
        return [*broken, "wind-up"] if (np.abs(self._ahead) > most).any() else broken

    def _position(self, values: np.ndarray, arm: PointState, since: float) -> list[str]:
        limits = self._limits
        low, high = limits.position_lower - ROUNDING, limits.position_upper + ROUNDING
        broken = ["position"] if ((values < low) | (values > high)).any() else []
        ahead = np.abs(values - arm.q) / (LEAD * limits.velocity)
        return [*broken, "wind-up"] if ahead.max() > 1.0 + LEAD_TOLERANCE else broken


def too_fast(robot: Robot, dq: np.ndarray) -> bool:
    """Return whether a joint moves faster than any command may make it, ``dq`` (n,) [rad/s]."""
    return not (np.abs(dq) <= OVERSPEED * robot.limits.velocity).all()  # NaN: yes
