# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The arm's own protection: thresholds are low but for the time of a hit, whatever happens."""

from dataclasses import replace

import numpy as np
import pytest
from franka_script import GOING, HOLDING, Script

from impact_drivers.exceptions import DriverError
from impact_drivers.fake_fr3.faults import Faults
from impact_drivers.fake_fr3.safety import CARTESIAN_REFLEX, COMMUNICATION
from impact_drivers.franka.arm.arm_state import IDLE, REFLEX
from impact_drivers.franka.arm.collision_behavior import CollisionBehavior
from impact_drivers.franka.arm.settings import ArmSettings
from impact_drivers.franka.hit import HELD
from impact_drivers.franka.hit_need import hit_need, planned_speed
from impact_drivers.franka.hit_process import HitJob, perform
from impact_drivers.franka.loop.loop_cycle import LoopState
from impact_drivers.franka.memory.request import RequestKind
from impact_qp import ControlError
from impact_qp.control.phases import Phase
from impact_qp.limits.straight_path import contact_state
from impact_robots.dynamics import ArmDynamics
from impact_sim.driver.simulation import START_NS

LOW = ArmSettings().low_thresholds
LONG = 2600  # cycles, by which the hit is over


def same(first, second):
    """Tell whether two behaviours are the same."""
    return np.array_equal(first.torque, second.torque) and np.array_equal(first.force, second.force)


@pytest.fixture
def raising(make_job):
    return make_job("robust", raises=True)


@pytest.fixture
def hit(run, make_arm, raising):
    """Return what hits with raised thresholds, by what else is asked; it returns all of it."""

    def make(last=LONG, faults=None, **asked):
        arm = make_arm(*(() if faults is None else (faults,)))
        given = GOING | {HELD + int(at[1:]): kind for at, kind in asked.items()}
        script = Script(given, last, need=raising.need)
        return run(arm, script, raising), script, arm.arm

    return make


def behaviors(script, arm):
    """Return whether thresholds were raised, for each phase."""
    found = {}
    for cycle in script.cycles:
        if cycle.answer is not None:
            found.setdefault(cycle.answer.phase, set()).add(cycle.raised)
    return found


# --- low by default -----------------------------------------------------------------------------


def test_thresholds_are_those_of_the_makers_examples_unless_somebody_raises_them():
    assert LOW.torque.tolist() == [20.0, 20.0, 18.0, 18.0, 16.0, 14.0, 12.0]
    assert LOW.force.tolist() == [20.0, 20.0, 20.0, 25.0, 25.0, 25.0]
    assert ArmSettings().raise_thresholds is False


@pytest.mark.parametrize("name", ["torque_thresholds", "force_thresholds"])
def test_standing_thresholds_cannot_be_high(name):
    values = list(getattr(ArmSettings(), name))
    values[0] = 87.0
    with pytest.raises(DriverError, match=rf"^{name}: expected at most .* got .*87\.0"):
        ArmSettings(**{name: tuple(values)})


def test_a_hit_that_nobody_raised_thresholds_for_leaves_them_low(run, make_arm, make_job):
    arm, job = make_arm(), make_job("robust", raises=True)
    cautious = replace(job, settings=replace(job.settings, raise_thresholds=False))
    loop = run(arm, Script(GOING, LONG, need=job.need), cautious)
    assert same(arm.arm.highest_thresholds, LOW) and arm.arm.errors == (CARTESIAN_REFLEX,)
    assert "raise_thresholds raises them for a hit" in loop.fault


def test_a_dry_run_leaves_them_low(run, make_arm, raising):
    arm = make_arm()
    script = Script(GOING, HELD + 50, need=raising.need)
    run(arm, script, raising, dry_run=True)
    assert same(arm.arm.highest_thresholds, LOW)
    assert not any(cycle.raised for cycle in script.cycles)


# --- raised for the time of a hit ---------------------------------------------------------------


def test_they_are_raised_for_the_hit_alone_to_what_it_needs(hit, raising):
    loop, script, arm = hit()
    assert loop.fault == "" and arm.mode == IDLE
    assert same(arm.highest_thresholds, raising.settings.raised_for(raising.need))
    assert same(arm.safety.behavior, LOW)
    found = behaviors(script, arm)
    for phase in (Phase.APPROACH, Phase.COAST, Phase.RETRACT):
        assert found[phase] == {True}, phase
    held = [c.raised for c in script.cycles if c.answer is not None][-100:]
    assert held == [False] * 100, "it holds again, with low thresholds"
    assert script.cycles[HELD - 5].raised is False


def test_the_arm_observes_no_more_than_the_hit_is_predicted_to_need(make_arm, make_job, fr3):
    for limits in ("robust", "joint_load"):
        job, arm = make_job(limits, raises=True), make_arm()
        most = CollisionBehavior(np.zeros(7), np.zeros(6))
        safety = arm.arm.safety
        judge = safety.of_state

        def watched(time, q, dq, tau, judge=judge, safety=safety):
            nonlocal most
            answer = judge(time, q, dq, tau)
            most = CollisionBehavior(
                np.maximum(most.torque, abs(safety.external_torque)),
                np.maximum(most.force, abs(safety.force(q, dq))),
            )
            return answer

        safety.of_state = watched
        outcome = perform(arm, fr3, job, now=lambda: START_NS)
        assert outcome.fault == "" and outcome.controlled[-1].detections == 1
        noise = 1.0  # [N.m], [N]
        assert (most.torque <= job.need.torque + noise).all(), limits
        assert (most.force <= job.need.force + noise).all(), limits
        assert (most.force > LOW.force).any(), "low thresholds would have ended it"


