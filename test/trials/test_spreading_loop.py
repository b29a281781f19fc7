# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Flexible-joint arms push and grab a box by reference spreading: the figures of the prototype.

A trial takes 1 s, with two arms 2.5 s; every one is run once and looked at by several tests.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

pytest.importorskip("mujoco")

from impact_qp.arms.plans import SpreadChoice, spread_plans
from impact_qp.spreading import Mode, Trigger, Variant
from impact_robots import load_robot
from impact_sim.cell.spreading_file import load_spreading
from impact_trials.in_process.spreading_trial import spread
from impact_trials.truth.spread_figures import feedback_figures
from studies.validation.spread_friction import learned_frictions

pytestmark = pytest.mark.slow  # pushes and grabs by the dozen

AFTER = {"push": 0.5, "grab": 0.9}  # the first contact [s]


@cache
def trial(name, variant="rs", seed=0, trigger=Trigger.PER_ARM, shift=None, after=None):
    """Run a scenario; ``shift`` of the box along y instead of the drawn one [m]."""
    scenario = load_spreading(name)
    scenario = replace(scenario, after_contact=after or AFTER[scenario.kind])
    if shift is not None:
        scenario = replace(scenario, variation={}, box_offset=(0.0, shift, 0.0))
    return spread(scenario, seed, SpreadChoice(Variant(variant)), trigger=trigger)


def feedback(run):
    """Return the figures of the feedback along the approach."""
    rows = np.array([[each.feedback for each in answer.commands] for answer in run.answers])
    times, touch = np.array(run.log.times), run.log.plant.first_contact_time
    return feedback_figures(times, rows.transpose(1, 0, 2), touch, 1)


def touches(run):
    return np.array([plate.contact_start.time for plate in run.log.plant.plates])


def largest_force(run):
    return max(np.linalg.norm(plate.force, axis=1).max() for plate in run.log.plant.plates)


def sent(run):
    """Return the torques that the drivers are sent, shape (arms, k, n)."""
    return np.array([[each.driver_torque for each in answer.commands] for answer in run.answers])


@pytest.mark.parametrize(
    ("name", "peak", "ratio"),
    [
        ("rs_push_catfood_case2", 1.7, 6.0),
        ("rs_push_juice_case1", 1.4, 8.0),
        ("rs_push_parcel_case3", 1.4, 4.0),
    ],
)
def test_a_push_needs_little_feedback_and_one_reference_through_it_much(name, peak, ratio):
    spreading, through = (feedback(trial(name, variant)) for variant in ("rs", "continuous"))
    assert spreading.peak < peak
    assert through.integral > ratio * spreading.integral


def test_what_a_push_of_catfood_takes():
    spreading, through = (trial("rs_push_catfood_case2", each) for each in ("rs", "continuous"))
    assert feedback(spreading).integral < 0.075
    assert feedback(through).peak > 2.5 * feedback(spreading).peak
    modes = [command.mode for command in spreading.answers[0].commands]
    heard = spreading.log.times[modes.index(Mode.INTERIM)]
    assert 0.0 < heard - touches(spreading)[0] < 0.004
    assert Mode.STOP not in modes


def test_reference_spreading_does_not_lower_the_peak_of_the_force():
    pair = (trial("rs_push_catfood_case2", each) for each in ("rs", "continuous"))
    spreading, through = map(largest_force, pair)
    assert spreading == pytest.approx(through, rel=0.02)


@pytest.mark.parametrize("seed", [1])
def test_other_draws_of_the_box_and_the_noise_push_as_well(seed):
    figures = feedback(trial("rs_push_catfood_case2", seed=seed))
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
    log, touch = done.log, touches(done).min()
    assert feedback(done).peak < peak
    assert np.degrees(log.tilts.max()) < tilt and abs(log.slip(touch)) < slip
    assert log.largest_torques(touch)[:, 5].max() < torque
    (plan, _) = spread_plans(load_spreading(name))
    way = plan.reference.post(9.0).position[2] - plan.reference.post(0.6).position[2]
    lift = log.boxes[-1].position[2] - log.boxes[0].position[2]
    assert lift == pytest.approx(way, abs=0.005)  # carried, not dropped


def test_arms_that_are_late_need_their_own_trigger_and_gamma():
    name = "rs_grab_catfood_late"
    assert 0.009 <= np.ptp(touches(trial(name))) <= 0.013
    assert feedback(trial(name, "no_gamma", after=0.1)).peak > 6.0
    assert feedback(trial(name, "timed", after=0.1)).peak > 8.0


def test_a_shared_trigger_loads_the_late_arm():
    """7 mm off, some 20 ms late: it gets its clamp force before it touches."""
    own, shared = (
        trial("rs_grab_catfood_case1", shift=0.007, trigger=each, after=0.2)
        for each in (Trigger.PER_ARM, Trigger.SHARED)
    )
    late = int(np.argmax(touches(own)))
    loads = [each.log.largest_torques(touches(each).min())[late, 5] for each in (own, shared)]
    assert loads[1] > 1.4 * loads[0]
    assert largest_force(shared) > 1.15 * largest_force(own)


@pytest.mark.parametrize("name", ["rs_push_catfood_case2", "rs_grab_catfood_case1"])
def test_torques_keep_their_rate(name):
    done, robot = trial(name), load_robot("panda_plate")
    steps = np.abs(np.diff(sent(done), axis=1)).max(axis=(0, 1))
    assert np.all(steps <= robot.limits.torque_rate * 1e-3)
    assert all(command.solved for answer in done.answers for command in answer.commands)


def test_friction_of_the_motors_is_learned_without_the_box():
    """One free motion of each kind; noise alone is left of the feedback of the approach."""
    scenario = replace(
        load_spreading("rs_push_catfood_case2"),
        after_contact=0.05,
        motor_friction={"coulomb": 0.3, "viscous": 0.2},
    )
    learned = learned_frictions(scenario)
    sizes = []
    for friction in (None, learned):
        (answer,) = spread(scenario, 0, SpreadChoice(friction=friction)).answers
        sizes.append(np.mean([np.linalg.norm(each.feedback) for each in answer.commands[200:550]]))
    assert sizes[1] < 0.45 * sizes[0]


def test_an_arm_that_misses_the_box_stops():
    scenario = replace(load_spreading("rs_push_catfood_case2"), box_offset=(0.0, -0.5, 0.0))
    run = spread(scenario, 0)
    (answer,) = run.answers
    assert run.log.plant.first_contact_time is None
    assert [each.mode for each in answer.commands].index(Mode.STOP) == 751
    at_rest = [np.linalg.norm(each.velocity) for each in answer.commands[-100:]]
    assert np.mean(at_rest) < 0.01


def test_the_references_are_those_of_the_maps():
    robot = load_robot("panda_plate")
    push, grab = (load_spreading(each) for each in ("rs_push_catfood_case2", "rs_grab_juice_case1"))
    (plan,) = spread_plans(push)
    np.testing.assert_allclose(plan.reference.jump[1][:3], [0.0232, -0.5551, 0.0114], atol=1.2e-4)
    for plan in spread_plans(grab):
        after = plan.reference.jump[1][:3]
        np.testing.assert_allclose(after, [0.0164, -0.0017, 0.3926], atol=1.2e-4)
    (weak,) = spread_plans(push, SpreadChoice(level=0.8))
    np.testing.assert_allclose(weak.reference.jump[1], 0.8 * plan_of(push, robot), atol=1e-12)


def plan_of(scenario, robot):
    return spread_plans(scenario)[0].reference.jump[1]


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
