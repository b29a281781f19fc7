# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Makes the messages of a robot's driver for a recording, without ROS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rosbags.typesys.store import Typestore

from impact_detector.attribution.expectation import Announcement
from impact_robots.robot import Robot
from impact_ros.message_fields import (
    Quaternion,
    Stamp,
    Vector,
    joint_command_fields,
    joint_state_fields,
    odometry_fields,
    pose_fields,
    vector_field,
    wrench_batch_fields,
    wrench_fields,
)
from impact_ros.messages import NANOSECONDS
from impact_ros.surface_message import announcement_fields

STATE = "sensor_msgs/msg/JointState"
WRENCH = "geometry_msgs/msg/WrenchStamped"
POSE = "geometry_msgs/msg/PoseStamped"
TWIST = "geometry_msgs/msg/TwistStamped"
SIZE = "geometry_msgs/msg/Vector3Stamped"
ODOMETRY = "nav_msgs/msg/Odometry"
ACCELERATION = "geometry_msgs/msg/AccelStamped"
COMMAND = "impact_msgs/msg/JointCommand"
BATCH = "impact_msgs/msg/WrenchBatch"
ANNOUNCEMENT = "impact_msgs/msg/ImpactAnnouncement"
_ORIGIN = (0.0, 0.0, 0.0)

Made = tuple[str, Any]  # type and message, as ``BagWriter.write`` takes them


class MessageMaker:
    """Makes messages with a stamp [ns]; forces and normals are in the axes of one frame.

    Attributes:
        types: classes of the messages by their types.
    """

    def __init__(self, typestore: Typestore, frame: str) -> None:
        """Set up.

        Args:
            typestore: with impact_msgs; the same may serve many makers.
            frame: name of the robot's base frame.
        """
        self.types, self._frame = typestore.types, frame
        self._definitions = typestore.fielddefs

    def joint_state(self, time: int, names: Sequence[str], *values: np.ndarray) -> Made:
        """Return position, velocity and effort of named joints, each of shape (n,) or empty."""
        return self.message(STATE, time, "", joint_state_fields(names, *values))

    def wrench(self, time: int, force: np.ndarray, moment: np.ndarray | None = None) -> Made:
        """Return a force (3,) [N] and its moment (3,) [N.m], none if nothing is said."""
        return self.message(WRENCH, time, self._frame, wrench_fields(force, moment))

    def wrench_batch(self, time: int, period: int, force: np.ndarray) -> Made:
        """Return forces (k, 3) [N], the first at ``time``, one a ``period`` [ns]."""
        return self.message(BATCH, time, self._frame, wrench_batch_fields(period, force))

    def pose(self, time: int, frame: str, position: np.ndarray, wxyz: np.ndarray) -> Made:
        """Return a pose in a frame: position (3,) [m], quaternion (4,), its scalar first."""
        fields = {"pose": pose_fields(position, np.roll(wxyz, -1))}
        return self.message(POSE, time, frame, fields)

    def size(self, time: int, frame: str, edges: np.ndarray) -> Made:
        """Return the edges of a box, shape (3,) [m], in its own axes."""
        return self.message(SIZE, time, frame, {"vector": vector_field(edges)})

    def odometry(
        self, time: int, frame: str, base: str, pose: np.ndarray, twist: np.ndarray
    ) -> Made:
        """Return the state of a floating base; covariances are 0: unknown.

        Args:
            time: of the measurement [ns].
            frame: in which the pose is.
            base: name of the base, in whose axes the twist is.
            pose: position [m] and quaternion x, y, z, w, shape (7,).
            twist: linear and angular velocity, shape (6,) [m/s, rad/s].
        """
        return self.message(ODOMETRY, time, frame, odometry_fields(base, pose, twist))

    def velocity(self, time: int, linear: np.ndarray) -> Made:
        """Return the velocity (3,) [m/s] of a point."""
        twist = self.types["geometry_msgs/msg/Twist"](self._vector(linear), self._vector(_ORIGIN))
        return TWIST, self.types[TWIST](self._header(time, self._frame), twist)

    def acceleration(self, time: int, linear: np.ndarray) -> Made:
        """Return the acceleration (3,) [m/s^2] of a point."""
        kind = self.types["geometry_msgs/msg/Accel"]
        accel = kind(self._vector(linear), self._vector(_ORIGIN))
        return ACCELERATION, self.types[ACCELERATION](self._header(time, self._frame), accel)

    def command(
        self, time: int, robot: Robot, values: np.ndarray, interface: str = "torque"
    ) -> Made:
        """Return a command, shape (n,), that answers the state of that time [ns]."""
        fields = joint_command_fields(self.types[COMMAND], robot, interface, values)
        return self.message(COMMAND, time, "", fields)

    def announcement(self, announced: Announcement) -> Made:
        """Return the announcement of an impact to come."""
        window = announced.start, announced.end or 0
        fields = announcement_fields(
            announced.surface, *window, frame=announced.frame, offset=announced.offset
        )
        return self.message(ANNOUNCEMENT, announced.time, self._frame, fields)

    def message(self, kind: str, time: int, frame: str, fields: Mapping[str, Any]) -> Made:
        """Return a message with a header.

        Args:
            kind: its type.
            time: stamp of the header [ns].
            frame: of the header.
            fields: all others, see :mod:`impact_ros.message_fields`.
        """
        return kind, self._made(kind, {"header": self._header(time, frame), **fields})

    def _made(self, kind: str, fields: Mapping[str, Any]) -> Any:
        """Return a message of a type; those within it are mappings."""
        values = dict(fields)
        for name, (_, within) in self._definitions[kind][1]:
            value = fields[name]
            if isinstance(value, Stamp):
                values[name] = self._stamp(value.nanoseconds)
            elif isinstance(value, (Vector, Quaternion)):
                values[name] = self.types[str(within)](*value)
            elif isinstance(value, Mapping):
                values[name] = self._made(str(within), value)
        return self.types[kind](**values)

    def _vector(self, values: Sequence[float] | np.ndarray) -> Any:
        return self.types["geometry_msgs/msg/Vector3"](*map(float, values))

    def _header(self, time: int, frame: str) -> Any:
        return self.types["std_msgs/msg/Header"](self._stamp(time), frame)

    def _stamp(self, time: int) -> Any:
        return self.types["builtin_interfaces/msg/Time"](*divmod(time, NANOSECONDS))
