# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The types of commands that the governor passes on."""

from __future__ import annotations

from typing import Any

import numpy as np
from geometry_msgs.msg import TwistStamped
from std_msgs.msg import Float64MultiArray

from impact_qp.governor.command_stream import CommandStream, Moment
from impact_qp.governor.trajectory_stream import TrajectoryStream
from impact_ros.exceptions import MessageError
from impact_ros.messages import fill, set_vector, vector


class ArrayStream(CommandStream):
    """Joint values without names, as a forward_command_controller takes them."""

    kind, topic = Float64MultiArray, "commands"

    def read(self, message: Any, moment: Moment) -> np.ndarray:
        """Return the values, in the robot's joint order."""
        self._last, self._goes_on = message, True
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

    def read(self, message: Any, moment: Moment) -> np.ndarray:
        """Return the twist in base axes."""
        frame, known = message.header.frame_id, (self._robot.base_frame, self._robot.contact_frame)
        if frame not in ("", *known):
            raise MessageError(f"expected frame_id {' or '.join(known)}, got {frame!r}")
        self._last, self._goes_on = message, True
        linear, angular = vector(message.twist.linear), vector(message.twist.angular)
        if frame == self._robot.contact_frame:
            rotation = moment.point.rotation
            linear, angular = rotation @ linear, rotation @ angular
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


STREAMS: dict[str, type[CommandStream]] = {
    "velocity": VelocityStream,
    "position": PositionStream,
    "twist": TwistStream,
    "trajectory": TrajectoryStream,
}
