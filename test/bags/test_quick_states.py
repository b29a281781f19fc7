# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Joint states that are read without parsing are those that parsing gives."""

import numpy as np
import pytest

from impact_bags import impact_typestore
from impact_bags.reading.quick_states import QuickStates
from impact_detector.ros.conversion import joint_sample
from impact_detector.signals.sample import JointSample
from impact_ros.exceptions import MessageError
from impact_ros.messages import JointReader

KIND = "sensor_msgs/msg/JointState"
NAMES = ("one", "second", "j3")


@pytest.fixture(scope="module")
def store():
    return impact_typestore()


def message(store, k, *, names=NAMES, frame="", torques=True):
    types, n = store.types, len(names)
    header = types["std_msgs/msg/Header"](types["builtin_interfaces/msg/Time"](5, k), frame)
    q, dq, tau = (k + np.arange(n) + part for part in (0.0, 0.25, 0.5))
    return types[KIND](header, list(names), q, dq, tau if torques else np.empty(0))


def read(store, messages, wanted=NAMES):
    """Return what is read of messages, and which of them were parsed."""
    quick, parsed, found = QuickStates(JointReader(wanted)), [], []
    for k, each in enumerate(messages):
        data = bytes(store.serialize_cdr(each, KIND))

        def parse(data=data, k=k):
            parsed.append(k)
            return store.deserialize_cdr(data, KIND)

        found.append(quick(data, parse))
    return found, parsed


def assert_same(sample, each, wanted=NAMES):
    expected = joint_sample(each, JointReader(wanted))
    assert isinstance(sample, JointSample) and sample.time == expected.time
    for name in ("q", "dq", "tau"):
        np.testing.assert_array_equal(getattr(sample, name), getattr(expected, name))


@pytest.mark.parametrize("frame", ["", "base", "a_link"])
@pytest.mark.parametrize("wanted", [NAMES, ("j3", "one")])
def test_only_the_first_of_a_topic_is_parsed(store, frame, wanted):
    messages = [message(store, k, frame=frame) for k in range(5)]
    found, parsed = read(store, messages, wanted)
    assert parsed == [0] and not isinstance(found[0], JointSample)
    for sample, each in zip(found[1:], messages[1:], strict=True):
        assert_same(sample, each, wanted)


def test_what_changes_is_parsed_again(store):
    """Other names of the same length, another frame, no torques, other counts."""
    turned = ("second", "one", "j3")
    messages = [
        *(message(store, k) for k in (0, 1)),
        *(message(store, k, names=turned) for k in (2, 3)),
        *(message(store, k, frame="base") for k in (4, 5)),
        *(message(store, k, torques=False) for k in (6, 7)),
        *(message(store, k, names=(*NAMES, "extra")) for k in (8, 9)),
    ]
    found, parsed = read(store, messages)
    assert parsed == [0, 2, 4, 6, 7, 8]
    for k in (1, 3, 5, 9):
        assert_same(found[k], messages[k])


def test_every_damaged_length_is_left_to_the_parser(store):
    data = bytes(store.serialize_cdr(message(store, 1), KIND))
    quick = QuickStates(JointReader(NAMES))
    quick(data, lambda: store.deserialize_cdr(data, KIND))
    assert isinstance(quick(data, lambda: None), JointSample)
    for length in range(len(data)):
        quick = QuickStates(JointReader(NAMES))
        quick(data, lambda: store.deserialize_cdr(data, KIND))
        assert quick(data[:length], lambda: "parsed") == "parsed"


def test_numbers_that_only_damage_makes_are_none(store):
    messages = [message(store, k) for k in range(2)]
    messages[1].velocity[2] = 1e200
    (_, sample), _ = read(store, messages)
    assert np.isnan(sample.q).all() and sample.tau is None


@pytest.mark.parametrize(
    ("sec", "nanosec"), [(5, 3_000_000_000), (5, 1_000_000_000), (2147483600, 0)]
)
@pytest.mark.parametrize("place", [0, 1])
def test_a_stamp_that_is_none_is_the_parsers_matter(store, sec, nanosec, place):
    """Which refuses it, as the node does; also as the first message of a topic."""
    messages = [message(store, k) for k in range(4)]
    stamp = messages[place].header.stamp
    stamp.sec, stamp.nanosec = sec, nanosec
    found, parsed = read(store, messages)
    assert parsed == list(range(place + 2))
    assert not isinstance(found[place], JointSample)
    with pytest.raises(MessageError):
        joint_sample(found[place], JointReader(NAMES))
    assert_same(found[3], messages[3])


def test_joints_that_are_missing_are_the_parsers_matter(store):
    messages = [message(store, k) for k in range(3)]
    found, parsed = read(store, messages, ("one", "fourth"))
    assert parsed == [0, 1, 2] and not any(isinstance(each, JointSample) for each in found)
