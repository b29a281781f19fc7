# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The messages that the governor passes on: numbers out of them, and numbers back into them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from geometry_msgs.msg import TwistStamped
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from impact_robots.robot import Robot
from impact_robots.state.state import PointState
from impact_ros.exceptions import MessageError
from impact_ros.messages import fill, reorder, set_vector, vector


class CommandStream(ABC):
    """One type of commands.

    Attributes:
        kind: type of the messages.
        topic: name of what is published; what is heard has the suffix ``_in``.
        motion: name of what the governor takes, see :data:`.MOTIONS`.
    """

    kind: Any
    topic: str
    motion: str

    def __init__(self, robot: Robot) -> None:
        """Read and write commands of an arm; nothing was read yet."""
        self._robot = robot
        self._last: Any = None  # message that was read last

    @abstractmethod
    def read(self, message: Any, point: PointState) -> np.ndarray:
        """Return the numbers of a message, as the governor takes them.

        Args:
            message: of another controller.
            point: of contact, in the newest state.

        Raises:
            MessageError: its form is not that of a command for this arm.
        """

    @abstractmethod
    def written(self, values: np.ndarray, factor: float) -> Any:
        """Return the message to send, in the form of the one that was read last.

        Args:
            values: of the governor.
            factor: of the governor, 0 for a rest [-].
        """


class ArrayStream(CommandStream):
    """Joint values without names, as a forward_command_controller takes them."""

    kind, topic = Float64MultiArray, "commands"

    def read(self, message: Any, point: PointState) -> np.ndarray:
        """Return the values, in the robot's joint order."""
        return np.array(message.data, dtype=float)  # the governor compares their number

    def written(self, values: np.ndarray, factor: float) -> Any:
        """Return the values."""
        message = Float64MultiArray()
        fill(message.data, values)
        return message


class VelocityStream(ArrayStream):
    """Joint velocities [rad/s]."""

    motion = "velocity"


class PositionStream(ArrayStream):
    """Joint positions [rad]."""

    motion = "position"


class TwistStream(CommandStream):
    """Twists in base axes or those of the contact frame, as MoveIt Servo takes them."""

    kind, topic, motion = TwistStamped, "twist", "twist"

    def read(self, message: Any, point: PointState) -> np.ndarray:
        """Return the twist in base axes."""
        frame, known = message.header.frame_id, (self._robot.base_frame, self._robot.contact_frame)
        if frame not in ("", *known):
            raise MessageError(f"expected frame_id {' or '.join(known)}, got {frame!r}")
        self._last = message
        linear, angular = vector(message.twist.linear), vector(message.twist.angular)
        if frame == self._robot.contact_frame:
            linear, angular = point.rotation @ linear, point.rotation @ angular
        return np.concatenate([linear, angular])

    def written(self, values: np.ndarray, factor: float) -> Any:
        """Return the twist that was read times the factor, in its own axes."""
        message, read = TwistStamped(), self._last
        if read is None:
            return message
        message.header = read.header
        if factor > 0.0:
            set_vector(message.twist.linear, factor * vector(read.twist.linear))
            set_vector(message.twist.angular, factor * vector(read.twist.angular))
        return message


class TrajectoryStream(CommandStream):
    """Trajectories of one point, as MoveIt Servo streams them to a joint_trajectory_controller."""

    kind, topic, motion = JointTrajectory, "trajectory", "position"

    def __init__(self, robot: Robot) -> None:
        """Read and write trajectories of all joints of an arm."""
        super().__init__(robot)
        self._order = np.arange(robot.dof)

    def read(self, message: Any, point: PointState) -> np.ndarray:
        """Return the positions of the point."""
        if len(message.points) != 1:
            raise MessageError(f"expected one point in a trajectory, got {len(message.points)}")
        order = reorder(message.joint_names, self._robot.joint_names)
        target, n = message.points[0], len(message.joint_names)
        if n != self._robot.dof:
            raise MessageError(f"expected {self._robot.dof} joints, got {n}")
        if len(target.positions) != n or len(target.velocities) not in (0, n):
            raise MessageError(
                f"expected {n} positions and no or {n} velocities, got {len(target.positions)} and"
                f" {len(target.velocities)}"
            )
        self._last, self._order = message, order
        return np.array(target.positions, dtype=float)[order]

    def written(self, values: np.ndarray, factor: float) -> Any:
        """Return the positions, and the velocities times the factor; no accelerations."""
        read, positions = self._last, np.empty(len(values))
        message, target = JointTrajectory(), JointTrajectoryPoint()
        message.points.append(target)
        positions[self._order] = values
        target.positions = positions.tolist()
        message.joint_names = list(self._robot.joint_names if read is None else read.joint_names)
        if read is not None:
            message.header, given = read.header, read.points[0]
            target.time_from_start = given.time_from_start
            if len(given.velocities):
                scaled = factor * np.array(given.velocities, dtype=float)
                target.velocities = (scaled if factor > 0.0 else np.zeros(len(values))).tolist()
        return message


STREAMS: dict[str, type[CommandStream]] = {
    "velocity": VelocityStream,
    "position": PositionStream,
    "twist": TwistStream,
    "trajectory": TrajectoryStream,
}
