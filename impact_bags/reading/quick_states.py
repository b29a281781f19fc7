# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads serialised joint states that are laid out like the one before, without parsing them."""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct
from typing import Any, NamedTuple

import numpy as np

from impact_bags.reading.recording import credible
from impact_detector.signals.sample import JointSample
from impact_ros.exceptions import MessageError
from impact_ros.messages import NANOSECONDS, JointReader

LITTLE_ENDIAN = b"\x00\x01\x00\x00"  # begins what is serialised, and offsets count from behind it
_COUNT, _STAMP = Struct("<I"), Struct("<iI")
_NAMES = 12  # where frame and names begin, behind the stamp


class _Layout(NamedTuple):
    """Where what is in a message, in bytes."""

    length: int  # of all
    head: bytes  # frame, names, and the count of positions
    columns: tuple[int, int, int]  # first position, velocity and effort
    counts: tuple[int, int]  # of velocities and efforts
    joints: int  # in the message


class QuickStates:
    """Makes samples of one topic's sensor_msgs/JointState.

    The first message of a layout is parsed, and the layout taken only if it gives the same numbers.
    Without torques, or for whatever else is not laid out like it, the message is parsed.
    """

    def __init__(self, reader: JointReader) -> None:
        """Give samples in the order of the ``reader``'s joints."""
        self._reader = reader
        self._layout: _Layout | None = None
        self._order = np.zeros(0, dtype=np.intp)

    def __call__(self, data: bytes, parse: Callable[[], Any]) -> Any:
        """Return the sample of a serialised message, or the message itself, by ``parse``."""
        layout = self._layout
        if layout is not None and _fits(data, layout):
            return credible(self._sample(data, layout))
        message = parse()
        self._learn(data, message)
        return message

    def _sample(self, data: bytes, layout: _Layout) -> JointSample:
        """Return the measurement of a message of that layout."""
        n, order = layout.joints, self._order
        q, dq, tau = (np.frombuffer(data, "<f8", n, first)[order] for first in layout.columns)
        seconds, rest = _STAMP.unpack_from(data, len(LITTLE_ENDIAN))
        return JointSample(seconds * NANOSECONDS + rest, q, dq, tau)

    def _learn(self, data: bytes, message: Any) -> None:
        """Take a message's layout for that of those to come, if it is understood."""
        self._layout = None
        try:
            names = list(message.name)
            layout = _layout_of(data, len(names))
            arrays = self._reader.read(message)
        except (AttributeError, MessageError, TypeError, ValueError):
            return
        if layout is None:
            return
        self._order = np.array([names.index(name) for name in self._reader.names], dtype=np.intp)
        sample, stamp = self._sample(data, layout), message.header.stamp
        got = np.concatenate([sample.q, sample.dq, np.asarray(sample.tau)])
        same = np.array_equal(got, np.concatenate(arrays), equal_nan=True)
        if same and sample.time == stamp.sec * NANOSECONDS + stamp.nanosec:
            self._layout = layout


def _fits(data: bytes, layout: _Layout) -> bool:
    """Return whether a message is laid out like that."""
    return (
        len(data) == layout.length
        and data.startswith(LITTLE_ENDIAN)
        and data.startswith(layout.head, _NAMES)
        and _COUNT.unpack_from(data, layout.counts[0]) == (layout.joints,)
        and _COUNT.unpack_from(data, layout.counts[1]) == (layout.joints,)
    )


def _layout_of(data: bytes, joints: int) -> _Layout | None:
    """Return where a message of so many joints has its numbers; None if a field is missing."""
    size = 8 * joints
    for place in range(_NAMES, len(data) - size, 4):  # the counts stand on multiples of four
        first = _first_number(place)
        velocity = first + size
        effort = _first_number(velocity) + size
        length = _first_number(effort) + size
        if length != len(data):
            continue
        counts = [_COUNT.unpack_from(data, at)[0] for at in (place, velocity, effort)]
        if counts == [joints] * 3:
            columns = first, _first_number(velocity), _first_number(effort)
            head = data[_NAMES : place + _COUNT.size]
            return _Layout(length, head, columns, (velocity, effort), joints)
    return None


def _first_number(count: int) -> int:
    """Return where the numbers begin behind their count, which stands at ``count``."""
    origin = len(LITTLE_ENDIAN)
    return origin + -(-(count + _COUNT.size - origin) // 8) * 8
