# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Fields of messages as mappings, for all writers: nodes, and recorders without ROS.

A message's class, of rclpy or of a recording, names its constants; everything else is a mapping
from the names of its fields to numbers, texts, lists, arrays, :class:`Stamp`, :class:`Vector`,
:class:`Quaternion`, and mappings for messages within it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from impact_robots.robot import Robot
from impact_ros.messages import NANOSECONDS, fill, from_nanoseconds, set_vector


class Stamp(NamedTuple):
    """A builtin_interfaces/Time."""

    nanoseconds: int


class Vector(NamedTuple):
    """A geometry_msgs/Vector3 or Point."""

    x: float
    y: float
    z: float


class Quaternion(NamedTuple):
    """A geometry_msgs/Quaternion."""

    x: float
    y: float
    z: float
    w: float


_ORIGIN = Vector(0.0, 0.0, 0.0)


@cache
def constant(kind: Any, prefix: str, name: str) -> int:
    """Return a constant of a message's class; that of "unknown" if the name has none.

    Args:
        kind: class of the message.
        prefix: of the constant's name, for example "MODE".
        name: the rest of it, in any case.
    """
    unknown = getattr(kind, f"{prefix}_UNKNOWN", 0)
    return int(getattr(kind, f"{prefix}_{name.upper()}", unknown))


def joint_command_fields(
    kind: Any, robot: Robot, interface: str, values: np.ndarray
) -> dict[str, Any]:
    """Return the fields of an impact_msgs/JointCommand, all but the header.

    Args:
        kind: class of the message.
        robot: that is commanded.
        interface: "torque", "velocity" or "position".
        values: in the unit of the interface, shape (n,).
    """
    return {
        "interface": constant(kind, "INTERFACE", interface),
        "includes_gravity": interface == "torque" and not robot.driver_compensates_gravity,
        "joint_names": list(robot.joint_names),
        "values": values,
    }


def stamped(time: int, frame: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields with a header before them: time [ns], and frame."""
    return {"header": {"stamp": Stamp(time), "frame_id": frame}, **fields}


def joint_state_fields(names: Sequence[str], *values: np.ndarray) -> dict[str, Any]:
    """Return the fields of a JointState: position, velocity, effort, each (n,) or empty."""
    return {"name": list(names)} | dict(
        zip(("position", "velocity", "effort"), values, strict=True)
    )


def vector_field(values: np.ndarray) -> Vector:
    """Return three numbers, shape (3,), as the field of a message."""
    return Vector(*np.asarray(values, dtype=float).tolist())


def wrench_fields(force: np.ndarray, moment: np.ndarray | None = None) -> dict[str, Any]:
    """Return the fields of a WrenchStamped: force (3,) [N], and moment (3,) [N.m] or none."""
    torque = _ORIGIN if moment is None else vector_field(moment)
    return {"wrench": {"force": vector_field(force), "torque": torque}}


def wrench_batch_fields(period: int, force: np.ndarray) -> dict[str, Any]:
    """Return the fields of an impact_msgs/WrenchBatch: forces (k, 3) [N], one a period [ns]."""
    return {
        "sample_period": period / NANOSECONDS,
        "force": force.ravel(),
        "torque": np.zeros(0),
    }


def pose_fields(position: np.ndarray, xyzw: np.ndarray) -> dict[str, Any]:
    """Return the fields of a Pose: position (3,) [m], quaternion (4,), its scalar last."""
    turn = Quaternion(*np.asarray(xyzw, dtype=float).tolist())
    return {"position": vector_field(position), "orientation": turn}


def odometry_fields(base: str, pose: np.ndarray, twist: np.ndarray) -> dict[str, Any]:
    """Return the fields of an Odometry; covariances are 0: unknown.

    Args:
        base: name of the base, in whose axes the twist is.
        pose: position [m] and quaternion x, y, z, w, shape (7,).
        twist: linear and angular velocity, shape (6,) [m/s, rad/s].
    """
    velocity = {"linear": vector_field(twist[:3]), "angular": vector_field(twist[3:])}
    return {
        "child_frame_id": base,
        "pose": {"pose": pose_fields(pose[:3], pose[3:]), "covariance": np.zeros(36)},
        "twist": {"twist": velocity, "covariance": np.zeros(36)},
    }


def write(message: Any, fields: Mapping[str, Any]) -> None:
    """Write fields into a message of rclpy.

    Raises:
        MessageError: a stamp or the number of values does not fit.
    """
    for name, value in fields.items():
        if isinstance(value, Stamp):
            from_nanoseconds(value.nanoseconds, getattr(message, name))
        elif isinstance(value, Vector):
            set_vector(getattr(message, name), value)
        elif isinstance(value, Quaternion):
            turn = getattr(message, name)
            turn.x, turn.y, turn.z, turn.w = value
        elif isinstance(value, Mapping):
            write(getattr(message, name), value)
        elif isinstance(value, np.ndarray):
            fill(getattr(message, name), value)
        else:
            setattr(message, name, value)
