# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Joint states of one publisher in serialized form: only stamp and numbers change.

rclpy converts a message field by field, the joints' names included, which takes a node that is
woken once a millisecond longer than the guard of its states. In a stream, everything but the stamp
and the numbers is the same from message to message, and the places of these follow from the names
and the encoding (little-endian CDR). A message that differs in any other byte that has a meaning is
deserialized; bytes between, which only align, may hold anything.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np
from builtin_interfaces.msg import Time
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from impact_ros.exceptions import MessageError

_ENCODING = b"\x00\x01"  # plain CDR, little-endian
_STAMP, _COUNT = struct.Struct("<iI"), struct.Struct("<I")  # seconds and nanoseconds; of elements
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
    if data[:2] != _ENCODING:
        return None
    equal, arrays = [slice(0, _STAMP_AT)], []
    at = _AFTER_STAMP
    for text in (message.header.frame_id, None, *message.name):  # none: how many names
        length = 0 if text is None else len(text.encode()) + 1
        at = _aligned(at, _COUNT.size)
        equal.append(slice(at, at + _COUNT.size + length))
        at = equal[-1].stop
    for field in _FIELDS:
        count = len(getattr(message, field))
        at = _aligned(at, _COUNT.size)
        equal.append(slice(at, at + _COUNT.size))
        at = _aligned(equal[-1].stop, 8) if count else equal[-1].stop
        arrays.append((at if count else 0, count))
        at += 8 * count
    if at > len(data):
        return None
    name, frame = list(message.name), message.header.frame_id
    found = _Layout(data, name, frame, tuple(arrays), tuple(_joined(equal)))
    return found if _agree(found.read(data), message) else None


def _aligned(at: int, size: int) -> int:
    """Return the next place for an element of a size, counted from behind the encoding."""
    return at + (_STAMP_AT - at) % size


def _joined(parts: list[slice]) -> list[slice]:
    """Return the same bytes in fewer parts."""
    joined = parts[:1]
    for part in parts[1:]:
        if part.start == joined[-1].stop:
            joined[-1] = slice(joined[-1].start, part.stop)
        else:
            joined.append(part)
    return joined


def _agree(read: StreamedState, message: JointState) -> bool:
    """Return whether a message was read as it was deserialized."""
    header = message.header
    return read.header == (header.stamp, header.frame_id) and all(
        getattr(read, field).tobytes() == getattr(message, field).tobytes() for field in _FIELDS
    )
