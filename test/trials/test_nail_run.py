# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Strikes of a simulated arm on a nail: what is promised and measured, and the truth."""

from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("mujoco")

from impact_predictor.learning.knowledge import RESERVE
from impact_predictor.strike.striker import Striker
from impact_predictor.strike.tap_fit import Tap
from impact_qp.strike.strike_planner import SafeStrike, StrikePlanner
from impact_trials.strikes import nail_run
from impact_trials.strikes.hammer_nail import HammerNail
from impact_trials.strikes.nail_run import NailRun

HANDLE = pytest.param("handle", marks=pytest.mark.slow)  # it learns from both strikes


@pytest.fixture(scope="module")
def world():
    return HammerNail()


@pytest.fixture(scope="module", params=["rigid", HANDLE])
def driven(world, request):
    """A run of two strikes, and where the arm was in the end."""
    tool = world.rigid_tool if request.param == "rigid" else world.tool
    run = NailRun(world, tool, learns=tool.gives)
    patch = pytest.MonkeyPatch()
    patch.setattr(nail_run, "MOST_STRIKES", 2)
    with patch.context():
        strikes = list(run.strikes())
    patch.undo()
    return run, strikes


def test_no_strike_loads_a_joint_more_than_promised(driven):
    for each in driven[1]:
        assert not each.strike.fault and each.strike.truth.used <= each.safe.used <= 0.8001


def test_the_head_comes_at_the_speed_asked_for_and_not_faster(driven):
    for each in driven[1]:
        assert 0.9 * each.safe.speed < each.strike.truth.speed <= 1.01 * each.safe.speed


def test_the_depth_is_measured_by_the_joints(driven):
    """Before the second strike, to within the way of the head in two samples."""
    first, second = driven[1]
    assert first.strike.truth.depth > 1e-4
    error = second.measured_depth - first.strike.truth.depth
    assert abs(error) < 2e-3 * max(0.1, second.strike.truth.speed)


def test_the_arm_returns_to_the_start(driven):
    run, _ = driven
    assert np.abs(run.bench.q - run._start).max() < 0.03  # rad


def test_what_is_learned_contains_the_truth(driven, world):
    run, _ = driven
    tool, nail = run.planner.tool, run.planner.target.nail
    if not tool.gives:
        assert run.planner.target == world.target  # a rigid tool teaches nothing
        return
    (low, high), (weak, strong) = tool.stiffness, nail.resistance
    assert low <= world.true_tool.stiffness <= high and high - low < 2.9e4  # announced: 3e4
    assert weak <= world.true_nail.resistance <= strong and strong - weak < 60.0  # announced: 100


def test_the_published_bound_is_slower(world):
    run = NailRun(world, world.rigid_tool, published=True)
    approach = run.approach(0.0)
    assert 0.0 < run.planner.plan(approach, approach).speed < 0.1


@pytest.fixture
def planner(world):
    """A planner whose last strike was to come at 0.1 m/s and use 0.8 of a limit."""
    found = StrikePlanner(world.robot, world.rigid_tool, world.target)
    found._safe = found._asked = SafeStrike(0.1, 0.8)
    return found


def tap_at(world, speed):
    """A strike whose head comes at a speed, detected 2 ms after the contact, when it is back."""
    time = 1e-3 * np.arange(-40, 80)
    point = Striker(world.robot, world.rigid_tool, world.q)
    J = point.point(point.tool.nominal.mass).J[:3]
    dq = np.linalg.pinv(J) @ (speed * point.direction)
    velocity = np.where(time[:, None] < -2e-3, dq, -0.1 * dq)
    return Tap(time, np.tile(world.q, (120, 1)), velocity, np.zeros((120, 7)), 0.0)


def test_a_planner_that_is_wrong_twice_ends_the_series(world, planner):
    """Sensors that show 1.5 of a limit more than once were promised less."""
    tap = tap_at(world, 0.1)
    planner.learn(tap, 0.84)
    assert planner.problem == ""
    planner.learn(tap, 1.5)
    assert planner.problem == ""
    planner.remember(tap, 0.9)
    assert planner.problem == (
        "strike 2 used 1.50 of a limit instead of 0.80"
        " and strike 3 used 0.90 of a limit instead of 0.80"
    )


def test_a_ceiling_is_of_the_speed_at_which_the_head_came(world, planner):
    planner.remember(tap_at(world, 0.08), 1.2)
    assert planner.ceilings[0].speed == pytest.approx(0.08 / (RESERVE * 1.2))
    approach = SimpleNamespace()  # not looked at: nothing was learned
    assert planner.plan(approach, approach).speed == planner.ceilings[0].speed


def test_after_a_strike_that_was_too_fast_all_others_are_asked_to_be_slower(world, planner):
    """By as much, and its load is compared with the promise for its speed; as of hits."""
    approach = SimpleNamespace()  # not looked at: nothing was learned
    planner.remember(tap_at(world, 0.104), 0.5)
    assert planner.plan(approach, approach) == pytest.approx((0.1, 0.8))
    planner.remember(tap_at(world, 0.12), 0.98)  # 0.96 at that speed
    for _ in range(2):
        asked = planner.plan(approach, approach)
        assert asked == pytest.approx((0.1 / 1.2, 0.8 / 1.2))
        planner.remember(tap_at(world, 0.1), 0.84)  # as fast as meant in the first place
    assert planner.problem == ""
    planner.remember(tap_at(world, asked.speed), 0.84)
    planner.remember(tap_at(world, asked.speed), 0.84)
    assert planner.problem.count("used 0.84 of a limit instead of 0.67") == 2
