# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A surface that cannot be hit is refused in one line, from parameters as from goals."""

import math

import numpy as np
import pytest

from impact_qp.control.plan import Plan, geometry_refusal, longest_reach
from impact_qp.limits import Contact
from impact_qp.parameters import ControllerParameters
from impact_robots import ArmDynamics
from impact_ros.parameters import ParameterError, from_values

NORMAL = np.array([-1.0, 0.0, 0.0])


@pytest.fixture(scope="module")
def state(panda):
    return ArmDynamics(panda)(panda.stance, np.zeros(7))


@pytest.fixture
def refusal(panda, state):
    """A function that returns why a surface is refused."""

    def refusal(point, normal=NORMAL):
        return geometry_refusal(Plan(Contact(point, normal)), panda, state)

    return refusal


@pytest.mark.parametrize("gap", [1e-4, 0.01, 0.1, 0.3])
@pytest.mark.parametrize("aside", [0.0, 0.5])
def test_a_surface_in_front_is_not_refused(refusal, state, gap, aside):
    assert refusal(state.position - gap * NORMAL + [0.0, aside, 0.0]) == ""


def test_a_normal_with_the_wrong_sign_is_refused(refusal, state):
    """The arm retracted into the wall at 0.50 m/s."""
    line = refusal(state.position - 0.1 * NORMAL, -NORMAL)
    assert "0.100 m behind the surface; the normal points out of it, towards the arm" in line


@pytest.mark.parametrize("behind", [1.1e-3, 0.02, 1.0])
def test_a_surface_behind_the_contact_point_is_refused(refusal, state, behind):
    assert "in front of the contact point" in refusal(state.position + behind * NORMAL)


def test_millimetres_are_named(refusal, state):
    line = refusal(1000.0 * (state.position - 0.1 * NORMAL))
    assert line.startswith("contact: expected a point of the surface within")
    assert line.endswith("m away, which looks like millimetres")


@pytest.mark.parametrize("size", [20.0, 1e9, 1e308])
def test_a_point_that_is_nowhere_near_is_refused(refusal, size):
    assert "contact: expected a point of the surface within" in refusal([size, size, size])


def test_a_surface_beyond_the_reach_is_refused(refusal, panda, state):
    line = refusal(state.position - 1.2 * NORMAL)
    assert f"within the arm's reach of {longest_reach(panda):.2f} m" in line


def test_no_configuration_is_farther_away_than_the_longest_reach(panda):
    random, limits = np.random.default_rng(1), panda.limits
    places = [
        ArmDynamics(panda).position(random.uniform(limits.position_lower, limits.position_upper))
        for _ in range(200)
    ]
    farthest = max(map(np.linalg.norm, places))
    assert 0.5 * longest_reach(panda) < farthest <= longest_reach(panda)


@pytest.mark.parametrize(
    ("name", "value", "hint"),
    [
        ("overrun", 5.0, "millimetres"),
        ("overrun", 1e308, ""),
        ("retract_distance", 50, "millimetres"),
        ("activation_distance", 200.0, "millimetres"),
        ("speed", 100.0, "millimetres per second"),
        ("speed_cap", 1e9, ""),
        ("retract_speed", math.inf, ""),
        ("goal_timeout", 10000.0, "milliseconds"),
    ],
)
def test_lengths_speeds_and_times_have_a_plausible_size(name, value, hint):
    with pytest.raises(ParameterError) as caught:
        from_values(ControllerParameters, {name: value})
    assert f"{name}: expected a number from" in str(caught.value)
    assert str(caught.value).endswith(f", which looks like {hint}" if hint else f"got {value!r}")
