# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Pushes and grabs in which something goes wrong: in each of them the joints keep their limits.

Arms early and late, a box that is heavier, other than announced, missing, slipping, gone; detectors
that are deaf, or hear what is not there. A grab takes 3 s.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

pytest.importorskip("mujoco")

from cell_mishaps import drawn, loaded, missing, run, slips, vanishes

from impact_qp import ControlError
from impact_qp.arms.object_hits import box_hit
from impact_qp.arms.plans import spread_plans
from impact_qp.spreading import StopReason
from impact_robots import ArmDynamics, load_robot
from impact_sim.cell.spreading_file import load_spreading
from impact_sim.exceptions import ScenarioError
from impact_sim.scenario_choice import find_scenario
from impact_trials.in_process.spread_controller import spread_answers

pytestmark = pytest.mark.slow  # grabs by the dozen

GRAB, PUSH = "rs_grab_catfood_case1", "rs_push_catfood_case2"
ROBOT = load_robot("panda_plate")
SAG = 0.03  # of a contact point under a payload that nobody announced [m]
REST = 0.03  # of joints that noise still moves [rad/s]


@cache
def safe(name):
    """Return the scenario under the limit on what joints feel."""
    return replace(load_spreading(name), impact_limits="joint_load", variation={})


@cache
def due(name):
    """Return when its arms should hit [s]."""
    return spread_plans(safe(name))[0].reference.nominal_time


def one_hears(time, arm, own):
    return own or (arm == 0 and time >= due(GRAB))


def all_hear(time, arm, own):
    return own or time >= due(GRAB)


def one_is_deaf(time, arm, own):
    return own and arm == 0


def all_are_deaf(time, arm, own):
    return False


MISHAPS = {  # of the grab: scenario of the plant, what is done to it, why each arm stops
    "nothing": (safe(GRAB), {}, ()),
    "one arm 80 ms early": (replace(safe(GRAB), box_offset=(0.0, 0.015, 0.0)), {}, ()),
    "30 % heavier": (replace(safe(GRAB), box_mass=1.69), {}, ()),
    "no box": (missing(safe(GRAB)), {}, ("NO_IMPACT", "NO_IMPACT")),
    "no box, one arm hears it": (
        missing(safe(GRAB)),
        {"hears": one_hears},
        ("PARTNER", "NO_IMPACT"),
    ),
    "no box, both hear it": (missing(safe(GRAB)), {"hears": all_hear}, ("LOST", "PARTNER")),
    "one arm deaf": (safe(GRAB), {"hears": one_is_deaf}, ("PARTNER", "NO_IMPACT")),
    "both deaf": (safe(GRAB), {"hears": all_are_deaf}, ("NO_IMPACT", "NO_IMPACT")),
    "box gone after the lift": (safe(GRAB), {"hand": vanishes(1.5)}, ("LOST", "PARTNER")),
    "box slips out": (safe(GRAB), {"hand": slips(1.5)}, ("AGAIN", "PARTNER")),
}


def keeps_its_limits(done):
    """Check what holds whatever happens."""
    limits, q = ROBOT.limits, done.positions
    assert np.all(np.abs(done.torques) < limits.torque_range)
    assert np.all((q > limits.position_lower + 0.05) & (q < limits.position_upper - 0.05))
    assert np.all(np.abs(done.speeds) < limits.velocity)
    assert all(all(row) for row in done.column("solved"))
    sent = np.array([[each for each in row] for row in done.column("driver_torque")])
    assert np.abs(np.diff(sent, axis=1)).max() <= limits.torque_rate.max() * 1e-3


def plates_apart(scenario, done):
    """Return how near the two contact points came [m]."""
    dynamics, bases = ArmDynamics(ROBOT), np.array(scenario.bases)
    points = np.array(
        [
            [dynamics.position(q) + base for q, base in zip(row, bases, strict=True)]
            for row in done.positions[::5]
        ]
    )
    return np.linalg.norm(points[:, 0] - points[:, 1], axis=1).min()


@pytest.mark.parametrize("name", MISHAPS)
def test_a_mishap_in_a_grab(name):
    scenario, hand, reasons = MISHAPS[name]
    longer = 0.5 if "slips" in name else 0.0
    done = run(scenario, due(GRAB) + 1.1 + longer, announced=safe(GRAB), **hand)
    keeps_its_limits(done)
    assert {each.name for each in done.stops if each} == set(reasons)
    assert plates_apart(scenario, done) > 0.03
    if reasons:
        assert np.abs(done.speeds[-50:]).mean(axis=0).max() < REST
    else:
        rise = done.log.boxes[-1].position[2] - done.log.boxes[0].position[2]
        assert rise > 0.12 and np.degrees(done.log.tilts.max()) < 3.0  # lifted all the same


