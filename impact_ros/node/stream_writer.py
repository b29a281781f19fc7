# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Serialized messages of one publisher: only the stamp and one field of numbers are written.

rclpy converts a message field by field, the names of joints included. In a stream, everything but
the stamp and the numbers is the same from message to message.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from rclpy.serialization import serialize_message

from impact_ros.messages import STAMP_AT, fill

_STAMP = struct.Struct("=iI")  # in the machine's own byte order, as rclpy serializes


class StreamWriter:
    """Writes messages that begin with a std_msgs/Header and differ in its stamp and one field."""

    def __init__(self, message: Any, field: str) -> None:
        """Serialize what does not change.

        Args:
            message: of the stream.
            field: of it, with as many numbers as all messages have (float64).
        """
        count = len(getattr(message, field))
        marks = np.pi + np.arange(count)  # such numbers are nowhere else in a message
        fill(getattr(message, field), marks)
        self._bytes = bytearray(serialize_message(message))
        start = self._bytes.index(marks.tobytes())
        self._numbers = np.frombuffer(self._bytes, float, count, start)

    def write(self, values: np.ndarray, stamp: Any) -> bytes:
        """Return a message as a publisher takes it.

        Args:
            values: numbers of the field, shape (n,).
            stamp: builtin_interfaces/Time of the header.

        Raises:
            ValueError: another number of values.
        """
        _STAMP.pack_into(self._bytes, STAMP_AT, stamp.sec, stamp.nanosec)
        self._numbers[:] = values
        return bytes(self._bytes)
