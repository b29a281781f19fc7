# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Velocity fields in place of references in time: what they are, and how an arm follows them."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from spread_run_up import NOMINAL

from impact_analysis.demo.spreading_evaluation import evaluate_spreading
from impact_qp.arms.plans import SpreadChoice, guarded_arms, spread_plans
from impact_qp.references import Knot, Quintics, SpreadReference
from impact_qp.references.field_motion import DOUBT, PATIENCE, WAITING, FieldMotion
from impact_qp.references.velocity_field import LEADS, SLOWEST, VelocityField
from impact_qp.spreading import Mode, SpreadingController, StopReason, Variant, join
from impact_sim.cell.spreading_file import load_spreading
from impact_trials.in_process.spreading_trial import spread

STIFF = np.full(4, 6.0)
ZERO = np.zeros(4)
SPEED = np.array([0.3, 0.0, 0.4, 0.2])  # at the end of the motion
REST = np.zeros(3)
FIELDS = SpreadChoice(Variant.TIME_INVARIANT)


@pytest.fixture(scope="module")
def motion():
    """Half a second from rest to .5 m/s, along a line."""
    return Quintics([Knot(0.0, ZERO, ZERO, ZERO), Knot(0.5, 0.2 * SPEED, SPEED, ZERO)])


@pytest.fixture
def field(motion):
    return VelocityField(motion, STIFF, begins=True)


def state(x):
    return np.array(x, dtype=float)


def test_on_the_path_it_is_the_velocity_of_the_motion_whenever_the_arm_is_there(motion, field):
    for time in (0.2, 0.35, 0.45):
        at = motion(time)
        found = field(at.position, at.velocity[:3])
        np.testing.assert_allclose(found.velocity, at.velocity, atol=2e-3)
        np.testing.assert_allclose(found.acceleration, at.acceleration, atol=2e-2)
        np.testing.assert_array_equal(found.position, at.position)
        assert field.time(at.position[:3]) == pytest.approx(time, abs=1e-4)


def test_an_arm_that_does_not_go_along_is_not_braked_nor_driven(motion, field):
    at = motion(0.35)
    whole = field(at.position, at.velocity[:3]).acceleration
    assert np.linalg.norm(whole) > 0.5
    for share, of_it in ((0.5, 0.5), (0.0, 0.0), (-1.0, 0.0), (2.0, 1.0)):
        found = field(at.position, share * at.velocity[:3]).acceleration
        np.testing.assert_allclose(found, of_it * whole, atol=1e-3)
    across = np.cross(at.velocity[:3], [0.0, 1.0, 0.0])
    np.testing.assert_allclose(field(at.position, across).acceleration, 0.0, atol=1e-9)


def test_it_goes_on_past_the_surface_at_the_velocity_of_the_impact(motion, field):
    beyond = motion(0.5).position + 0.1 * SPEED
    np.testing.assert_allclose(field(beyond, SPEED[:3]).velocity, SPEED, atol=1e-9)
    assert field.time(beyond[:3]) == pytest.approx(0.6)


def test_it_begins_from_rest_but_a_motion_that_ends_at_rest_stays_there(motion, field):
    along = SPEED[:3] / np.linalg.norm(SPEED[:3])
    assert field(ZERO, REST).velocity[:3] @ along == pytest.approx(SLOWEST)
    behind = state([-0.03, 0.0, -0.04, 0.0])
    assert field(behind, REST).velocity[:3] @ along >= SLOWEST
    end = 0.2 * SPEED
    stops = Quintics([Knot(0.0, ZERO, SPEED, ZERO), Knot(0.5, end, ZERO, ZERO)])
    rest = VelocityField(stops, STIFF, begins=False)
    np.testing.assert_allclose(rest(end, REST).velocity, 0.0, atol=1e-9)
    beyond = end + 0.01 * SPEED
    assert rest(beyond, REST).velocity[:3] @ along < 0.0  # back to where it ends


