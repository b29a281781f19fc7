# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Joint states that are read from their bytes are those that rclpy deserializes."""

import contextlib

import numpy as np
import pytest

pytest.importorskip("rclpy")

from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from impact_ros import state_stream
from impact_ros.exceptions import MessageError
from impact_ros.messages import JointReader, from_nanoseconds, to_nanoseconds
from impact_ros.state_stream import StateStream

NAMES = [f"joint{i}" for i in range(1, 8)]


def state(k=0, names=NAMES, frame="", fields=("position", "velocity", "effort"), low=-1.0):
    """Return a message with other numbers for every k."""
    random = np.random.default_rng(k)
    message = JointState(name=list(names))
    message.header.frame_id = frame
    from_nanoseconds(k * 1_000_000_007, message.header.stamp)
    for field in fields:
        getattr(message, field).extend(random.uniform(low, 1.0, len(names)))
    return message


def same(read, message):
    """Return whether a message was read with all its bits."""
    return (
        to_nanoseconds(read.header.stamp) == to_nanoseconds(message.header.stamp)
        and read.header.frame_id == message.header.frame_id
        and list(read.name) == message.name
        and all(
            np.asarray(getattr(read, each)).tobytes() == getattr(message, each).tobytes()
            for each in ("position", "velocity", "effort")
        )
    )


@pytest.fixture
def deserialized(monkeypatch):
    """Return a list of all messages that rclpy deserializes."""
    found, call = [], state_stream.deserialize_message

    def deserialize(data, kind):
        found.append(data)
        return call(data, kind)

    monkeypatch.setattr(state_stream, "deserialize_message", deserialize)
    return found


@pytest.mark.parametrize("frame", ["", "base", "odd"])
@pytest.mark.parametrize("fields", [("position",), ("position", "velocity"), ("effort",), ()])
def test_only_the_first_of_a_stream_is_deserialized(deserialized, frame, fields):
    stream = StateStream()
    for k in range(5):
        message = state(k, frame=frame, fields=fields)
        assert same(stream.read(serialize_message(message)), message)
    assert len(deserialized) == 1


@pytest.mark.parametrize("fields", [("position", "velocity"), ()])
def test_bytes_that_only_align_may_be_any(deserialized, fields):
    """A sender leaves there, and behind the last number, what was in its memory."""
    message = state(1, names=["a", "bcdef", "gh"], frame="tool", fields=fields)
    data, free = serialize_message(message), []
    stream = StateStream()
    stream.read(data)
    for place in range(len(data)):
        other = bytearray(data)
        other[place] ^= 0xFF
        before = len(deserialized)
        with contextlib.suppress(MessageError):
            read = stream.read(bytes(other))
            if len(deserialized) == before:
                free.append(place)
                assert list(read.name) == message.name
                assert read.header.frame_id == "tool"
        stream = StateStream()
        stream.read(data)
    numbers = 8 * 3 * len(fields)
    assert len(free) > 8 + numbers  # stamp, numbers, and what only aligns


def test_numbers_may_be_any(deserialized):
    """Also where they are those with which their places are found, NaN, or a negative zero."""
    stream = StateStream()
    for values in (np.arange(1.0, 8.0), np.full(7, np.nan), np.full(7, -0.0), np.full(7, np.inf)):
        message = JointState(name=NAMES, position=values, velocity=values, effort=values)
        assert same(stream.read(serialize_message(message)), message)
    assert len(deserialized) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"names": [*NAMES[:6], "joint8"]},
        {"names": NAMES[::-1]},
        {"names": NAMES[:6]},
        {"frame": "tool"},
        {"fields": ("position", "velocity")},
        {"fields": ("position", "effort")},
    ],
)
def test_another_kind_of_message_is_read_as_it_is(deserialized, change):
    stream = StateStream()
    for k in range(3):
        for message in (state(k), state(k, **change)):
            assert same(stream.read(serialize_message(message)), message)
    assert len(deserialized) == 6


def test_arrays_of_a_streamed_state_are_those_of_the_reader(panda):
    stream, names = StateStream(), panda.joint_names
    shuffled = [*names[3:], "finger", *names[:3]]
    for k in range(3):
        message = state(k, names=shuffled)
        read = stream.read(serialize_message(message))
        arrays = JointReader(names).read(read)
        for mine, others in zip(arrays, JointReader(names).read(message), strict=True):
            np.testing.assert_array_equal(mine, others)
            assert mine.flags.writeable
            assert mine.flags.aligned
        assert to_nanoseconds(read.header.stamp) == k * 1_000_000_007


@pytest.mark.parametrize("length", [0, 3, 11, 100])
def test_bytes_that_are_no_message_are_refused(length):
    stream, data = StateStream(), serialize_message(state(1))
    stream.read(data)
    with pytest.raises(MessageError, match="expected a JointState"):
        stream.read(data[:length])


def test_a_foreign_byte_order_is_not_read_by_place(deserialized):
    """Bytes of a big-endian sender have another encoding, for which there are no places."""
    stream, data = StateStream(), serialize_message(state(1))
    stream.read(data)
    foreign = b"\x00\x00" + data[2:]
    with contextlib.suppress(MessageError):
        stream.read(foreign)
    assert deserialized[-1] == foreign
