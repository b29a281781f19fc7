# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The surface that is hit: its axes and its gap, and what cannot be a surface."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from impact_robots import OutOfRangeError, RobotError, Surface

POINT, NORMAL = np.array([0.5, -0.2, 0.4]), np.array([-1.0, 0.5, 0.3])
NAN = float("nan")


@pytest.fixture
def surface():
    return Surface(POINT, NORMAL, (0.1, 0.3), (0.0, 0.2))


def test_the_gap_is_positive_in_front_zero_on_and_negative_behind_the_surface(surface):
    assert surface.gap(POINT) == 0.0
    assert surface.gap(POINT + 0.01 * surface.normal) == pytest.approx(0.01)
    assert surface.gap(POINT - 0.02 * surface.normal) == pytest.approx(-0.02)


def test_the_gap_does_not_depend_on_which_point_of_the_surface_is_named(surface):
    aside = surface.rotation @ [3.0, -2.0, 0.0]
    other = replace(surface, point=POINT + aside)
    position = np.array([0.1, 0.2, 0.3])
    assert other.gap(position) == pytest.approx(surface.gap(position), abs=1e-12)
    assert surface.gap(position + aside) == pytest.approx(surface.gap(position), abs=1e-12)


def test_a_surface_that_moves_towards_the_robot_leaves_it_less_gap(surface):
    position = np.array([0.1, 0.2, 0.3])
    nearer = surface.moved(0.02)
    assert nearer.gap(position) == pytest.approx(surface.gap(position) - 0.02)
    assert np.array_equal(nearer.rotation, surface.rotation)
    assert (nearer.friction, nearer.restitution) == (surface.friction, surface.restitution)


def test_the_approach_speed_is_the_rate_at_which_the_gap_closes(surface):
    position, velocity, h = np.array([0.1, 0.2, 0.3]), np.array([0.4, -0.1, 0.2]), 1e-3
    closed = surface.gap(position) - surface.gap(position + h * velocity)
    assert surface.approach_speed(velocity) == pytest.approx(closed / h)
    assert surface.approach_speed(-surface.normal) == pytest.approx(1.0)


@pytest.mark.parametrize("length", [1e-6, 1.0, 1e6])
def test_the_normal_may_have_any_length(surface, length):
    long = Surface(POINT, length * NORMAL)
    assert np.linalg.norm(long.normal) == pytest.approx(1.0)
    assert long.normal == pytest.approx(surface.normal)
    assert long.gap(np.zeros(3)) == pytest.approx(surface.gap(np.zeros(3)))


@pytest.mark.parametrize("normal", [NORMAL, [0, 0, 1], [0, 0, -2], [0.0, 3.0, 0.0]])
def test_the_rotation_is_one_and_its_third_column_the_normal(normal):
    made = Surface(POINT, normal)
    assert made.rotation.T @ made.rotation == pytest.approx(np.eye(3), abs=1e-12)
    assert np.linalg.det(made.rotation) == pytest.approx(1.0)
    assert np.array_equal(made.rotation[:, 2], made.normal)


def test_the_axes_of_a_unit_normal_are_those_that_it_came_from():
    random = np.random.default_rng(0)
    for _ in range(1000):
        made = Surface(POINT, random.normal(size=3))
        again = Surface(POINT, made.normal)
        assert np.array_equal(again.rotation, made.rotation)


def test_one_number_is_a_range_of_no_width():
    assert Surface(POINT, NORMAL, 0.3, 0.1).friction == (0.3, 0.3)
    assert Surface(POINT, NORMAL, 0.3, 0.1).restitution == (0.1, 0.1)
    assert Surface(POINT, NORMAL, 0.3, 0.1).middle == (0.3, 0.1)
    assert Surface(POINT, NORMAL, 0.3, 0.1).is_exact
    assert not Surface(POINT, NORMAL, 0.3, (0.1, 0.2)).is_exact


def test_nothing_is_known_of_friction_and_restitution_unless_it_is_said():
    assert Surface(POINT, NORMAL).friction == Surface(POINT, NORMAL).restitution == (0.0, 0.0)


def test_nobody_can_move_a_surface(surface):
    for values in (surface.point, surface.normal, surface.rotation):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 1.0
    with pytest.raises(FrozenInstanceError):
        surface.friction = (0.0, 1.0)


def test_what_a_surface_was_made_of_may_change_without_changing_it():
    point, normal = POINT.copy(), NORMAL.copy()
    made = Surface(point, normal)
    point += 1.0
    normal *= -1.0
    assert made.gap(POINT) == 0.0 and made.normal @ NORMAL > 0.0


def test_a_surface_without_a_point_has_axes_but_no_gap():
    made = Surface(None, NORMAL, 0.3)
    assert made.normal == pytest.approx(NORMAL / np.linalg.norm(NORMAL))
    for where in (lambda: made.gap(POINT), lambda: made.moved(0.1)):
        with pytest.raises(OutOfRangeError, match="surface: expected a point of it"):
            where()


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (
            {"normal": [0, 0, 0]},
            RobotError,
            "normal: expected three finite numbers, at least 1e-9 long",
        ),
        ({"normal": [0, 0, 1e-10]}, RobotError, r"at least 1e-9 long, got \[0, 0, 1e-10\]"),
        ({"normal": [NAN, 0, 1]}, RobotError, "normal: expected three finite numbers"),
        ({"normal": [0, 1]}, RobotError, "normal: expected three finite numbers"),
        ({"point": [0, NAN, 0]}, OutOfRangeError, r"point: expected finite .* \(3,\), got \[0, n"),
        ({"point": [0, 0]}, OutOfRangeError, r"point: expected finite .* \(3,\), got \[0, 0\]"),
        ({"friction": -0.1}, OutOfRangeError, "friction: expected a finite number, at least 0, "),
        ({"friction": NAN}, OutOfRangeError, "friction: expected a finite number, at least 0, "),
        ({"friction": (0.3, 0.1)}, OutOfRangeError, r"friction: .* low <= high, got \(0.3, 0.1\)"),
        ({"restitution": 1.5}, OutOfRangeError, "restitution: expected a number from 0 to 1"),
        ({"restitution": (0.3, 0.1)}, OutOfRangeError, "restitution: expected low, high with 0 <"),
        ({"restitution": (NAN, 0.1)}, OutOfRangeError, "restitution: expected low, high with 0 <"),
    ],
)
def test_what_is_no_surface_is_refused_in_one_line(change, error, message):
    good = {"point": POINT, "normal": NORMAL, "friction": 0.3, "restitution": (0.0, 0.3)}
    with pytest.raises(error, match=message) as caught:
        Surface(**good | change)
    assert "\n" not in str(caught.value)
