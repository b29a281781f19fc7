# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The highest safe strike: no draw from the ranges exceeds a limit, wishes, ends of the search."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest

from impact_predictor.strike.effect import strike_effect
from impact_predictor.strike.strike_case import NailCase, StopCase, StrikeCase
from impact_predictor.strike.strike_check import check_strike
from impact_predictor.strike.strike_loads import StrikeLoads
from impact_predictor.strike.strike_plan import RESERVE, plan_strike
from impact_predictor.strike.striker import Misalignment
from impact_robots.tools.target import ANY_STOP, FORCE, IMPULSE, HardStop, Nail, Target, Wish
from impact_robots.tools.tool import Tool, ToolCase

Q = np.array([0.2147, 0.0538, -0.2143, -2.3784, 0.0175, 2.4309, 0.0])  # rad
HAMMER = Tool(
    (0.0, 0.0, 0.12),
    (0.0, 0.0, 1.0),
    (0.27, 0.33),
    (2.1e4, 3.9e4),
    (0.02, 0.02),
    0.1,
    (0.0, 0.0, 0.03),
    off_centre=0.005,
    off_angle=0.05,
)
RIGID = replace(HAMMER, stiffness=(inf, inf))
EXACT = Tool(HAMMER.head, HAMMER.axis, (0.3, 0.3), (3e4, 3e4), (0.1, 0.1), 0.1, HAMMER.adapter)
WALL = Target(stop=HardStop((1e5, 1e7), (0.1, 0.6)))
NAIL = Target(Nail((200.0, 400.0), depth=0.03))
DRAWS = 200


class Plans(dict):
    """Plans that are made when they are asked for."""

    def __init__(self, robot):
        super().__init__()
        self.robot = robot
        self.given = {"hammer": (HAMMER, NAIL), "rigid": (RIGID, NAIL), "wall": (HAMMER, WALL)}

    def __missing__(self, name):
        self[name] = plan_strike(self.robot, *self.given[name], Q)
        return self[name]


@pytest.fixture(scope="module")
def plans(panda):
    return Plans(panda)


def within(random, size):
    """A point within a circle."""
    turn, radius = random.uniform(0.0, 2.0 * np.pi), size * np.sqrt(random.uniform())
    return float(radius * np.cos(turn)), float(radius * np.sin(turn))


def drawn(plan, random):
    """A strike inside all ranges; a nail is a stop every second time."""
    tool, target, ranges = plan.striker.tool, plan.target, plan.striker.robot.joint_ranges
    handle = random.uniform(*tool.stiffness) if tool.gives else inf
    stop = target.stop
    top = min(stop.stiffness[1], 1e9)
    surface = StopCase(
        float(np.exp(random.uniform(*np.log([stop.stiffness[0], top])))),
        random.uniform(*stop.restitution),
    )
    if target.nail is not None and random.integers(2):
        stiffness = np.exp(random.uniform(*np.log(target.nail.stiffness)))
        surface = NailCase(float(stiffness), random.uniform(*target.nail.resistance))
    each = ranges.stiffness, ranges.damping, ranges.motor_inertia
    return StrikeCase(
        ToolCase(random.uniform(*tool.mass), handle, random.uniform(*tool.damping_ratio)),
        surface,
        Misalignment(within(random, tool.off_centre), within(random, tool.off_angle)),
        random.uniform(*target.friction),
        np.stack([random.uniform(*bounds) for bounds in each]),
    )


@pytest.mark.parametrize("name", ["hammer", "rigid", "wall"])
def test_no_draw_at_the_planned_speed_reaches_a_limit(plans, name):
    plan, random = plans[name], np.random.default_rng(5)
    loads = StrikeLoads(plan.striker)
    used = [loads.used(drawn(plan, random), plan.highest).max() for _ in range(DRAWS)]
    assert 0.1 < max(used) < 1.0