def test_beside_the_path_it_leads_back_no_faster_than_it_may(motion, field):
    at = motion(0.4)
    side = np.array([0.0, 1.0, 0.0, 0.0])
    near, far = (field(at.position + step * side, REST).velocity for step in (0.002, 0.3))
    assert near[1] == pytest.approx(-0.002 * STIFF[1])
    assert -LEADS[1] <= far[1] < -0.8 * LEADS[1]
    fastest = np.linalg.norm(SPEED[:3])
    assert np.linalg.norm(far[:3]) <= fastest + 1e-9


def test_a_motion_without_a_way_holds_its_place():
    still = VelocityField(Quintics([Knot(0.0, ZERO, ZERO, ZERO)]), STIFF, begins=False)
    np.testing.assert_allclose(still(ZERO, REST).velocity, 0.0)
    np.testing.assert_allclose(still(state([0.001, 0, 0, 0]), REST).velocity, [-0.006, 0, 0, 0])


@pytest.fixture(scope="module")
def push():
    return load_spreading("rs_push_catfood_case1")


def controller(task, choice=FIELDS, arm=0):
    return SpreadingController(task.robots[arm], spread_plans(task, choice)[arm])


def test_what_is_asked_for_depends_on_the_place_and_not_on_the_clock(push):
    q, dq = np.array(push.q_impact[0]), 0.8 * np.array(push.dq_impact[0])
    commands = []
    for time in (0.2, NOMINAL, 0.9):
        own = controller(push.task)
        commands.append(own.update(time, q, dq))
    for other in commands[1:]:
        assert other.mode is Mode.ANTE
        np.testing.assert_array_equal(other.torque, commands[0].torque)
    in_time = [
        controller(push.task, SpreadChoice()).update(time, q, dq).torque for time in (0.2, 0.7)
    ]
    assert np.abs(in_time[0] - in_time[1]).max() > 1.0


def test_a_field_without_an_impact_ends(push):
    """By the place, beyond the window; or after a while, for an arm that does not get there."""
    own, q = controller(push.task), np.array(push.q_start[0])
    still = np.zeros(7)
    last = PATIENCE * own.plan.timing.nominal + own.plan.timing.window
    assert own.update(last - 1e-3, q, still).mode is Mode.ANTE
    assert own.update(last + 1e-3, q, still).mode is Mode.STOP
    assert own.stop is StopReason.NO_IMPACT
    past, there = controller(push.task), np.array(push.q_impact[0])
    dq = np.array(push.dq_impact[0])
    assert past.update(0.3, there, dq).mode is Mode.ANTE
    assert past.update(0.5, there + 0.3 * dq, dq).mode is Mode.STOP


def test_an_impact_in_the_wrong_place_stops_the_arm(push):
    own = controller(push.task)
    found = own.update(0.6, np.array(push.q_start[0]), np.zeros(7), impact=True)
    assert found.mode is Mode.STOP and own.stop is StopReason.UNTIMELY


def test_an_arm_that_hit_first_waits_with_little_feedback_for_the_other_one():
    task = load_spreading("rs_grab_catfood_case1").task
    arms = [controller(task, arm=arm) for arm in (0, 1)]
    join(arms)
    states = [
        (np.array(q), np.array(dq)) for q, dq in zip(task.q_impact, task.dq_impact, strict=True)
    ]
    fades = []
    for k in range(300):
        time = 0.6 + 1e-3 * k
        left = arms[0].update(time, *states[0], impact=k >= 1)
        arms[1].update(time, *states[1], impact=k >= 100)
        fades.append(left.fade)
    assert max(fades[1:100]) == pytest.approx(WAITING)
    assert fades[1] == 0.0 and fades[60] == pytest.approx(WAITING)
    assert fades[250] == 1.0
    assert (np.diff(fades[1:]) >= -1e-12).all()


