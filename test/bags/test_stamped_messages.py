# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Messages that are filled in are those of the type store, byte by byte."""

import numpy as np
import pytest

pytest.importorskip("rosbags")

from impact_bags import impact_typestore
from impact_bags.writing.message_maker import MessageMaker
from impact_bags.writing.stamped_messages import StampedMessages

NAMES = ("one", "second", "the third")
TIMES = (0, 1, 999_999_999, 1_000_000_000, 1_234_567_890_123_456_789)


@pytest.fixture(scope="module")
def typestore():
    return impact_typestore()


def kinds(maker):
    """Functions that make messages, and the shapes of what they take."""
    return {
        "states": (lambda time, *values: maker.joint_state(time, NAMES, *values), [(3,)] * 3),
        "without positions": (
            lambda time, *values: maker.joint_state(time, NAMES, *values),
            [(0,), (3,), (3,)],
        ),
        "wrench": (maker.wrench, [(3,)]),
        "batch": (lambda time, force: maker.wrench_batch(time, 40_000, force), [(25, 3)]),
    }


@pytest.mark.parametrize("kind", ["states", "without positions", "wrench", "batch"])
@pytest.mark.parametrize("frame", ["", "base", "a_frame_of_a_longer_name"])
def test_they_are_those_of_the_type_store(typestore, kind, frame):
    make, shapes = kinds(MessageMaker(typestore, frame))[kind]
    messages, random = StampedMessages(typestore, make), np.random.default_rng(1)
    for time in TIMES:
        arrays = [random.normal(size=shape) for shape in shapes]
        arrays[-1].flat[0] = np.nan if time == 1 else arrays[-1].flat[0]
        name, message = make(time, *arrays)
        expected = bytes(typestore.serialize_cdr(message, name))
        assert messages.serialised(time, *arrays) == (name, expected)


def test_another_length_is_another_form(typestore):
    maker = MessageMaker(typestore, "base")
    messages = StampedMessages(typestore, lambda t, force: maker.wrench_batch(t, 1, force))
    for count in (2, 5, 2):
        name, message = maker.wrench_batch(7, 1, np.full((count, 3), float(count)))
        expected = bytes(typestore.serialize_cdr(message, name))
        assert messages.serialised(7, np.full((count, 3), float(count))) == (name, expected)


def test_integers_and_views_are_numbers_too(typestore):
    maker = MessageMaker(typestore, "base")
    messages = StampedMessages(typestore, maker.wrench)
    expected = messages.serialised(5, np.array([1.0, 3.0, 5.0]))
    assert messages.serialised(5, np.arange(1, 7)[::2]) == expected


@pytest.mark.parametrize("kind", ["states", "without positions", "wrench", "batch"])
def test_rows_are_the_same_messages(typestore, kind):
    make, shapes = kinds(MessageMaker(typestore, "base"))[kind]
    messages, random = StampedMessages(typestore, make), np.random.default_rng(2)
    times = np.array(TIMES)
    arrays = [random.normal(size=(len(times), *shape)) for shape in shapes]
    rows = messages.rows("/topic", times, *arrays)
    assert rows.topic == "/topic"
    assert rows.times is times
    for k, time in enumerate(TIMES):
        expected = messages.serialised(time, *[each[k] for each in arrays])
        assert (rows.type_name, rows.cdr[k].tobytes()) == expected
