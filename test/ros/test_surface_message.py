# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A surface in a message: what is written is read again, and what is left open."""

from math import inf, isnan, nan

import numpy as np
import pytest

from impact_msgs.msg import Contact
from impact_msgs.msg import Surface as SurfaceMessage
from impact_robots import OutOfRangeError, RobotError, Surface
from impact_robots.surface import ANY_STIFFNESS
from impact_ros.message_fields import write
from impact_ros.messages import set_vector
from impact_ros.surface_message import (
    QUANTITIES,
    contact_fields,
    read_surface,
    said,
    said_or,
    surface_fields,
)

KNOWN = {"friction": (0.1, 0.3), "restitution": (0.0, 0.2), "stiffness": (2e5, inf)}


def contact(**ranges):
    made = Contact()
    set_vector(made.normal, [0.0, 0.0, 2.0])
    write(made.surface, surface_fields(KNOWN | ranges))
    return made


def written(surface):
    message = Contact()
    write(message, contact_fields(surface, "tool", (0.0, 0.1, 0.2)))
    return message


def test_what_is_written_is_read_again_to_the_last_digit():
    surface = Surface([0.5, 0.1, 0.2], [-1.0, 0.2, 0.1], **KNOWN)
    message = written(surface)
    read = read_surface(message)
    np.testing.assert_allclose(read.rotation, surface.rotation, atol=1e-12)
    assert {name: getattr(read, name) for name in KNOWN} == KNOWN
    assert read.point is None  # no message names one
    assert (message.frame, message.offset.y) == ("tool", 0.1)


def test_every_field_of_the_message_is_written():
    ranges = {name: (1.0, 2.0) for name in QUANTITIES}
    fields = SurfaceMessage.get_fields_and_field_types()
    assert list(surface_fields(ranges)) == list(fields)
    assert written(None) == Contact()


def test_an_unknown_stiffness_is_any_and_stays_unknown():
    assert read_surface(contact(stiffness=(0.0, 0.0))).stiffness == ANY_STIFFNESS
    assert said(written(Surface(None, [0, 0, 1], stiffness=1e6)).surface, "stiffness") == (1e6, 1e6)
    message = written(Surface(None, [0, 0, 1])).surface
    assert (message.stiffness_low, message.stiffness_high) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("low", "high", "friction", "stiffness"),
    [
        (0.0, 0.0, (nan, nan), (nan, nan)),  # as constructed
        (nan, nan, (nan, nan), (nan, nan)),
        (0.0, nan, (nan, nan), (nan, nan)),
        (nan, 0.0, (nan, nan), (nan, nan)),
        (0.0, 2.0, (0.0, 2.0), (nan, 2.0)),
        (nan, 2.0, (nan, 2.0), (nan, 2.0)),
        (2.0, 0.0, (2.0, nan), (2.0, nan)),
        (2.0, nan, (2.0, nan), (2.0, nan)),
        (-1.0, 2.0, (-1.0, 2.0), (-1.0, 2.0)),
    ],
)
def test_an_end_that_is_left_open_is_nan_or_of_what_is_unsaid(low, high, friction, stiffness):
    ranges = dict.fromkeys(QUANTITIES, (low, high))
    message = SurfaceMessage(**surface_fields(ranges))
    for name, expected in zip(QUANTITIES, (friction, friction, stiffness, stiffness), strict=True):
        np.testing.assert_equal(said(message, name), expected)
        filled = tuple(
            unsaid if isnan(end) else end for end, unsaid in zip(expected, (5.0, 7.0), strict=True)
        )
        assert said_or(message, name, (5.0, 7.0)) == filled


@pytest.mark.parametrize("name", KNOWN)
def test_a_surface_is_another_once_anything_of_its_message_is(name):
    surface = read_surface(contact())
    assert read_surface(contact()) is surface  # it cannot be changed
    assert repr(read_surface(contact(**{name: (0.2, 0.25)}))) != repr(surface)
    tilted = contact()
    tilted.normal.x = 1e-3
    assert repr(read_surface(tilted)) != repr(surface)


@pytest.mark.parametrize(
    ("name", "bounds", "message"),
    [
        ("friction", (-0.1, 0.3), "friction: expected a finite number, at least 0"),
        ("friction", (nan, 0.3), "friction: expected a finite number, at least 0"),
        ("friction", (0.3, nan), "friction: expected a finite number, at least 0"),
        ("friction", (0.3, inf), "friction: expected a finite number, at least 0"),
        ("friction", (0.3, 0.1), "friction: expected low, high with 0 <= low <= high"),
        ("restitution", (0.0, 1.5), "restitution: expected low, high with 0 <= low <= high <= 1"),
        ("restitution", (nan, nan), "restitution: expected low, high with 0 <= low <= high <= 1"),
        ("stiffness", (2e5, 1e5), "stiffness: expected low, high with 0 < low <= high"),
        ("stiffness", (-1.0, 1e5), "stiffness: expected low, high with 0 < low <= high"),
        ("stiffness", (inf, inf), "stiffness: expected low, high with 0 < low <= high"),
    ],
)
def test_impossible_numbers_are_refused(name, bounds, message):
    with pytest.raises(OutOfRangeError, match=message):
        read_surface(contact(**{name: bounds}))


@pytest.mark.parametrize("z", [0.0, float("nan")])
def test_a_useless_normal_is_refused(z):
    message = contact()
    message.normal.z = z
    with pytest.raises(RobotError, match="normal: expected three finite numbers"):
        read_surface(message)