def test_where_the_impact_is_expected_feedback_does_not_grow_with_the_lag_of_a_contact(push):
    q, dq = np.array(push.q_impact[0]), np.array(push.dq_impact[0])
    along, early = push.direction(0), np.array(push.q_start[0])
    feedbacks = [
        controller(push.task).update(0.6, q, factor * dq).feedback @ along
        for factor in (1.0, 0.99, 0.9, 0.5)
    ]
    damping = 2.0 * np.sqrt(150.0)
    assert abs(feedbacks[0]) < 0.05 and 0.1 < feedbacks[1] < 0.3
    np.testing.assert_allclose(feedbacks[2:], damping * DOUBT, atol=0.02)
    lagging, overtaking = controller(push.task), controller(push.task)
    assert lagging.update(0.6, early, -0.1 * dq).fade == 1.0  # no impact is expected there
    assert overtaking.update(0.6, q, 1.1 * dq).fade == 1.0
    assert controller(push.task).update(0.6, q, 0.9 * dq).fade < 0.5


def test_detection_sees_the_whole_lag(push):
    q, dq = np.array(push.q_impact[0]), np.array(push.dq_impact[0])
    wanted = [controller(push.task).update(0.6, q, f * dq).joint_velocity for f in (1.0, 0.5)]
    np.testing.assert_allclose(wanted[0], wanted[1], atol=1e-12)


def test_the_force_on_the_object_does_not_return_once_the_motion_is_over():
    end = 0.2 * SPEED
    stops = Quintics([Knot(0.5, ZERO, SPEED, ZERO), Knot(1.0, end, ZERO, ZERO)])
    begins = Quintics([Knot(0.0, -end, ZERO, ZERO), Knot(0.5, ZERO, SPEED, ZERO)])
    reference = SpreadReference(begins, stops, 0.5, np.eye(3))
    fields = FieldMotion(reference, STIFF, interim=0.1, window=0.15)
    middle, arrived = (place(0.5 * end[:3]), place(end[:3]))

    def pressed(point, now):
        found = fields.pressed(fields(point, after=True), point, now)
        return np.linalg.norm(found.velocity)

    assert pressed(middle, 0.8) > 0.1
    over = [pressed(each, 1.0 + 0.05 * k) for k, each in enumerate((arrived, middle, middle))]
    np.testing.assert_allclose(over, [over[0], 0.5 * over[0], 0.0], atol=1e-9)
    back = fields(middle, after=True)  # pushed back: led to the end, without the deceleration
    assert back.velocity @ SPEED > 0.0 and not back.acceleration.any()
    fields.reset()
    assert pressed(middle, 0.8) > 0.1


def place(position):
    """Return what a field reads of an arm that is there."""
    return SimpleNamespace(position=position, q=np.zeros(7), velocity=np.zeros(3))


@pytest.mark.parametrize("nearer", [0.05, 0.02, -0.05])
def test_a_box_that_stands_aside_takes_less_feedback_than_with_references_in_time(push, nearer):
    """In the closed loop of the plant: .31, .56 and .31 of it."""
    offset = np.array(push.box_offset) - nearer * push.direction(0)
    world = replace(push, box_offset=tuple(offset.tolist()), variation={}, after_contact=0.5)
    peaks = []
    for choice in (SpreadChoice(), FIELDS):
        run = spread(world, 0, choice)
        found = evaluate_spreading(world, choice.variant.value, run)
        assert not found.stopped
        peaks.append(found.peak_feedback)
    assert peaks[1] < 0.7 * peaks[0]


def test_fields_are_no_faster_than_the_references(push):
    """So the cap of a plan holds for its fields, too."""
    for guarded in guarded_arms(push.task, FIELDS._replace(cap=1.0)):
        plan = guarded.controller.plan
        fields, random = plan.fields, np.random.default_rng(1)
        fastest = max(
            np.linalg.norm(motion(t).velocity[:3])
            for motion in (plan.reference.ante, plan.reference.post)
            for t in np.arange(0.0, 1.5, 0.01)
        )
        contact = np.append(plan.contact, 0.0)
        for _ in range(200):
            x = contact + random.uniform(-0.2, 0.2, 4)
            for each in (fields._ante, fields._post):
                assert np.linalg.norm(each(x, REST).velocity[:3]) <= fastest * (1.0 + 1e-9)
