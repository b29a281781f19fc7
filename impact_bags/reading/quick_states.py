# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads serialised joint states of an unchanged layout without parsing them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from struct import Struct
from typing import Any, NamedTuple

import numpy as np

from impact_bags.reading.recording import credible
from impact_detector.signals.sample import JointSample
from impact_ros.exceptions import MessageError
from impact_ros.messages import STAMP, STAMP_AT, JointReader, in_nanoseconds, to_nanoseconds

LITTLE_ENDIAN = b"\x00\x01\x00\x00"  # header of serialised data; offsets count from its end
_COUNT = Struct("<I")
_NAMES = STAMP_AT + STAMP.size  # offset of frame and names


class _Layout(NamedTuple):
    """Layout of a message, in bytes."""

    length: int  # of all
    head: bytes  # frame, names, and the count of positions
    columns: tuple[int, int, int]  # first position, velocity and effort
    counts: tuple[int, int]  # of velocities and efforts
    joints: int  # in the message


class QuickStates:
    """Makes samples of one topic's sensor_msgs/JointState.

    The first message of a layout is parsed, and the layout used only if it gives the same numbers.
    Messages without torques, or with another layout, are parsed.
    """

    def __init__(self, reader: JointReader) -> None:
        """Return samples in the order of the ``reader``'s joints."""
        self._reader = reader
        self._layout: _Layout | None = None
        self._order = np.zeros(0, dtype=np.intp)

    def __call__(self, data: bytes, parse: Callable[[], Any]) -> Any:
        """Return the sample of a serialised message, or the message itself, by ``parse``."""
        layout = self._layout
        if layout is not None and _fits(data, layout):
            with suppress(MessageError):  # an invalid stamp is the parser's matter
                return credible(self._sample(data, layout))
        message = parse()
        self._learn(data, message)
        return message

    def _sample(self, data: bytes, layout: _Layout) -> JointSample:
        """Return the measurement of a message of that layout.

        Raises:
            MessageError: its stamp is none.
        """
        time = in_nanoseconds(*STAMP.unpack_from(data, STAMP_AT))
        n, order = layout.joints, self._order
        q, dq, tau = (np.frombuffer(data, "<f8", n, first)[order] for first in layout.columns)
        return JointSample(time, q, dq, tau)

    def _learn(self, data: bytes, message: Any) -> None:
        """Store a message's layout for the next ones, if it is supported."""
        self._layout = None
        try:
            names = list(message.name)
            layout = _layout_of(data, len(names))
            arrays, time = self._reader.read(message), to_nanoseconds(message.header.stamp)
        except (AttributeError, MessageError, TypeError, ValueError):
            return
        if layout is None:
            return
        self._order = np.array([names.index(name) for name in self._reader.names], dtype=np.intp)
        sample = self._sample(data, layout)
        got = np.concatenate([sample.q, sample.dq, np.asarray(sample.tau)])
        same = np.array_equal(got, np.concatenate(arrays), equal_nan=True)
        if same and sample.time == time:
            self._layout = layout


def _fits(data: bytes, layout: _Layout) -> bool:
    """Return whether a message has this layout."""
    return (
        len(data) == layout.length
        and data.startswith(LITTLE_ENDIAN)
        and data.startswith(layout.head, _NAMES)
        and _COUNT.unpack_from(data, layout.counts[0]) == (layout.joints,)
        and _COUNT.unpack_from(data, layout.counts[1]) == (layout.joints,)
    )


def _layout_of(data: bytes, joints: int) -> _Layout | None:
    """Return the layout of a message with ``joints`` joints; None if a field is missing."""
    size = 8 * joints
    for place in range(_NAMES, len(data) - size, 4):  # counts are aligned to four bytes
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
    """Return the offset of the numbers after their count at ``count``."""
    origin = len(LITTLE_ENDIAN)
    return origin + -(-(count + _COUNT.size - origin) // 8) * 8
