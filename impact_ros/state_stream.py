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
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from impact_ros.exceptions import MessageError
from impact_ros.messages import STAMP, STAMP_AT

_ENCODING = b"\x00\x01"  # plain CDR, little-endian
_COUNT = struct.Struct("<I")  # of elements
_AFTER_STAMP = STAMP_AT + STAMP.size
_FIELDS = ("position", "velocity", "effort")
_BETWEEN = 8  # bytes from the last number of a field to the first of the next one that has any
_EMPTY = np.empty(0)


class StreamedStamp(NamedTuple):
    """The fields of a builtin_interfaces/Time, of which one takes longer to create."""

    sec: int
    nanosec: int


class StreamedHeader(NamedTuple):
    """The fields of a std_msgs/Header."""

    stamp: StreamedStamp
    frame_id: str


class StreamedState(NamedTuple):
    """The fields of a sensor_msgs/JointState; its numbers are read all at once or by field."""

    header: StreamedHeader
    name: list[str]
    numbers: np.ndarray  # of the fields that it has, one a row, shape (k, n)
    rows: tuple[int | None, ...]  # of position, velocity and effort; none: it has no such field

    def _field(self, index: int) -> np.ndarray:
        row = self.rows[index]
        return _EMPTY if row is None else self.numbers[row]

    @property
    def position(self) -> np.ndarray:
        """Shape (n,) or (0,) [rad; m]."""
        return self._field(0)

    @property
    def velocity(self) -> np.ndarray:
        """Shape (n,) or (0,) [rad/s; m/s]."""
        return self._field(1)

    @property
    def effort(self) -> np.ndarray:
        """Shape (n,) or (0,) [N.m; N]."""
        return self._field(2)


class _Layout(NamedTuple):
    """The places of the numbers in messages of one kind."""

    size: int  # of a message [bytes]
    mask: int  # of the bytes that must be as in the example, as a number
    equal: int  # these bytes
    name: list[str]
    frame: str
    shape: tuple[int, int]  # of the numbers
    start: int  # of the first number [bytes]
    rows: tuple[int | None, ...]

    def fits(self, data: bytes) -> bool:
        """Return whether a message differs from the example in stamp and numbers only."""
        return len(data) == self.size and int.from_bytes(data, "little") & self.mask == self.equal

    def read(self, data: bytes) -> StreamedState:
        """Return a message that fits."""
        stamp = StreamedStamp._make(STAMP.unpack_from(data, STAMP_AT))
        header = StreamedHeader(stamp, self.frame)
        stride = 8 * self.shape[1] + _BETWEEN
        numbers = np.ndarray(self.shape, float, data, self.start, (stride, 8))
        return StreamedState(header, self.name, numbers, self.rows)


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
    mask = bytearray(len(data))
    at = _AFTER_STAMP
    mask[:STAMP_AT] = b"\xff" * STAMP_AT

    def fixed(size: int) -> None:
        """Go over bytes that must be the same, behind the next place for a count."""
        nonlocal at
        at = _aligned(at, _COUNT.size)
        mask[at : at + size] = b"\xff" * size
        at += size

    for text in (message.header.frame_id, None, *message.name):  # none: how many names
        fixed(_COUNT.size + (0 if text is None else len(text.encode()) + 1))
    counts = [len(getattr(message, field)) for field in _FIELDS]
    start, given = 0, [count for count in counts if count]
    for count in counts:
        fixed(_COUNT.size)
        if count:
            at = _aligned(at, 8)
            start = start or at
            at += 8 * count
    if at > len(data) or len({*given}) > 1:
        return None
    own = iter(range(len(given)))
    rows = tuple(next(own) if count else None for count in counts)
    found = _Layout(
        size=len(data),
        mask=int.from_bytes(mask, "little"),
        equal=int.from_bytes(data, "little") & int.from_bytes(mask, "little"),
        name=list(message.name),
        frame=message.header.frame_id,
        shape=(len(given), max(given, default=0)),
        start=start,
        rows=rows,
    )
    return found if _agree(found.read(data), message) else None


def _aligned(at: int, size: int) -> int:
    """Return the next place for an element of a size, counted from behind the encoding."""
    return at + (STAMP_AT - at) % size


def _agree(read: StreamedState, message: JointState) -> bool:
    """Return whether a message was read as it was deserialized."""
    stamp, frame = message.header.stamp, message.header.frame_id
    return read.header == ((stamp.sec, stamp.nanosec), frame) and all(
        getattr(read, field).tobytes() == getattr(message, field).tobytes() for field in _FIELDS
    )