def test_the_worst_case_is_the_limit_itself(plans):
    for plan in (plans["hammer"], plans["rigid"]):
        loads = StrikeLoads(plan.striker)
        for worst in (plan.critical, plan.miss):
            used = loads.used(worst.case, worst.speed)
            assert used.max() == pytest.approx(1.0, abs=2e-3)
            assert used.argmax() == worst.limit
        assert plan.critical.speed <= plan.miss.speed
        assert plan.highest <= (1.0 - RESERVE) * plan.critical.speed


def test_the_worst_case_is_searched_on_the_other_side_of_the_head_too(plans):
    """No stop is worst with these errors, but an elastic nail, on another joint's range."""
    scale = [[0.7, 1.3, 1.3, 1.3, 1.3, 1.3, 0.7], [0.5, 1.5, 0.5, 1.5, 1.5, 0.5, 0.5]]
    scale.append([1.1, 0.9, 0.9, 0.9, 0.9, 1.1, 1.1])
    off, friction = Misalignment((-0.005, 0.0), (-0.05, 0.0)), NAIL.friction[1]
    tool, nail = ToolCase(0.33, 3.9e4, 0.02), NailCase(1e6, 400.0)
    case = StrikeCase(tool, nail, off, friction, np.array(scale))
    plan = plans["hammer"]
    assert plan.critical.speed <= StrikeLoads(plan.striker).critical(case).speed < 0.7


def test_the_check_sees_what_exceeds_a_limit(plans):
    plan = plans["hammer"]
    loads = StrikeLoads(plan.striker)
    assert plan.safe and RESERVE < plan.check.used < 1.0
    fast = check_strike(loads, plan.target, plan.critical, 1.3 * plan.critical.speed, "announced")
    assert not fast.passed and fast.used > 1.2
    assert fast.cases == plan.check.cases > 200


def test_a_handle_that_gives_allows_more_speed_and_work(plans):
    soft, rigid = plans["hammer"], plans["rigid"]
    assert soft.highest > 3.0 * rigid.highest
    assert soft.between("work")[1] > 5.0 * rigid.between("work")[1]
    assert soft.between("deflection")[1] > 1e-3 > rigid.between("deflection")[1] == 0.0


def test_errors_and_unknown_joints_cost_speed(panda, plans):
    speeds = [
        plan_strike(panda, EXACT, WALL, Q, joints="nominal").critical.speed,
        plan_strike(panda, EXACT, WALL, Q).critical.speed,
        plans["wall"].critical.speed,
    ]
    assert speeds[0] > speeds[1] > speeds[2]


def test_strikes_to_the_depth_are_those_that_are_driven_one_by_one(panda):
    """The resistance grows 2.5 times: more strikes than at the surface, fewer than at the end."""
    nail = Nail((100.0, 100.0), (2e6, 2e6), depth=0.03)
    plan = plan_strike(panda, EXACT, Target(nail, HardStop((1e6, 1e7), (0.02, 0.3))), Q)
    loads, low = StrikeLoads(plan.striker), plan.strikes.low
    at_the_end = NailCase(2e6, 100.0, 0.03)
    last = strike_effect(loads, StrikeCase(EXACT.nominal, at_the_end), plan.speed).depth
    assert 0.03 / plan.between("depth")[1] < low <= plan.strikes.high
    assert low <= np.ceil(0.03 / last)


@pytest.mark.parametrize(
    ("what", "amount", "name"), [(IMPULSE, 0.5, "impulse"), (FORCE, 60.0, "peak_force")]
)
def test_what_is_delivered_is_delivered_in_every_case_and_no_more(panda, what, amount, name):
    target = Target(stop=HardStop((1e5, 1e6), (0.1, 0.6)), wish=Wish(what, amount))
    plan = plan_strike(panda, EXACT, target, Q)
    assert 0.0 < plan.speed < plan.highest
    assert plan.between(name)[0] == pytest.approx(amount, rel=0.01)
    assert plan.between(name)[0] >= amount


def test_what_no_safe_strike_delivers_is_not_done(panda):
    target = Target(stop=ANY_STOP, wish=Wish(IMPULSE, 100.0))
    plan = plan_strike(panda, EXACT, target, Q)
    assert (plan.speed, plan.highest > 0.0) == (0.0, True)
    assert plan.between("impulse")[0] < 100.0
