# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The worst load in the ranges: against independent vectors, and draws from the inside."""

import json
from dataclasses import replace

import numpy as np
import pytest

from impact_predictor import PredictionError
from impact_predictor.joint_load.load_case import LoadCase, RatedCase, stiffness_grid
from impact_predictor.joint_load.load_limits import load_limits
from impact_predictor.joint_load.worst_load import LoadSearch, near_limits, near_worst
from impact_robots import Surface
from impact_robots.description.joint_ranges import ANNOUNCED, KNOWN_JOINTS, NOMINAL

NORMAL = [-1.0, 0.0, 0.0]
VECTORS = 8


@pytest.fixture(scope="module")
def vectors(derived_data):
    cases = json.loads((derived_data / "joint_load_vectors.json").read_text())["cases"]
    assert len(cases) == VECTORS
    return cases


def surface_of(case):
    return Surface(None, NORMAL, case["friction"], case["restitution"], case["stiffness"])


def searched(robot, dynamics, case, joints, **changes):
    point = dynamics(case["q"], np.zeros(7))
    limits = load_limits(replace(robot, **changes), point.g)
    return LoadSearch(robot, surface_of(case), joints=joints).worst(point, limits), limits


@pytest.mark.parametrize("number", range(VECTORS))
def test_bounds_and_joints_are_those_of_an_independent_integration(
    panda, panda_dynamics, vectors, number
):
    case = vectors[number]
    rated, limits = searched(panda, panda_dynamics, case, NOMINAL)
    assert rated[0].speed == pytest.approx(case["speed_bound_mps"], rel=0.005)
    used = np.max([each.used for each in rated], axis=0)
    change, absolute = used[:7], used[7:]
    assert 1.0 / change.max() == pytest.approx(case["speed_bound_change_mps"], rel=0.005)
    assert change.argmax() + 1 == case["joint_change"]
    assert 1.0 / absolute.max() == pytest.approx(case["speed_bound_absolute_mps"], rel=0.005)
    assert absolute.argmax() + 1 == case["joint_absolute"]
    kind = "change" if change.max() > absolute.max() else "range"
    joint = case["joint_change"] if kind == "change" else case["joint_absolute"]
    assert limits.names[rated[0].worst] == f"panda_joint{joint} torque {kind}"


@pytest.mark.parametrize("number", range(0, VECTORS, 2))
def test_no_draw_from_inside_the_announced_ranges_is_worse(panda, panda_dynamics, vectors, number):
    case = vectors[number + 1]
    point = panda_dynamics(case["q"], np.zeros(7))
    surface, limits = surface_of(case), load_limits(panda, point.g)
    search = LoadSearch(panda, surface, joints=ANNOUNCED)
    worst, arm, random = search.worst(point, limits)[0], search.arm(point), np.random.default_rng(3)
    ranges = panda.joint_ranges
    speeds = []
    for _ in range(300):
        scale = np.stack(
            [
                random.uniform(*each)
                for each in (ranges.stiffness, ranges.damping, ranges.motor_inertia)
            ]
        )
        k = 10.0 ** random.uniform(*np.log10(surface.stiffness))
        drawn = LoadCase(
            k, random.uniform(*surface.restitution), random.uniform(*surface.friction), scale
        )
        speeds.append(search.rate(arm, point, limits, drawn).speed)
    assert min(speeds) >= worst.speed
    assert worst.speed > 0.6 * min(speeds)  # nor is it far from what can happen


TWO_WORST = {  # configurations in which two cases of other friction are nearly equally bad
    "range or change": [1.496, 0.755, -1.383, -1.824, 1.098, 2.972, -0.748],
    "between two stiffnesses": [-1.593, -0.332, 2.004, -2.167, -2.531, 2.82, 0.106],
}


@pytest.mark.parametrize("name", TWO_WORST)
def test_of_two_cases_that_are_nearly_the_worst_none_is_forgotten(panda, panda_dynamics, name):
    """The search looked at the joints of one of them only: bounds were 5 % and 2 % too high."""
    point = panda_dynamics(np.array(TWO_WORST[name]), np.zeros(7))
    limits, frictions = load_limits(panda, point.g), ((0.0, 0.279), 0.0, 0.279)
    surfaces = [Surface(None, NORMAL, each, (0.02, 0.3), (1e5, 1e7)) for each in frictions]
    either, *single = (LoadSearch(panda, each).worst(point, limits)[0].speed for each in surfaces)
    assert either == pytest.approx(min(single), rel=0.002)