def test_what_a_hit_needs_grows_with_its_speed_and_is_clipped(fr3, make_job, make_arm):
    job = make_job("robust")
    q = make_arm().arm.log[0].q
    slow, fast = (hit_need(fr3, replace(job.plan, speed=speed), q) for speed in (0.02, 0.04))
    assert fast.torque == pytest.approx(2.0 * slow.torque)
    assert fast.force == pytest.approx(2.0 * slow.force)
    dynamics = ArmDynamics(fr3)
    point = contact_state(dynamics, job.plan.contact, dynamics(q, np.zeros(7)))
    assert abs(job.plan.contact.gap(point.position)) < 1e-4
    assert planned_speed(fr3, job.plan, point) < job.plan.speed, (
        "the limits are below what is asked"
    )
    settings = job.settings
    most = settings.raised_for(CollisionBehavior(np.full(7, 1e6), np.full(6, 1e6)))
    assert most.torque.tolist() == [87.0, 87.0, 87.0, 87.0, 16.0, 14.0, 12.0]
    assert most.force.tolist() == [250.0, 250.0, 250.0, 80.0, 80.0, 80.0]
    assert same(settings.raised_for(CollisionBehavior(np.zeros(7), np.zeros(6))), LOW)


@pytest.mark.parametrize(
    ("kind", "after"), [(RequestKind.STOP, 300), (RequestKind.FINISH, 300), (RequestKind.END, 300)]
)
def test_however_a_hit_is_stopped_thresholds_are_low_again(hit, kind, after):
    _, script, arm = hit(**{f"a{after}": kind})
    at = HELD + after
    assert script.cycles[at - 1].raised and not script.cycles[-1].raised
    assert same(arm.safety.behavior, LOW)


def test_a_stop_before_the_arm_approaches_forgets_the_goal(hit):
    _, script, arm = hit(a20=RequestKind.STOP)
    assert same(arm.safety.behavior, LOW)
    phases = {cycle.answer.phase for cycle in script.cycles if cycle.answer is not None}
    assert phases <= {Phase.BRAKE, Phase.HOLD}
    assert script.cycles[-2].begun == 0


def test_after_a_reflex_they_are_low_or_it_is_said_that_they_are_not(hit):
    lost = Faults(lose_from=130, lose_count=21)  # of every motion, also the raised one
    loop, _, arm = hit(faults=lost)
    assert arm.mode == REFLEX and COMMUNICATION in loop.fault and same(arm.safety.behavior, LOW)
    assert "still raised" not in loop.fault


def test_an_arm_that_refuses_after_a_reflex_is_lowered_by_the_recovery(run, make_arm, raising):
    arm = make_arm(Faults(lose_from=230, lose_count=21, refuses_thresholds=True))
    asked = GOING | {HELD + 300: RequestKind.RECOVER}
    script = Script(asked, HELD + 320, need=raising.need)
    run(arm, script, raising)
    said = script.cycles[HELD + 290]
    assert said.state is LoopState.FAULT and said.raised
    assert "the collision thresholds are still raised, recover or configure again: " in said.fault
    assert same(arm.arm.safety.behavior, LOW) and not script.cycles[-1].raised


def test_an_arm_that_refuses_for_a_while_after_a_reflex_is_asked_again(
    run, make_arm, raising, monkeypatch
):
    arm = make_arm(Faults(lose_from=230, lose_count=21))
    script = Script(GOING, HELD + 1000, need=raising.need)
    accepts, asked = arm.set_thresholds, []

    def set_thresholds(behavior):
        if not same(arm.arm.safety.behavior, LOW):  # to be lowered
            asked.append(len(script.cycles))
            if len(asked) < 3:
                raise DriverError("arm: command not possible in the current mode")
        accepts(behavior)

    monkeypatch.setattr(arm, "set_thresholds", set_thresholds)
    run(arm, script, raising)
    assert same(arm.arm.safety.behavior, LOW) and not script.cycles[-1].raised
    assert np.diff(asked).tolist() == [1, 300]


def test_an_arm_that_was_moved_between_two_motions_does_not_begin(run, make_arm, raising):
    arm = make_arm()
    script = Script(GOING, HELD + 200, need=raising.need)
    look = arm.look

    def pushed():
        state = look()
        moved = script.cycles and script.cycles[-1].sent is not None
        return state._replace(q=state.q + 0.05) if moved else state

    arm.look = pushed
    loop = run(arm, script, raising)
    assert loop.fault == "the arm moved by 0.05 rad between two motions"
    assert script.cycles[-1].begun == 0 and same(arm.arm.safety.behavior, LOW)


