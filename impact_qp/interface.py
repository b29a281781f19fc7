# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Command interfaces of a robot (torque, velocity, position) and their properties.

A velocity- or position-controlled robot is planned from its last command. If something holds the
arm, an unlimited command would move ahead and the arm would jump when released: so its lead over
the measurement is limited.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

from impact_robots.compiling.direct_call import direct
from impact_robots.robot import JointLimits, Robot

LEAD = 0.035  # of a position: travel of the joint at its highest speed in that time [s]
HELD_LEAD = 0.015  # of a standing arm: less, because it may be released [s]
BACK = 0.1  # time in which a command that leads by more comes back [s]
VELOCITY_LEAD = 0.25  # of a velocity, as a fraction of the highest one
RATE_FRACTION = 1.0 - 1e-9  # usable fraction of the torque rate limit: rounding must not exceed it
Motion = tuple[np.ndarray, np.ndarray]  # velocities [rad/s] and positions [rad], shape (n,) each


class CommandInterface(ABC):
    """A command interface, and the last command sent.

    Attributes:
        name: of the parameter ``interface``.
        field: the sent field of a controller's command, shape (n,).
        servo: a loop of the driver follows what is sent, with a lag. The controller plans from its
            last command then, and impact limits are those of a servo; coasting and pressing need
            torques.
        returns: an arm that was moved externally returns to the last command.
        lowest_rate: of the states [Hz]. Torques hold no pose between two states; a velocity or
            position may lead the measured one by the travel of 15 to 35 ms.
        faster: factor on the commanded speed, up to which a measured speed is tolerated, and
        slack: beyond that [m/s]; see :class:`.TrackingWatch`.
        reaction: time until a moving arm slows down as hard as it may: limits of rates, and two
            lags of a servo of 33 ms [s].
        torque: that was sent last, beyond gravity, shape (n,) [N.m].
        gravity: the gravity torque sent, shape (n,) [N.m]; None: the driver adds gravity.
        position: that was commanded last, shape (n,) [rad].
        velocity: the same, shape (n,) [rad/s].
        started: a command was sent since the controller started or restarted.
    """

    name: str
    field: str
    servo = True
    returns = False
    lowest_rate: float
    faster: float
    slack: float
    reaction = 0.1

    def __init__(self, robot: Robot, period: float) -> None:
        """Command a robot once in a period [s]; nothing was sent yet."""
        self._robot, self._limits, self._period = robot, robot.limits, period
        none = np.zeros(robot.dof)
        self.torque, self.position, self.velocity = none, none, none
        self.gravity: np.ndarray | None = None
        self.started = False

    def values(self, command: Any) -> np.ndarray:
        """Return the sent part of a :class:`.Command`, shape (n,)."""
        return np.asarray(getattr(command, self.field))

    def remember(self, command: Any) -> None:
        """Note that a :class:`.Command` was sent."""
        compensated = self._robot.driver_compensates_gravity
        self.torque = command.driver_torque if compensated else command.torque - command.gravity
        self.velocity, self.position = command.velocity, command.position
        if not (self.servo or compensated):
            self.gravity = command.gravity

    @abstractmethod
    def rest(self) -> np.ndarray | None:
        """Return the command that leaves the arm at rest, shape (n,); None: unknown."""

    @abstractmethod
    def settle(self) -> Iterator[np.ndarray]:
        """Yield commands, one per period, from the last command to ``rest``, shape (n,) each."""

    @abstractmethod
    def next_motion(
        self, ddq: np.ndarray, q: np.ndarray, dq: np.ndarray, lead_time: float
    ) -> Motion:
        """Return velocities [rad/s] and positions [rad] to command, shape (n,) each.

        Args:
            ddq: joint accelerations, shape (n,) [rad/s^2].
            q: measured positions, shape (n,) [rad].
            dq: measured velocities, shape (n,) [rad/s].
            lead_time: highest lead of positions, see :func:`.led_position` [s].
        """

    def may_follow(self, q: np.ndarray, leads: float = 1.0, later: float = 0.0) -> bool:
        """Return whether an arm at ``q`` may be following the last commanded position.

        Args:
            q: positions, shape (n,) [rad].
            leads: largest lead, in units of ``LEAD``.
            later: time for which the command is extrapolated [s].
        """
        limit = leads * LEAD * self._limits.velocity
        return bool((np.abs(q - self.position - later * self.velocity) <= limit).all())

    def _slowed_down(self) -> Iterator[np.ndarray]:
        """Yield velocities down to zero, at the acceleration limit; positions go on with them."""
        step = self._limits.acceleration * self._period
        while self.started and self.velocity.any():
            self.velocity = self.velocity - np.clip(self.velocity, -step, step)
            self.position = self.position + self.velocity * self._period
            yield self.velocity


class TorqueInterface(CommandInterface):
    """Torques; drivers add gravity or not."""

    name, field, servo, lowest_rate = "torque", "driver_torque", False, 100.0
    faster, slack, reaction = 1.2, 0.03, 0.05

    def __init__(self, robot: Robot, period: float) -> None:
        """Command a robot once in a period [s]; nothing was sent yet."""
        from impact_qp.compiled.motion_step import moved  # loads slowly

        super().__init__(robot, period)
        self._moved = direct(moved)

    def rest(self) -> np.ndarray:
        """Return the gravity torque of the last state, zero where the driver adds it."""
        return np.zeros(len(self.torque)) if self.gravity is None else self.gravity

    def settle(self) -> Iterator[np.ndarray]:
        """Yield torques down to gravity's, at the rate limit."""
        step = RATE_FRACTION * self._limits.torque_rate * self._period
        while self.torque.any():
            self.torque = self.torque - np.clip(self.torque, -step, step)
            yield self.torque if self.gravity is None else self.torque + self.gravity

    def next_motion(
        self, ddq: np.ndarray, q: np.ndarray, dq: np.ndarray, lead_time: float
    ) -> Motion:
        """Return the motion of the accelerations; nothing leads."""
        n = len(ddq)
        velocity, position = np.empty(n), np.empty(n)
        self._moved(self.position, self.velocity, ddq, self._period, velocity, position)
        return velocity, position


