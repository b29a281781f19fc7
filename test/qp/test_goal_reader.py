# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What an ExecuteImpact goal may ask of a node: ranges, and kinds of limits."""

import numpy as np
import pytest

pytest.importorskip("rclpy")

from open_goals import NAN, RANGES, open_goal

from impact_qp.exceptions import ControlError
from impact_qp.goals.goal_reader import place_of, plan_of
from impact_qp.parameters import ControllerParameters
from impact_robots import ArmDynamics
from impact_ros.parameters import from_values

KINDS = ("joint_load", "robust", "existential", "nominal", "unaware")
OPEN = dict.fromkeys(RANGES, NAN)


@pytest.fixture
def read(panda, scenario):
    """A function that reads a goal with these fields by these parameters."""
    state = ArmDynamics(panda)(scenario.start(panda), np.zeros(7))

    def read(settings, **fields):
        return plan_of(open_goal(panda, scenario, **fields), settings, panda, state)

    return read


@pytest.fixture
def settings_of(panda, scenario):
    """A function that returns a node's parameters for the scenario."""
    known = scenario.controller_parameters(panda)

    def settings_of(**values):
        ranges = {"friction": [0.1, 0.3], "stiffness": [1e5, 1e6]}
        return from_values(ControllerParameters, known | ranges | values)

    return settings_of


@pytest.mark.parametrize("length", [0.9991, 1.0009])
def test_a_rounded_quaternion_tilts_no_normal(panda, scenario, length):
    """It was tilted by 0.1 deg."""
    contact = open_goal(panda, scenario).contact
    _, normal = place_of(contact, panda)
    for name in "xyzw":
        turn = contact.pose.orientation
        setattr(turn, name, length * getattr(turn, name))
    np.testing.assert_allclose(place_of(contact, panda)[1], normal, atol=1e-12)


@pytest.mark.parametrize("may_widen", [False, True])
@pytest.mark.parametrize("own", KINDS)
@pytest.mark.parametrize("asked", KINDS)
def test_a_goals_kind_of_limits_holds_beside_the_nodes_own(
    read, settings_of, own, asked, may_widen
):
    """With joint_load a goal was faster at a robust node: 0.124 m/s for 0.078."""
    settings = settings_of(impact_limits=own, goal_may_widen=may_widen)
    plan = read(settings, impact_limits=asked)
    held = {plan.impact_limits, *plan.also_limits}
    limiting = {asked, own} - {"unaware"}
    assert held == (limiting or {"unaware"})


@pytest.mark.parametrize("may_widen", [False, True])
@pytest.mark.parametrize(
    "ranges",
    [
        dict.fromkeys(RANGES, 0.0),
        OPEN,
        OPEN | {"friction_high": 0.0, "restitution_high": 0.0, "stiffness_high": 0.0},
        OPEN | {"friction_high": 0.3, "restitution_high": 0.3, "stiffness_high": 1e6},
    ],
)
def test_a_range_without_a_low_end_and_zeros_are_the_nodes_own(
    read, settings_of, ranges, may_widen
):
    settings = settings_of(goal_may_widen=may_widen)
    contact = read(settings, **ranges).contact
    own = settings.plan().contact
    for name in ("friction", "restitution", "stiffness"):
        assert getattr(contact, name) == getattr(own, name)


def test_a_range_from_zero_is_not_taken_for_the_nodes_low_end(read, settings_of):
    """A goal's 0 to 0.5 was read as the node's 0.1 to 0.5, which is faster where 0 is worse."""
    plan = read(settings_of(), friction_low=0.0, friction_high=0.5)
    assert plan.contact.friction == (0.0, 0.5)


def test_a_parameter_permits_narrower_ranges_with_a_low_end_only(read, settings_of):
    settings = settings_of(goal_may_widen=True)
    assert read(settings, friction_low=0.1, friction_high=0.1).contact.friction == (0.1, 0.1)
    for name, value in (("friction", 0.1), ("restitution", 0.1), ("stiffness", 2e5)):
        with pytest.raises(ControlError, match=rf"^{name}.*: expected .*\(its low end is open\)"):
            read(settings, **{f"{name}_high": value})
