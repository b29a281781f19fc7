# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the commands of another controller are: the motion that one asks for, and a part of it."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from impact_qp.exceptions import ControlError
from impact_qp.interface import LEAD
from impact_robots.robot import Robot
from impact_robots.state.state import PointState

NEAR_SINGULAR = 1e-9  # damping of the inverse Jacobian, so that it exists [m^2]
ELSEWHERE = 1.5  # of the lead: an arm that is farther from what it was sent was moved away [-]
LONGEST_STEP = 0.01  # of positions: drivers go to a step at once, whatever comes after it [s]


class CommandedMotion(ABC):
    """One kind of commands, and the last one that was sent.

    Attributes:
        name: of the parameter ``interface``.
        driver: name of the :class:`.CommandInterface` of an arm that takes them.
        shape: of a command.
    """

    name: str
    driver = "velocity"

    def __init__(self, robot: Robot, frame: str | None = None) -> None:
        """Take commands of an arm; ``frame`` of a twist, none: the contact frame."""
        self._robot = robot
        self.shape: tuple[int] = (robot.dof,)

    def forget(self) -> None:
        """Forget what was sent."""
        return

    def start(self, q: np.ndarray) -> np.ndarray:
        """Return the positions from which a first command moves an arm at measured ones, (n,)."""
        return q

    def begin_anew(self, q: np.ndarray) -> None:
        """Expect a first command with an arm at positions, shape (n,) [rad]."""
        return

    @abstractmethod
    def judged(
        self, point: PointState, values: np.ndarray, elapsed: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the velocities that a command asks for: joints (n,) and contact point (3,).

        Args:
            point: of contact.
            values: command.
            elapsed: time since the last command; 0: it is a first one [s].
        """

    def led(self, values: np.ndarray, q: np.ndarray) -> tuple[float, str]:
        """Return the highest factor by the distance to measured positions (n,), and its joint."""
        return 1.0, ""

    def scaled(self, values: np.ndarray, factor: float, elapsed: float) -> np.ndarray:
        """Return what to send a time after the last command [s], and note that it was sent."""
        return factor * values

    def rest(self) -> np.ndarray | None:
        """Return the command that stops the arm; None: no position was sent."""
        return np.zeros(self.shape)


class VelocityMotion(CommandedMotion):
    """Joint velocities [rad/s]."""

    name = "velocity"

    def judged(
        self, point: PointState, values: np.ndarray, elapsed: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the command, and what the contact point does."""
        return values, point.J[:3] @ values


class TwistMotion(CommandedMotion):
    """Twists of a frame, linear and angular in base axes [m/s, rad/s].

    Joint velocities are the shortest ones; near a singular configuration they are large, and
    another controller's inverse kinematics may move the arm's links otherwise.
    """

    name = "twist"

    def __init__(self, robot: Robot, frame: str | None = None) -> None:
        """Take twists of a frame.

        Raises:
            ControlError: the arm cannot follow any twist, or there is no such frame.
        """
        super().__init__(robot, frame)
        if robot.dof < 6:
            raise ControlError(f"interface: expected 6 joints or more for twists, got {robot.dof}")
        if frame is not None and not robot.model.existFrame(frame):
            raise ControlError(f"twist_frame: no frame {frame!r} in the model of {robot.name}")
        self.shape, self._frame = (6,), frame

    def judged(
        self, point: PointState, values: np.ndarray, elapsed: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the shortest joint velocities, and the rigid body's at the contact point."""
        at = point if self._frame is None else point.robot_state.at(self._frame)
        damped = at.J @ at.J.T + NEAR_SINGULAR * np.eye(6)
        velocity = at.J.T @ np.linalg.solve(damped, values)
        lever = point.position - at.position
        return velocity, values[:3] + np.cross(values[3:], lever)


class PositionMotion(CommandedMotion):
    """Joint positions [rad]: a command is the step from the position sent last."""

    name, driver = "position", "position"

    def __init__(self, robot: Robot, frame: str | None = None) -> None:
        """Take positions of an arm."""
        super().__init__(robot)
        self._lead = LEAD * robot.limits.velocity
        self.sent: np.ndarray | None = None

    def forget(self) -> None:
        """Forget the position that was sent."""
        self.sent = None

    def start(self, q: np.ndarray) -> np.ndarray:
        """Return the position sent last; the measured one, if it was moved away from that."""
        if self.sent is None or (np.abs(self.sent - q) > ELSEWHERE * self._lead).any():
            return np.array(q)
        return self.sent

    def begin_anew(self, q: np.ndarray) -> None:
        """Start from there."""
        self.sent = self.start(q)

    def judged(
        self, point: PointState, values: np.ndarray, elapsed: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the velocities of the step."""
        if self.sent is None:
            self.begin_anew(point.q)
        if elapsed <= 0.0:
            return np.zeros(self.shape), np.zeros(3)  # the factor of a first command is zero
        velocity = (values - self.sent) / min(elapsed, LONGEST_STEP)
        return velocity, point.J[:3] @ velocity

    def led(self, values: np.ndarray, q: np.ndarray) -> tuple[float, str]:
        """Return the factor at which no joint's command leads the arm by more than ``LEAD``."""
        assert self.sent is not None
        step = values - self.sent
        room = np.maximum(self._lead - np.sign(step) * (self.sent - q), 0.0)
        factors = room / np.maximum(np.abs(step), 1e-12)
        joint = int(factors.argmin())
        return min(1.0, float(factors[joint])), self._robot.joint_names[joint]

    def scaled(self, values: np.ndarray, factor: float, elapsed: float) -> np.ndarray:
        """Return a part of the step; none at the time of the last one."""
        assert self.sent is not None
        if elapsed > 0.0:
            self.sent = self.sent + factor * (values - self.sent)
        return self.sent

    def rest(self) -> np.ndarray | None:
        """Return the position sent last."""
        return self.sent


MOTIONS: dict[str, type[CommandedMotion]] = {
    each.name: each for each in (VelocityMotion, PositionMotion, TwistMotion)
}