class VelocityInterface(CommandInterface):
    """Velocities."""

    name, field, lowest_rate = "velocity", "velocity", 50.0
    faster, slack = 1.08, 0.002

    def rest(self) -> np.ndarray:
        """Return no velocity."""
        return np.zeros(len(self.velocity))

    def settle(self) -> Iterator[np.ndarray]:
        """Yield velocities down to zero."""
        yield from self._slowed_down()

    def next_motion(
        self, ddq: np.ndarray, q: np.ndarray, dq: np.ndarray, lead_time: float
    ) -> Motion:
        """Return velocities near the measured ones."""
        wanted = self.velocity + ddq * self._period
        led = led_velocity(wanted, self.velocity, dq, self._limits, self._period)
        return led, self.position + led * self._period


class PositionInterface(CommandInterface):
    """Positions."""

    name, field, returns, lowest_rate = "position", "position", True, 50.0
    faster, slack = 1.15, 0.003

    def rest(self) -> np.ndarray | None:
        """Return the position sent last, if one was sent."""
        return self.position if self.started else None

    def settle(self) -> Iterator[np.ndarray]:
        """Yield positions up to where the arm stands; nothing if none was sent."""
        for velocity in self._slowed_down():
            if velocity.any():
                yield self.position

    def next_motion(
        self, ddq: np.ndarray, q: np.ndarray, dq: np.ndarray, lead_time: float
    ) -> Motion:
        """Return positions near the measured ones."""
        last, dt = self.velocity, self._period
        return led_position(
            last + ddq * dt, last, self.position, q, self._limits, dt, lead_time=lead_time
        )


INTERFACES: dict[str, type[CommandInterface]] = {
    each.name: each for each in (TorqueInterface, VelocityInterface, PositionInterface)
}


def led_velocity(
    wanted: np.ndarray, last: np.ndarray, measured: np.ndarray, limits: JointLimits, dt: float
) -> np.ndarray:
    """Return the velocity to command, near the measured one, shape (n,) [rad/s].

    Args:
        wanted: velocities, shape (n,) [rad/s].
        last: that were commanded, shape (n,) [rad/s]; changes keep to the acceleration limits.
        measured: shape (n,) [rad/s].
        limits: of the joints.
        dt: control period [s].
    """
    lead, step = VELOCITY_LEAD * limits.velocity, limits.acceleration * dt
    low, high = measured - lead, measured + lead
    near = _clip(_slowed(wanted, low, high), low, high)
    return _clip(_clip(near, last - step, last + step), -limits.velocity, limits.velocity)


def led_position(
    wanted: np.ndarray,
    last: np.ndarray,
    position: np.ndarray,
    measured: np.ndarray,
    limits: JointLimits,
    dt: float,
    *,
    lead_time: float = LEAD,
) -> tuple[np.ndarray, np.ndarray]:
    """Return velocity [rad/s] and position [rad] to command, shape (n,) each.

    The command brakes early enough to stop before it leads the measurement by ``lead_time``, comes
    back if it is farther, and stays within the position limits unless it was outside.

    Args:
        wanted: velocities, shape (n,) [rad/s].
        last: velocities that were commanded, shape (n,) [rad/s].
        position: that was commanded, shape (n,) [rad].
        measured: positions, shape (n,) [rad].
        limits: of the joints.
        dt: control period [s].
        lead_time: highest lead, as the travel of a joint at its highest speed in this time [s].
    """
    lead, step = lead_time * limits.velocity, limits.acceleration * dt
    ahead = position - measured
    up, down = _towards(lead - ahead, limits), _towards(lead + ahead, limits)
    velocity = _clip(_slowed(wanted, -down, up), -down, up)
    velocity = _clip(velocity, last - step, last + step)
    velocity = _clip(velocity, -limits.velocity, limits.velocity)
    low = np.minimum(limits.position_lower, position)
    high = np.maximum(limits.position_upper, position)
    return velocity, _clip(position + velocity * dt, low, high)


def _slowed(wanted: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the velocities scaled down until no joint exceeds its bound.

    Slowing one joint alone would change the direction of the contact point, and may make it faster:
    near a singular configuration joints move against each other. Shapes (n,) [rad/s].
    """
    limit = np.where(wanted > 0.0, high, -low)
    beyond = (np.abs(wanted) > limit) & (limit > 0.0)  # a joint outside has to come back
    if not beyond.any():
        return wanted
    return wanted * float((limit[beyond] / np.abs(wanted[beyond])).min())


def _towards(distance: np.ndarray, limits: JointLimits) -> np.ndarray:
    """Return the highest velocity that stops within a distance; negative beyond it, (n,)."""
    stops = np.sqrt(2.0 * limits.acceleration * np.maximum(0.0, distance))
    return np.where(distance >= 0.0, stops, distance / BACK)


def _clip(values: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return np.minimum(np.maximum(values, low), high)
