# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Last check of a command: finite, and within the limits of the robot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from impact_qp.interface import LEAD, CommandInterface
from impact_robots.robot import Robot

ROUNDING = 1e-6  # fraction of a limit


class TorquesToSend(Protocol):
    """Torques to be sent, shape (n,) each [N.m]."""

    @property
    def torque(self) -> np.ndarray:
        """With gravity."""

    @property
    def gravity(self) -> np.ndarray:
        """The part of it that holds the arm."""

    @property
    def driver_torque(self) -> np.ndarray:
        """Torques sent to the driver."""


class MotionToSend(TorquesToSend, Protocol):
    """What is known of a command for any interface, shape (n,) each."""

    @property
    def velocity(self) -> np.ndarray:
        """Of the joints [rad/s]."""

    @property
    def position(self) -> np.ndarray:
        """The same [rad]."""


class LastCheck:
    """Compares each command with the robot's limits and with the previous command.

    It shares no code with the limits of a cycle's program.
    """

    def __init__(self, robot: Robot, interface: type[CommandInterface], period: float) -> None:
        """Create the check for a robot and a control period [s]."""
        from impact_qp.compiled.guards import sendable, within  # loads slowly

        self._within, self._sendable, self._none = within, sendable, np.zeros(robot.dof)
        self._robot, self._servo, self._period = robot, interface.servo, period
        self._problem: Callable[[MotionToSend, np.ndarray], str] = {
            "torque": self.torque_problem,
            "velocity": self._velocity,
            "position": self._position,
        }[interface.name]
        self._last: np.ndarray | None = None  # last command; of torques, beyond gravity
        self._torque_limits = np.stack([robot.limits.torque, robot.limits.torque_rate])

    def rested(self, values: np.ndarray) -> None:
        """Store the rest command, shape (n,); torques: gravity alone."""
        self._last = values if self._servo else None

    def begin_anew(self) -> None:
        """Expect motion from the measured state; torques continue from those sent last."""
        if self._servo:
            self._last = None

    def problem(self, command: MotionToSend, q: np.ndarray) -> str:
        """Return the problem of a command that answers positions ``q`` (n,), "" if none."""
        return self._problem(command, q)

    def torque_problem(self, command: TorquesToSend, q: np.ndarray) -> str:
        """Return the problem of torques that answer positions ``q`` (n,), "" if none."""
        limits, sent, beyond = self._robot.limits, command.driver_torque, np.empty(len(q))
        last, self._last = self._none if self._last is None else self._last, beyond
        torque, highest, rate = command.torque, limits.torque, limits.torque_rate
        allowed = self._torque_limits, self._period, 1.0 + ROUNDING
        if self._sendable(torque, command.gravity, sent, last, *allowed, beyond):
            return ""
        return (
            self._over("torque", sent, highest)
            or self._over("torque with gravity", torque, highest)
            or self._over("torque rate", (beyond - last) / self._period, rate)
        )

    def motor_problem(self, torque: np.ndarray) -> str:
        """Return the problem of torques, (n,) [N.m], of a robot on its feet, "" if none.

        Its gravity depends on its contacts, so only the motors' own limits are compared.
        """
        return self._over("torque", torque, self._robot.limits.torque)

    def _velocity(self, command: MotionToSend, q: np.ndarray) -> str:
        sent, self._last = command.velocity, command.velocity
        return self._over("velocity", sent, self._robot.limits.velocity)

    def _position(self, command: MotionToSend, q: np.ndarray) -> str:
        return self.position_problem(command.position, q)

    def position_problem(self, sent: np.ndarray, q: np.ndarray) -> str:
        """Return the problem of positions that answer positions ``q`` (n,), "" if none."""
        limits = self._robot.limits
        last = q if self._last is None else self._last
        self._last = sent
        middle = 0.5 * (limits.position_lower + limits.position_upper)
        half = 0.5 * (limits.position_upper - limits.position_lower)
        outside = np.maximum(half, np.abs(q - middle))  # an arm beyond its limits may return
        lead = np.maximum(2.0 * LEAD * limits.velocity, np.abs(last - q))
        return (
            self._over("position", sent - middle, outside)
            or self._over("distance to the measured position", sent - q, lead)
            or self._over("velocity", (sent - last) / self._period, limits.velocity, 1e-3)
        )

    def _over(
        self, what: str, values: np.ndarray, highest: np.ndarray, rounding: float = ROUNDING
    ) -> str:
        """Return the value that is not finite or beyond its limit."""
        if self._within(values, highest, 1.0 + rounding):
            return ""
        good = np.abs(values) <= highest * (1.0 + rounding)  # false for NaN
        i = int(good.argmin())
        name = self._robot.joint_names[i]
        return f"{name} {what} {values[i]:.6g} was computed, limit {highest[i]:g}"
