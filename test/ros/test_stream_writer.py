# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Messages whose numbers are written into their bytes are those that rclpy serializes."""

import numpy as np
import pytest

pytest.importorskip("rclpy")

from builtin_interfaces.msg import Time
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from impact_ros.node.stream_writer import StreamWriter


def message(names, field, values, stamp, frame):
    """Return a state with one field."""
    made = JointState(name=names)
    made.header.stamp, made.header.frame_id = stamp, frame
    getattr(made, field).extend(values)
    return made


@pytest.mark.parametrize("names", [["a"], ["joint1", "j2"], [f"panda_joint{i}" for i in range(7)]])
@pytest.mark.parametrize("field", ["position", "effort"])
@pytest.mark.parametrize("frame", ["", "base", "odd"])
def test_each_message_is_the_one_that_rclpy_would_send(names, field, frame):
    random = np.random.default_rng(0)
    zeros = np.zeros(len(names))
    writer = StreamWriter(message(names, field, zeros, Time(), frame), field)
    for k in range(5):
        values, stamp = random.standard_normal(len(names)), Time(sec=-k, nanosec=999_999_999 - k)
        if k == 4:
            values[:] = np.nan, *values[1:]
        read = deserialize_message(writer.write(values, stamp), JointState)
        expected = message(names, field, values, stamp, frame)
        assert read.header == expected.header
        assert read.name == names
        for each in ("position", "velocity", "effort"):
            assert getattr(read, each).tobytes() == getattr(expected, each).tobytes()


def test_a_message_stays_what_it_was_when_the_next_is_written():
    writer = StreamWriter(message(["a"], "effort", [0.0], Time(), ""), "effort")
    first = writer.write(np.array([1.0]), Time(sec=1))
    writer.write(np.array([2.0]), Time(sec=2))
    assert deserialize_message(first, JointState).effort[0] == 1.0


def test_another_number_of_values_is_refused():
    writer = StreamWriter(message(["a", "b"], "effort", [0.0] * 2, Time(), ""), "effort")
    with pytest.raises(ValueError, match="broadcast"):
        writer.write(np.zeros(3), Time())
