# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Fields of messages as mappings, for all writers: nodes, and recorders without ROS.

A message's class, of rclpy or of a recording, names its constants; everything else is a mapping
from the names of its fields to numbers, texts, lists, arrays, :class:`Stamp`, :class:`Vector`, and
mappings for messages within it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from impact_robots.robot import Robot
from impact_ros.messages import fill, from_nanoseconds, set_vector


class Stamp(NamedTuple):
    """A builtin_interfaces/Time."""

    nanoseconds: int


class Vector(NamedTuple):
    """A geometry_msgs/Vector3 or Point."""

    x: float
    y: float
    z: float


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
        elif isinstance(value, Mapping):
            write(getattr(message, name), value)
        elif isinstance(value, np.ndarray):
            fill(getattr(message, name), value)
        else:
            setattr(message, name, value)
