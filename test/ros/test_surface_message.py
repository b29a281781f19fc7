# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A surface in a message: what is written is read again, and ranges end where quantities do."""

import numpy as np
import pytest

from impact_msgs.msg import Contact
from impact_robots import OutOfRangeError, RobotError, Surface
from impact_robots.surface import ANY_STIFFNESS
from impact_ros.messages import set_vector
from impact_ros.surface_message import read_surface, write_surface


def contact(**fields):
    made = Contact(**{"friction": 0.3, "restitution": 0.2} | fields)
    set_vector(made.normal, [0.0, 0.0, 2.0])
    return made


def test_what_is_written_is_read_again():
    stiffness = (2e5, float("inf"))
    surface = Surface([0.5, 0.1, 0.2], [-1.0, 0.2, 0.1], (0.1, 0.3), (0.0, 0.2), stiffness)
    message = Contact()
    write_surface(message, surface)
    read = read_surface(message)
    np.testing.assert_allclose(read.rotation, surface.rotation, atol=1e-12)
    assert read.friction == pytest.approx(surface.friction)
    assert read.restitution == pytest.approx(surface.restitution)
    assert read.stiffness == stiffness
    assert read.point is None  # no message names one


def test_an_unknown_stiffness_is_any_and_stays_unknown():
    message = contact()
    assert read_surface(message).stiffness == ANY_STIFFNESS
    write_surface(message, Surface(None, [0, 0, 1], stiffness=1e6))
    assert (message.stiffness_low, message.stiffness_high) == (1e6, 1e6)
    write_surface(message, Surface(None, [0, 0, 1]))
    assert (message.stiffness_low, message.stiffness_high) == (0.0, 0.0)


def test_a_coefficient_that_is_certain_is_not_changed():
    message = Contact()
    write_surface(message, Surface(None, [0, 0, 1], 0.279, 0.1))
    assert (message.friction, message.restitution) == (0.279, 0.1)
    assert message.friction_uncertainty == message.restitution_uncertainty == 0.0
    assert read_surface(message).friction == (0.279, 0.279)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("friction", 0.1),
        ("friction_uncertainty", 0.1),
        ("restitution", 0.1),
        ("restitution_uncertainty", 0.1),
        ("stiffness_high", 1e9),
    ],
)
def test_a_surface_is_another_once_anything_of_its_message_is(name, value):
    fields = {"stiffness_low": 1e4, "stiffness_high": 1e8}
    surface = read_surface(contact(**fields))
    assert read_surface(contact(**fields)) is surface  # it cannot be changed
    other = read_surface(contact(**fields | {name: value}))
    assert repr(other) != repr(surface)
    tilted = contact(**fields)
    tilted.normal.x = 1e-3
    assert repr(read_surface(tilted)) != repr(surface)


def test_ranges_end_where_the_quantities_do():
    read = read_surface(contact(friction_uncertainty=0.5, restitution_uncertainty=0.9))
    assert read.friction == (0.0, 0.8)
    assert read.restitution == (0.0, 1.0)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"friction": -0.1}, "friction: expected a finite number, at least 0"),
        ({"friction": float("nan")}, "friction: expected a finite number, at least 0"),
        ({"restitution": 1.5}, "restitution: expected a number from 0 to 1, got 1.5"),
        ({"friction_uncertainty": -0.1}, "friction_uncertainty: expected a finite number"),
        ({"restitution_uncertainty": float("inf")}, "restitution_uncertainty: expected a finite"),
        ({"stiffness_low": 2e5, "stiffness_high": 1e5}, "stiffness_low, stiffness_high: expected"),
        ({"stiffness_low": -1.0, "stiffness_high": 1e5}, "got \\(-1.0, 100000.0\\)"),
        ({"stiffness_low": float("nan"), "stiffness_high": 1e5}, "0 < low <= high, or 0, 0: unk"),
        ({"stiffness_low": 1e5, "stiffness_high": float("nan")}, "0 < low <= high, or 0, 0: unk"),
        ({"stiffness_low": 1e5}, "0 < low <= high, or 0, 0: unknown"),
        ({"stiffness_high": 1e5}, "0 < low <= high, or 0, 0: unknown"),
        ({"stiffness_low": float("inf"), "stiffness_high": float("inf")}, "0 < low <= high"),
    ],
)
def test_impossible_numbers_are_refused(fields, message):
    with pytest.raises(OutOfRangeError, match=message):
        read_surface(contact(**fields))


@pytest.mark.parametrize("z", [0.0, float("nan")])
def test_a_useless_normal_is_refused(z):
    message = contact()
    message.normal.z = z
    with pytest.raises(RobotError, match="normal: expected three finite numbers"):
        read_surface(message)