# --- thresholds given for a hit -----------------------------------------------------------------

GIVEN = CollisionBehavior(  # above what the demo's hit needs
    [30.0, 40.0, 30.0, 25.0, 16.0, 14.0, 12.0], [90.0, 60.0, 60.0, 25.0, 25.0, 25.0]
)


def with_given(job, torque=GIVEN.torque, force=GIVEN.force):
    """Return a job with thresholds for its hit."""
    thresholds = CollisionBehavior(torque, force)
    return replace(job, settings=job.settings.with_hit_thresholds(thresholds))


def test_given_thresholds_are_in_force_for_the_hit_alone(run, make_arm, raising):
    arm, script = make_arm(), Script(GOING, LONG, need=raising.need)
    loop = run(arm, script, with_given(raising))
    assert loop.fault == "" and arm.arm.mode == IDLE
    assert same(arm.arm.highest_thresholds, GIVEN) and same(arm.arm.safety.behavior, LOW)
    found = behaviors(script, arm.arm)
    assert found[Phase.APPROACH] == found[Phase.RETRACT] == {True}
    assert not script.cycles[HELD - 5].raised and not script.cycles[-1].raised


@pytest.mark.parametrize("kind", [RequestKind.STOP, RequestKind.FINISH, RequestKind.END])
def test_however_such_a_hit_ends_thresholds_are_low_again(run, make_arm, raising, kind):
    arm = make_arm()
    script = Script(GOING | {HELD + 300: kind}, LONG, need=raising.need)
    run(arm, script, with_given(raising))
    assert script.cycles[HELD + 299].raised and same(arm.arm.safety.behavior, LOW)


def test_they_are_not_used_unless_thresholds_may_be_raised(run, make_arm, raising):
    job = with_given(raising)
    cautious = replace(job, settings=replace(job.settings, raise_thresholds=False))
    arm = make_arm()
    run(arm, Script(GOING, LONG, need=job.need), cautious)
    assert same(arm.arm.highest_thresholds, LOW)


def test_a_goal_is_refused_where_gravity_leaves_a_joint_less_than_its_threshold(
    run, make_arm, raising
):
    arm, torque = make_arm(), GIVEN.torque.copy()
    torque[1] = 86.0  # within the range of joint 2, but not beside gravity
    script = Script(GOING, HELD + 100, need=raising.need)
    run(arm, script, with_given(raising, torque))
    (refusal,) = {cycle.refusal for cycle in script.cycles} - {""}
    assert "joint 2 would need 86.0 N.m, its range leaves 74.3" in refusal
    assert same(arm.arm.highest_thresholds, LOW)
    assert not any(cycle.begun for cycle in script.cycles)


@pytest.mark.parametrize(
    ("name", "index", "value"),
    [
        ("hit_torque_thresholds", 0, 19.0),  # below the low ones
        ("hit_torque_thresholds", 1, 88.0),  # beyond the joint's range
        ("hit_torque_thresholds", 6, 12.5),
        ("hit_force_thresholds", 2, 19.0),
        ("hit_force_thresholds", 0, 300.0),
        ("hit_force_thresholds", 5, float("nan")),  # some, but not all
    ],
)
def test_given_thresholds_are_between_the_low_and_the_highest(name, index, value):
    known = {"hit_torque_thresholds": GIVEN.torque, "hit_force_thresholds": GIVEN.force}
    values = {key: list(each) for key, each in known.items()}
    values[name][index] = value
    with pytest.raises(DriverError, match=rf"^{name}: expected \[20.0, .* to .*, got \["):
        ArmSettings(**values)
    with pytest.raises(DriverError, match=r"^hit_\w+: expected .* got \[nan, nan"):
        ArmSettings(**{name: tuple(known[name])})


# --- limits that do not bound every impulse ------------------------------------------------------


@pytest.mark.parametrize("limits", ["unaware", "existential", "nominal"])
def test_limits_that_leave_an_impulse_unbounded_are_refused(make_job, run, make_arm, limits):
    line = (
        rf"^impact_limits: expected one of auto, joint_load, robust on a real arm, got '{limits}'"
    )
    job = make_job("robust")
    weak = replace(job.plan, impact_limits=limits)
    with pytest.raises(ControlError, match=line):
        HitJob("fr3.local", weak, job.settings)
    arm = make_arm()
    script = Script(HOLDING | {HELD: weak}, HELD + 50)
    run(arm, script, job)
    assert f"got '{limits}'" in script.cycles[HELD + 20].refusal
    assert {c.answer.phase for c in script.cycles if c.answer} <= {Phase.BRAKE, Phase.HOLD}


def test_a_hit_that_needs_no_more_than_low_thresholds_raises_nothing(run, make_arm, make_job):
    job, arm = make_job("robust", raises=True), make_arm()
    small = CollisionBehavior(0.5 * LOW.torque, 0.5 * LOW.force)
    script = Script(GOING, HELD + 50, need=small)
    run(arm, script, job)
    assert script.cycles[HELD + 1].begun == 2, "at once, in the same motion"
    assert not any(cycle.raised for cycle in script.cycles)
