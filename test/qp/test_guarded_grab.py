# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A humanoid's first command and its hold: near what is measured, without creeping, never a step.

Servos are springs: under a load the joints stand where the command is less the droop.
"""

from dataclasses import replace

import numpy as np
import pytest

from impact_qp import ControlError
from impact_qp.body.guarded_grab import GuardedGrab
from impact_qp.body.phases import beginning, next_state
from impact_qp.body.state_check import HumanoidState
from impact_qp.control.state_machine import MotionState
from impact_qp.interface import LEAD
from impact_qp.whole_body.position_hold import PositionHold
from impact_robots import load_robot
from impact_robots.task.palm_task import PERIOD
from impact_sim.humanoid.grab_file import load_grab

SCENARIO, STAMP = load_grab("qp_hrp4_grab"), 5_000_000
ROBOT = load_robot("hrp4")
START = SCENARIO.start(ROBOT)
STEP = ROBOT.limits.velocity * PERIOD
N, ELBOW = ROBOT.dof, 4


@pytest.fixture(scope="module")
def made():
    return GuardedGrab(SCENARIO)


@pytest.fixture
def grab(made):
    made.deactivate()
    made.activate()
    return made


def state(joints, speeds=None, palms=0.0):
    v = np.zeros(6 + N) if speeds is None else speeds
    forces = np.full((2, 3), palms)
    return HumanoidState(np.append(START[:7], joints), v, forces, np.zeros((2, 3)))


def moved(by, joint=ELBOW):
    joints = np.array(START[7:])
    joints[joint] += by
    return joints


def answers(grab, rows, since=1):
    return [grab.answer(k * STAMP, state(row), 0.1) for k, row in enumerate(rows, since)]


@pytest.mark.parametrize("by", [0.0, 0.03, -0.045, 0.06, -0.4, 0.8, -1.2])
def test_the_first_command_is_within_a_step_of_what_is_measured(grab, by):
    (first,) = answers(grab, [moved(by)])
    assert np.all(np.abs(first.positions - moved(by)) <= STEP * (1 + 1e-9))
    assert bool(grab.fault) == (abs(by) > 0.05)


def test_what_is_missing_of_the_start_is_made_up_for_slowly(grab):
    sent = np.array([each.positions for each in answers(grab, [moved(0.04)] * 8)])
    speeds = np.abs(np.diff(sent[:, ELBOW])) / PERIOD
    assert not grab.fault
    assert speeds.max() < 0.5  # a step of 0.04 rad would be 8 rad/s


def test_a_robot_that_moves_is_not_taken_over(grab):
    speeds = np.zeros(6 + N)
    speeds[6 + ELBOW] = 0.3
    grab.answer(STAMP, state(START[7:], speeds), 0.1)
    assert grab.fault == "L_SHOULDER_Y moves at 0.3 rad/s, at most 0.2"


def test_an_answer_that_would_be_blind_is_none(grab):
    assert grab.answer(STAMP, state(np.full(N, np.nan)), 0.1) is None
    (first,) = answers(grab, [START[7:]], since=2)
    assert np.all(np.abs(first.positions - START[7:]) <= STEP)


def test_activated_again_elsewhere_the_old_positions_are_not_sent(grab):
    answers(grab, [START[7:]] * 10)
    grab.deactivate()
    assert not grab.engaged
    grab.activate()
    (first,) = answers(grab, [moved(0.5)], since=30)
    np.testing.assert_array_equal(first.positions, moved(0.5))


def test_a_command_never_leads_by_more_than_is_said(grab):
    """The robot is blocked: its commands go on until the lead is reached, then it is held."""
    fixed, sent = np.array(START[7:]), []
    for k in range(1, 400):
        answer = grab.answer(k * STAMP, state(fixed), 0.1)
        sent.append(answer.positions)
        if grab.fault:
            break
    assert "would lead by" in grab.fault
    lead = np.abs(np.array(sent) - fixed) / ROBOT.limits.velocity
    assert lead.max() <= LEAD * (1 + 1e-9)


def test_a_held_robot_does_not_creep_under_a_load():
    hold, q = PositionHold(ROBOT, PERIOD, 0.05), np.array(START[7:])
    droop = np.full(N, 0.02)
    q = q - droop  # of what the servos were sent before
    begun = q
    for k in range(1000):
        if k % 100 == 0:
            hold.begin()  # states are lost, and come back
        q = hold.held(q) - droop
    assert np.abs(q - begun).max() <= 0.02 + 1e-12  # once, by the droop
    hold.begin()
    assert np.abs(hold.held(q) - q).max() <= STEP.max()


def test_a_held_joint_that_is_pushed_stays_where_it_was_pushed_to():
    hold, q = PositionHold(ROBOT, PERIOD, 0.05), np.array(START[7:])
    first = hold.held(q)
    for far in (0.01, 0.049):
        np.testing.assert_array_equal(hold.held(moved(far)), first)
    np.testing.assert_array_equal(hold.held(moved(0.2)), moved(0.2))
    np.testing.assert_array_equal(hold.held(moved(0.18)), moved(0.2))


def test_a_joint_that_jumped_is_not_trusted_again(grab):
    answers(grab, [START[7:]] * 3)
    last = answers(grab, [moved(0.9)] * 200, since=4)[-1]
    assert grab.fault.startswith("implausible joint_states: L_SHOULDER_Y moved by 0.9")
    assert grab.machine.situation.motion is MotionState.REST
    assert np.abs(last.positions - START[7:]).max() < 0.01  # nothing is sent but the last command


def test_palms_that_are_faster_than_commanded_stop_the_grab(grab):
    """A driver with a gain, or somebody who pulls: 0.7 rad/s of the shoulder, commanded 0.1."""
    joints, speeds = np.array(START[7:]), np.zeros(6 + N)
    answers(grab, [joints] * 3)
    for k in range(4, 24):
        speeds[6 + ELBOW] = 0.7
        joints = moved(0.7 * PERIOD * (k - 3))
        grab.answer(k * STAMP, state(joints, speeds), 0.1)
        if grab.fault:
            break
    assert "the contact point moves at" in grab.fault
    assert k <= 14  # 50 ms


@pytest.mark.parametrize(("name", "value"), [("reference_speed", 1.2), ("toss_speed", 1.1)])
def test_a_scenario_that_is_faster_than_the_cap_is_refused(name, value):
    with pytest.raises(ControlError, match=f"{name}: expected at most speed_cap 1 m/s"):
        GuardedGrab(replace(SCENARIO, **{name: value}), speed_cap=1.0)


def test_palms_that_meet_something_on_the_way_back_stop():
    state = beginning(SCENARIO).entered("back", 0.0)
    forces = np.array([[0.0, 0.0, 0.0], [0.0, 15.0, 15.0]])
    met = next_state(SCENARIO, state, 0.1, PERIOD, forces, np.inf)
    assert (met.phase, met.failure) == ("rest", "a palm met something")
    assert next_state(SCENARIO, state, 0.1, PERIOD, forces / 2, np.inf).phase == "back"