@pytest.mark.parametrize(
    ("hand", "scenario"),
    [
        ({}, replace(safe(PUSH), box_mass=1.69)),
        ({}, replace(safe(PUSH), box_offset=(0.0, 0.05, 0.0))),
        ({}, missing(safe(PUSH))),
        ({"hears": lambda time, arm, own: own or time >= 0.6}, missing(safe(PUSH))),
        ({"hears": lambda time, arm, own: False}, safe(PUSH)),
        ({"hand": vanishes(0.7)}, safe(PUSH)),
    ],
)
def test_a_mishap_in_a_push(hand, scenario):
    done = run(scenario, due(PUSH) + 1.0, announced=safe(PUSH), **hand)
    keeps_its_limits(done)
    assert np.abs(done.speeds[-50:]).mean(axis=0).max() < REST


@pytest.mark.parametrize(("mass", "after"), [(0.5, 1.6), (3.0, 1.6), (3.0, 0.02), (3.0, 0.8)])
def test_a_payload_that_nobody_announced_is_held(mass, after):
    """Hung on both arms: as they hold, as their plan begins, in the middle of their way."""
    done = run(missing(safe(GRAB)), 3.0, announced=safe(GRAB), hand=loaded(mass, after))
    keeps_its_limits(done)
    heights = np.array(
        [[ArmDynamics(ROBOT).position(q)[2] for q in row] for row in done.positions[::5]]
    )
    before = heights[int(200 * after) - 2]
    assert all(done.stops)
    assert (before - heights[int(200 * after) :].min(axis=0)).max() < SAG
    assert np.abs(heights[-1] - heights[-60]).max() < 1e-3
    last = [answer.commands[-1] for answer in done.answers]
    assert all(each.held and "N.m beyond the model" in each.note for each in last)


@pytest.mark.parametrize("seed", range(4))
def test_at_the_bound_every_box_in_the_ranges_keeps_the_limits(seed):
    """Asked for 0.35 m/s, the arms hit at 98 % of the bound, which is 0.18."""
    scenario = drawn(safe(GRAB), box_hit(safe(GRAB)), seed)
    done = run(scenario, due(GRAB) + 0.7, announced=safe(GRAB), seed=seed)
    keeps_its_limits(done)
    assert done.stops == [None, None]
    for plate, answer in zip(done.log.plant.plates, done.answers, strict=True):
        guard = answer.controller.plan.guard
        speed = (
            ArmDynamics(ROBOT)(plate.contact_start.q, plate.contact_start.dq).velocity @ guard.into
        )
        assert 0.9 * guard.speed < speed < guard.speed


def test_a_push_that_is_too_fast_for_a_joint_on_its_way_is_held_back(tmp_path):
    path = tmp_path / "fast.yaml"
    path.write_text(f"like: {PUSH}\nv_minus: [[0, -1.2, 0]]\nrun_up: 0.4\n")
    asked = replace(find_scenario(path), variation={})
    done = run(asked, 0.8)
    assert np.any(np.abs(done.speeds) > ROBOT.limits.velocity)
    held = replace(asked, impact_limits="joint_load")
    done = run(held, 1.6)
    keeps_its_limits(done)
    (answer,) = done.answers
    due_then = answer.controller.plan.timing.nominal
    assert done.log.plant.plates[0].contact_start.time == pytest.approx(due_then, abs=0.01)
    assert done.stops == [None]


def test_without_the_limit_the_same_mishap_is_too_much_for_a_joint():
    """What the limits buy: one arm early, at the speed that was asked for."""
    asked = replace(safe(GRAB), impact_limits="unaware", box_offset=(0.0, 0.015, 0.0))
    done = run(asked, 1.0)
    assert np.abs(done.torques)[:, :, 5].max() > ROBOT.limits.torque_range[5]


def test_arms_that_are_asked_for_more_than_is_safe_stop_before_they_meet():
    asked = replace(load_spreading("rs_grab_catfood_case2"), variation={})
    done = run(missing(asked), 1.2, announced=asked)
    assert StopReason.ROOM in done.stops
    keeps_its_limits(done)
    assert plates_apart(asked, done) > 0.03


def test_no_safe_speed_and_no_such_limits_are_one_line(tmp_path):
    heavy = replace(safe(GRAB), clamp_force=150.0)  # the clamp alone is too much for joint 6
    with pytest.raises(ControlError, match="no speed is safe: left panda_joint6 torque range"):
        spread_answers(heavy)
    path = tmp_path / "mine.yaml"
    path.write_text(f"like: {GRAB}\nimpact_limits: existential\n")
    with pytest.raises(ScenarioError, match="impact_limits: expected one of unaware, joint_load"):
        find_scenario(path)