def rated(used, friction):
    case = LoadCase(1e6, 0.3, friction, np.ones((3, 7)))
    return RatedCase(case, None, np.array(used), int(np.argmax(used)))


def test_near_the_worst_is_each_limit_at_each_friction():
    cases = [
        rated([1.0, 0.5], 0.0),
        rated([0.9, 0.72], 0.3),  # of both limits
        rated([0.95, 0.71], 0.0),  # of the second without friction
        rated([0.8, 0.3], 0.3),  # of none
    ]
    assert near_worst(cases) == [cases[0], cases[1], cases[2]]
    assert near_worst(cases[3:]) == cases[3:]
    assert near_limits(np.array([0.6, 1.0, 0.7])) == [1, 2]


def test_wider_ranges_never_allow_more(panda, panda_dynamics, vectors):
    narrow, wide = vectors[0], vectors[1]
    assert wide["stiffness"][1] > narrow["stiffness"][1]
    for joints in (NOMINAL, ANNOUNCED):
        small, large = (
            searched(panda, panda_dynamics, c, joints)[0][0].speed for c in (narrow, wide)
        )
        assert large <= small * 1.005
    nominal, announced = (
        searched(panda, panda_dynamics, wide, j)[0][0].speed for j in (NOMINAL, ANNOUNCED)
    )
    assert announced < nominal


def test_exactly_known_joints_have_no_ranges(panda, panda_dynamics, vectors):
    case = vectors[0] | {"stiffness": [1e6, 1e6]}
    known = replace(panda, joint_ranges=KNOWN_JOINTS)
    rated, _ = searched(known, panda_dynamics, case, ANNOUNCED)
    same, _ = searched(panda, panda_dynamics, case, NOMINAL)
    assert rated[0].speed == same[0].speed and len(rated) == len(same) == 4


def test_a_force_limit_binds_where_it_is_the_smallest(panda, panda_dynamics, vectors):
    rated, limits = searched(
        panda, panda_dynamics, vectors[0], NOMINAL, force_limits=(("sensor", 20.0),)
    )
    assert limits.names[rated[0].worst] == "sensor force"
    assert rated[0].speed * rated[0].load.peak_force[0] == pytest.approx(20.0)


def test_a_torque_range_that_is_left_already_forbids_every_impact(panda, panda_dynamics, vectors):
    tight = replace(panda.limits, torque_range=np.full(7, 1.0))
    rated, limits = searched(panda, panda_dynamics, vectors[0], NOMINAL, limits=tight)
    assert rated[0].speed == 0.0 and limits.names[rated[0].worst].endswith("torque range")


def test_a_robot_without_a_torque_range_is_limited_by_changes_only(panda, panda_dynamics, vectors):
    open_ended = replace(panda.limits, torque_range=np.full(7, np.nan))
    rated, limits = searched(panda, panda_dynamics, vectors[2], NOMINAL, limits=open_ended)
    assert limits.names[rated[0].worst].endswith("torque change")
    assert rated[0].speed == pytest.approx(vectors[2]["speed_bound_change_mps"], rel=0.005)


def test_the_grid_of_stiffnesses_is_at_most_a_decade_wide_and_ends_rigid_where_that_is_possible():
    assert stiffness_grid(1e5, 1e5) == (1e5,)
    assert stiffness_grid(1e5, 1e6) == pytest.approx([1e5, 10**5.5, 1e6])
    assert stiffness_grid(1e4, np.inf) == pytest.approx([1e4, 1e5, 1e6, 1e7, 1e8, np.inf])
    assert stiffness_grid(1e9, np.inf)[-1] == np.inf


def test_wrong_ranges_are_refused(panda, vectors):
    with pytest.raises(PredictionError, match="joint ranges: expected one of announced, nominal"):
        LoadSearch(panda, surface_of(vectors[0]), joints="some")
