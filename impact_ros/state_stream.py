# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Joint states of one publisher in serialized form: only stamp and numbers change.

rclpy converts a message field by field, the joints' names included, which takes a node that is
woken once a millisecond longer than the guard of its states. In a stream, everything but the stamp
and the numbers is the same from message to message, and the places of these are found by
serializing a message with known numbers. A message that differs in any other byte is deserialized.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np
from builtin_interfaces.msg import Time
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState

from impact_ros.exceptions import MessageError

_STAMP = struct.Struct("<iI")  # seconds and nanoseconds
_STAMP_AT, _AFTER_STAMP = 4, 12  # behind the two bytes of the encoding and two of its options
_FIELDS = ("position", "velocity", "effort")


class StreamedHeader(NamedTuple):
    """The fields of a std_msgs/Header."""

    stamp: Time
    frame_id: str


class StreamedState(NamedTuple):
    """The fields of a sensor_msgs/JointState."""

    header: StreamedHeader
    name: list[str]
    position: np.ndarray  # shape (n,) or (0,) [rad; m]
    velocity: np.ndarray  # the same [rad/s; m/s]
    effort: np.ndarray  # the same [N.m; N]


class _Layout(NamedTuple):
    """The places of the numbers in messages of one kind."""

    example: bytes
    name: list[str]
    frame: str
    arrays: tuple[tuple[int, int], ...]  # where the numbers of each field begin, and how many
    equal: tuple[slice, ...]  # bytes that must be as in the example

    def fits(self, data: bytes) -> bool:
        """Return whether a message differs from the example in stamp and numbers only."""
        example = self.example
        return len(data) == len(example) and all([data[s] == example[s] for s in self.equal])

    def read(self, data: bytes) -> StreamedState:
        """Return a message that fits."""
        second, nanosecond = _STAMP.unpack_from(data, _STAMP_AT)
        header = StreamedHeader(Time(sec=second, nanosec=nanosecond), self.frame)
        arrays = [np.frombuffer(data, float, count, start) for start, count in self.arrays]
        return StreamedState(header, self.name, *arrays)


class StateStream:
    """Reads serialized sensor_msgs/JointState of one topic."""

    def __init__(self) -> None:
        """Begin without a message."""
        self._layout: _Layout | None = None

    def read(self, data: bytes) -> JointState | StreamedState:
        """Return a message.

        Args:
            data: as a raw subscription gets it.

        Raises:
            MessageError: it cannot be read.
        """
        if self._layout is not None and self._layout.fits(data):
            return self._layout.read(data)
        try:
            message = deserialize_message(data, JointState)
        except Exception as error:  # rclpy's is a bare RuntimeError
            raise MessageError(f"expected a JointState, got bytes that are none: {error}") from None
        self._layout = _layout(data, message)
        return message


def _layout(data: bytes, message: JointState) -> _Layout | None:
    """Return the layout of a message, None if its numbers are not where they are expected."""
    probe = JointState(header=message.header, name=message.name)
    arrays, first = [], 1.0  # numbers that occur once
    for field in _FIELDS:
        count = len(getattr(message, field))
        getattr(probe, field).extend(np.arange(first, first + count))
        first += count
    written = serialize_message(probe)
    for field in _FIELDS:
        values = getattr(probe, field).tobytes()
        arrays.append((written.find(values) if values else 0, len(values) // 8))
    found = _Layout(data, list(message.name), message.header.frame_id, tuple(arrays), ())
    found = found._replace(equal=_others(arrays, len(data)))
    same_kind = len(written) == len(data) and written[:2] == data[:2]
    return found if same_kind and _agree(found.read(data), message) else None


def _others(arrays: list[tuple[int, int]], length: int) -> tuple[slice, ...]:
    """Return the bytes between stamp and arrays."""
    changing = [(_STAMP_AT, _AFTER_STAMP)]
    changing += [(start, start + 8 * count) for start, count in sorted(arrays) if count]
    ends = [0, *(end for _, end in changing)]
    begins = [*(begin for begin, _ in changing), length]
    return tuple([slice(end, begin) for end, begin in zip(ends, begins, strict=True)])


def _agree(read: StreamedState, message: JointState) -> bool:
    """Return whether a message was read as it was deserialized."""
    header = message.header
    return read.header == (header.stamp, header.frame_id) and all(
        getattr(read, field).tobytes() == getattr(message, field).tobytes() for field in _FIELDS
    )
