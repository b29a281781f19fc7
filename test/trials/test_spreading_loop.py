# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Flexible-joint arms push and grab a box by reference spreading: the figures of the prototype.

Each trial takes 0.6 to 1.5 s; every one is run once and looked at by several tests.
"""

from functools import cache

import numpy as np
import pytest
from spread_bench import spread_trial

from impact_qp.spreading import Mode, Trigger, Variant
from impact_robots import load_robot
from impact_sim.cell.spreading_file import load_spreading
from impact_trials.spread_figures import feedback_figures, hold_figures
from impact_trials.spread_plans import SpreadChoice, spread_plans


@cache
def trial(name, variant="rs", seed=0, **changes):
    return spread_trial(name, SpreadChoice(Variant(variant)), seed=seed, **changes)


@pytest.mark.parametrize(
    ("name", "peak", "ratio"),
    [
        ("rs_push_catfood_case2", 1.7, 6.0),
        ("rs_push_juice_case1", 1.4, 8.0),
        ("rs_push_parcel_case3", 1.4, 4.0),
    ],
)
def test_a_push_needs_little_feedback_and_one_reference_through_it_much(name, peak, ratio):
    spread, through = (trial(name, variant).feedback for variant in ("rs", "continuous"))
    assert spread.peak < peak
    assert through.integral > ratio * spread.integral


def test_what_a_push_of_catfood_takes():
    spread, through = (trial("rs_push_catfood_case2", each) for each in ("rs", "continuous"))
    assert spread.feedback.integral < 0.075
    assert through.feedback.peak > 2.5 * spread.feedback.peak
    (late,) = {each.touch[0] for each in (spread, through)}
    modes = [command.mode for (command,) in spread.commands]
    heard = spread.time[modes.index(Mode.INTERIM)]
    assert 0.0 < heard - late < 0.004
    assert Mode.STOP not in modes


def test_reference_spreading_does_not_lower_the_peak_of_the_force():
    spread, through = (trial("rs_push_catfood_case2", each) for each in ("rs", "continuous"))
    assert spread.force == pytest.approx(through.force, rel=0.02)


@pytest.mark.parametrize("seed", [1, 2])
def test_other_draws_of_the_box_and_the_noise_push_as_well(seed):
    figures = trial("rs_push_catfood_case2", seed=seed).feedback
    assert figures.peak < 1.7 and figures.integral < 0.075


@pytest.mark.parametrize(
    ("name", "peak", "tilt", "slip", "torque"),
    [
        ("rs_grab_catfood_case1", 3.0, 2.0, 0.010, 12.0),
        ("rs_grab_catfood_late", 3.0, 2.0, 0.010, 12.0),
        ("rs_grab_safe", 3.0, 1.0, 0.005, 10.5),
    ],
)
def test_two_arms_grab_and_lift(name, peak, tilt, slip, torque):
    done = trial(name)
    held = done.held
    assert done.feedback.peak < peak
    assert np.degrees(held.tilt) < tilt and abs(held.slip) < slip
    assert held.joint_torque[5] < torque
    (plan, _) = spread_plans(load_spreading(name), load_robot("panda_plate"))
    way = plan.reference.post(9.0).position[2] - plan.reference.post(0.6).position[2]
    assert held.lift == pytest.approx(way, abs=0.005)  # carried, not dropped


def test_arms_that_are_late_need_their_own_trigger_and_gamma():
    name = "rs_grab_catfood_late"
    apart = np.ptp(trial(name).touch)
    assert 0.009 <= apart <= 0.013
    assert trial(name, "no_gamma").feedback.peak > 6.0
    assert trial(name, "timed").feedback.peak > 8.0


def test_a_shared_trigger_loads_the_late_arm():
    """7 mm off, some 20 ms late: it gets its clamp force before it touches."""
    own, shared = (
        trial("rs_grab_catfood_case1", shift=0.007, trigger=each)
        for each in (Trigger.PER_ARM, Trigger.SHARED)
    )
    late = int(np.argmax(own.touch))
    loads = [np.abs(each.torque[:, late, 5][each.time < 0.75]).max() for each in (own, shared)]
    assert loads[1] > 1.4 * loads[0]
    assert shared.force > 1.15 * own.force


@pytest.mark.parametrize("name", ["rs_push_catfood_case2", "rs_grab_catfood_case1"])
def test_torques_keep_their_rate(name):
    done, robot = trial(name), load_robot("panda_plate")
    steps = np.abs(np.diff(done.sent, axis=0)).max(axis=(0, 1))
    assert np.all(steps <= robot.limits.torque_rate * 1e-3)
    assert all(command.solved for row in done.commands for command in row)


def test_the_same_seed_is_the_same_trial():
    again = spread_trial("rs_push_catfood_case2", SpreadChoice(Variant.RS), seed=0)
    np.testing.assert_array_equal(again.sent, trial("rs_push_catfood_case2").sent)


def test_the_references_are_those_of_the_maps():
    robot = load_robot("panda_plate")
    push, grab = (load_spreading(each) for each in ("rs_push_catfood_case2", "rs_grab_juice_case1"))
    (plan,) = spread_plans(push, robot)
    np.testing.assert_allclose(plan.reference.jump[1][:3], [0.0232, -0.5551, 0.0114], atol=1.2e-4)
    for plan in spread_plans(grab, robot):
        after = plan.reference.jump[1][:3]
        np.testing.assert_allclose(after, [0.0164, -0.0017, 0.3926], atol=1.2e-4)
    (weak,) = spread_plans(push, robot, SpreadChoice(level=0.8))
    np.testing.assert_allclose(weak.reference.jump[1], 0.8 * plan_of(push, robot), atol=1e-12)


def plan_of(scenario, robot):
    return spread_plans(scenario, robot)[0].reference.jump[1]


def test_figures_of_feedback_are_those_of_a_known_pulse():
    time = np.arange(0.0, 2.0, 1e-3)
    feedback = np.zeros((len(time), 2, 3))
    feedback[(time >= 1.0) & (time < 1.1), 0, 1] = -2.0
    feedback[(time >= 1.0) & (time < 1.1), 1, 1] = 1.0
    feedback[time > 1.6, :, 1] = 99.0  # after the window
    figures = feedback_figures(time, feedback, 1.0, 1)
    assert figures.peak == 2.0
    assert figures.integral == pytest.approx(0.15, abs=0.004)
    assert figures.net == pytest.approx(-0.05, abs=0.003)


def test_figures_of_a_hold_are_those_of_a_known_motion():
    time = np.linspace(0.0, 1.0, 101)
    plates, position = np.zeros((101, 2, 3)), np.zeros((101, 3))
    plates[:, :, 2], position[:, 2] = 0.2 * time[:, None], 0.15 * time
    c, s = np.cos(0.3 * time), np.sin(0.3 * time)
    rotation = np.tile(np.eye(3), (101, 1, 1))
    rotation[:, 0, 0], rotation[:, 0, 1], rotation[:, 1, 0], rotation[:, 1, 1] = c, -s, s, c
    torque = np.zeros((101, 2, 7))
    torque[20, 1, 5], torque[90, 1, 5] = -4.0, 50.0  # the second one is long after
    held = hold_figures(time, 0.1, plates, position, rotation, torque)
    assert held.tilt == pytest.approx(0.27) and held.slip == pytest.approx(0.045)
    assert held.lift == pytest.approx(0.135) and held.joint_torque[5] == 4.0
