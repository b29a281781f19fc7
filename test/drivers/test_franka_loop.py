# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The loop in the arm's cycle: what it does, and what it does when something goes wrong."""

from dataclasses import replace
from time import perf_counter

import numpy as np
import pytest
from direct_arm import DirectArm
from franka_script import GOING, HOLDING, Script, sent

from impact_drivers.fake_fr3.fake_setup import FakeSetup
from impact_drivers.fake_fr3.faults import Faults
from impact_drivers.fake_fr3.safety import (
    CARTESIAN_REFLEX,
    COMMUNICATION,
    TAU_J_RANGE,
    TORQUE_DISCONTINUITY,
)
from impact_drivers.franka.arm.arm_state import IDLE, MOVE, REFLEX, USER_STOPPED
from impact_drivers.franka.arm.collision_behavior import CollisionBehavior
from impact_drivers.franka.hit import HELD
from impact_drivers.franka.hit_process import detector, perform
from impact_drivers.franka.loop.judge import Judge
from impact_drivers.franka.loop.loop import SPARE
from impact_drivers.franka.loop.loop_cycle import LoopState
from impact_drivers.franka.loop.loop_times import LoopTimes
from impact_drivers.franka.loop.torque_step import write_limited
from impact_drivers.franka.memory.request import RequestKind
from impact_qp.control.controller import ImpactController
from impact_qp.control.guarded import GuardedController
from impact_qp.control.phases import Phase
from impact_sim.arm.watched_plant import WatchedPlant
from impact_sim.driver.simulation import START_NS, Simulation
from impact_trials.lockstep import Answer, lockstep

MILLISECOND = 1_000_000


@pytest.fixture(scope="module")
def stopped(make_job, fr3):
    """A hit under low thresholds, which the arm ends: the outcome, and the arm."""
    arm = DirectArm(FakeSetup().arm())
    return perform(arm, fr3, make_job(), now=lambda: START_NS), arm


def test_detects_in_the_cycle_of_the_lockstep_run(make_job, make_arm, fr3):
    job, setup = make_job("robust"), FakeSetup()
    arm = make_arm()
    arm.arm.safety.behavior = deaf = CollisionBehavior(np.full(7, 1e3), np.full(6, 1e3))
    arm.set_thresholds = lambda behavior: deaf
    outcome = perform(arm, fr3, job, now=lambda: START_NS)
    plant = WatchedPlant(fr3, setup.load_scenario().wall(fr3))
    controller, cycles = ImpactController(fr3, job.plan), []
    controller.stop()

    def answer(measurement, status):
        nonlocal controller
        if len(cycles) == HELD:
            before, controller = controller, ImpactController(fr3, job.plan)
            controller.adopt(before)
        seen = {"impact": status.impact, "ready": status.ready}
        command = controller.update(measurement.q, measurement.dq, **seen)
        torque = command.driver_torque if cycles else np.zeros(7)  # the first leaves it there
        return Answer(torque, command.velocity, command.reference_torque)

    session = detector(job, fr3)
    for cycle in lockstep(Simulation(fr3, plant=plant), answer, session, setup.start(fr3)):
        cycles.append(cycle)
        if cycle.detections:
            break
    detected = next(i for i, cycle in enumerate(outcome.controlled) if cycle.detections)
    assert detected == len(cycles) - 1
    touches = [each.contact_start for each in (plant, arm.arm.simulation.plant)]
    assert touches[0].time == pytest.approx(touches[1].time, abs=2e-4)
    assert touches[0].dq == pytest.approx(touches[1].dq, abs=2e-3)
    assert outcome.fault == outcome.refusal == "" and outcome.reflexes == ()
    assert outcome.controlled[-1].answer.phase is Phase.HOLD


def test_a_hit_under_low_thresholds_ends_in_the_arms_reflex_and_says_what_to_do(stopped):
    outcome, arm = stopped
    assert outcome.reflexes == (CARTESIAN_REFLEX,)
    assert outcome.fault == (
        "motion ended: Reflex cartesian_reflex (the collision thresholds are low:"
        " raise_thresholds raises them for a hit)"
    )
    assert abs(arm.arm.log[-1].dq).max() < 0.1  # it has braked itself


def test_torques_keep_to_the_rate_against_what_the_arm_has(stopped):
    torques = sent(stopped[0].cycles)
    assert abs(np.diff(torques, axis=0)).max() <= 0.99 + 1e-6
    assert not torques[0].any(), "the first command leaves the arm where it is"
    wanted, last, limited = np.array([5.0, -5.0, 1.5]), np.ones(3), np.zeros(3)
    assert write_limited(wanted, last, limited)
    assert limited == pytest.approx([1.99, 0.01, 1.5])
    assert not write_limited(wanted, np.full(3, np.nan), limited)


def test_the_arm_stops_for_a_jump_of_torque(make_arm):
    arm = make_arm()
    arm.start()
    arm.write(np.full(7, 0.999))
    assert arm.arm.mode == MOVE
    arm.write(np.full(7, 2.1))
    assert (arm.arm.mode, arm.arm.errors) == (REFLEX, (TORQUE_DISCONTINUITY,))


@pytest.mark.parametrize("count", [20, 21])
def test_twenty_lost_commands_are_forgiven_and_no_more(run, make_arm, count):
    arm = make_arm(Faults(lose_from=30, lose_count=count))
    script = Script(HOLDING, 100)
    loop = run(arm, script)
    stopped = count > 20
    assert (COMMUNICATION in loop.fault) == stopped
    assert (arm.arm.mode == REFLEX) == stopped
    rates = [cycle.success_rate for cycle in script.cycles if cycle.sent is not None]
    assert min(rates) < 0.7


def test_nothing_begins_with_an_error_from_before_until_recovery_is_asked(run, make_arm):
    arm = make_arm(Faults(errors_at_connect=(TAU_J_RANGE,)))
    asked = {1: RequestKind.HOLD, 5: RequestKind.RECOVER, 6: RequestKind.HOLD}
    script = Script(asked, 60)
    run(arm, script)
    refused = script.cycles[1]
    assert refused.sent is None and refused.errors == TAU_J_RANGE
    assert refused.refusal == f"arm: expected mode Idle without errors, got Reflex ({TAU_J_RANGE})"
    assert all(cycle.sent is None for cycle in script.cycles[:6])
    assert script.cycles[6].state is LoopState.CONTROLLING
    assert arm.arm.mode == IDLE


def test_a_reflex_is_not_recovered_from_by_itself(run, make_arm):
    arm = make_arm(Faults(lose_from=10, lose_count=21))
    script = Script(HOLDING | {80: RequestKind.HOLD, 90: RequestKind.GOAL}, 100)
    run(arm, script)
    assert arm.arm.mode == REFLEX and script.cycles[-1].errors == COMMUNICATION
    assert "expected mode Idle" in script.cycles[85].refusal
    assert script.cycles[95].refusal.startswith("goal: the arm is not in torque control")


def test_recovery_is_refused_in_torque_control(run, make_arm):
    script = Script(HOLDING | {30: RequestKind.RECOVER}, 60)
    run(make_arm(), script)
    assert script.cycles[31].refusal.startswith("recover: the arm is in torque control")
    assert script.cycles[31].state is LoopState.CONTROLLING


@pytest.mark.parametrize("count", [1, 2])
def test_a_state_that_is_no_number_is_passed_over(run, make_arm, count):
    script = Script(HOLDING, 100)
    loop = run(make_arm(Faults(nan_from=40, nan_count=count)), script)
    assert loop.fault == ""
    assert script.cycles[-2].counts.dropped == count
    assert np.isfinite(sent(script.cycles)).all()


def test_states_that_stay_no_number_bring_the_arm_to_rest(run, make_arm):
    arm = make_arm(Faults(nan_from=HELD + 150, nan_count=1000))
    script = Script(GOING, 2000)
    loop = run(arm, script)
    torques = sent(script.cycles)
    assert loop.fault.startswith("implausible joint states: not finite")
    assert abs(torques[-1]).max() == 0.0 and abs(np.diff(torques, axis=0)).max() <= 0.99 + 1e-6
    assert arm.arm.mode == IDLE  # finished in order


def test_the_arm_brakes_when_the_node_is_silent(run, make_arm):
    arm = make_arm()
    script = Script(GOING, 2000, silent_from=HELD - 40)
    loop = run(arm, script)
    assert loop.fault == "deadman: the node has been silent for 0.101 s"
    stopping = [cycle for cycle in script.cycles if cycle.state is LoopState.STOPPING]
    first = next(i for i, cycle in enumerate(script.cycles) if cycle is stopping[0])
    assert first == pytest.approx(HELD - 40 + 100, abs=3)
    assert stopping[-1].answer.phase is Phase.HOLD and arm.arm.mode == IDLE
    assert arm.arm.simulation.plant.contact_start is None


def test_states_far_apart_end_an_approach(run, make_arm, make_job):
    job = make_job()
    strict = replace(job, settings=replace(job.settings, longest_period=0.001))
    arm = make_arm(Faults(skip=HELD + 100))
    script = Script(GOING, 2000)
    loop = run(arm, script, strict)
    assert loop.fault == "states 2 ms apart while approaching (longest_period 1 ms)"
    assert loop.times.skipped == 1 and arm.arm.mode == IDLE


def test_a_late_state_is_not_excused_because_a_goal_begins(run, make_arm, make_job):
    """A goal's controller is made beside the cycle, so nothing may be late for it."""
    job = make_job()
    strict = replace(job, settings=replace(job.settings, longest_period=0.001))
    faults = {}
    for skip in range(HELD - 3, HELD + 1):
        script = Script(GOING, HELD + 20)
        loop = run(make_arm(Faults(skip=skip)), script, strict)
        late = next(k for k, cycle in enumerate(script.cycles) if cycle.period > MILLISECOND)
        faults[late - HELD] = loop.fault
    assert faults[0] == "" and faults[-1] == "", "it holds"
    assert faults[1] == faults[2] == "states 2 ms apart while approaching (longest_period 1 ms)"


def test_no_approach_while_commands_do_not_arrive(run, make_arm):
    script = Script(GOING, HELD + 40)
    run(make_arm(Faults(lose_from=HELD - 60, lose_count=6)), script)
    refusal = "success rate 0.94, expected above 0.95 before an approach"
    assert script.cycles[HELD + 10].refusal == refusal
    assert {c.answer.phase for c in script.cycles if c.answer} <= {Phase.BRAKE, Phase.HOLD}


@pytest.mark.parametrize(("real_time", "spare"), [(True, 0.0), (True, 60.0), (False, 0.0)])
def test_an_arm_that_waits_for_nothing_approaches_only_as_far_as_there_is_time(
    run, make_arm, make_job, real_time, spare
):
    """Loads are worked out within a cycle, of which an arm in real time leaves a part."""
    arm, script = make_arm(), Script(GOING, HELD + 300)
    read = arm.read

    def late():
        """From some cycles after the goal on, by when its controller is made."""
        arrived = perf_counter() + (spare - SPARE if len(script.cycles) > HELD + 30 else 0.0)
        return read()._replace(arrived=arrived)

    arm.read = late
    run(arm, script, make_job("joint_load"), real_time=real_time, rehearses=False)
    speeds = [cycle.answer.normal_speed for cycle in script.cycles if cycle.answer is not None]
    assert (max(map(abs, speeds)) < 0.01) == (real_time and not spare)


def test_the_users_stop_ends_the_motion(run, make_arm):
    arm = make_arm(Faults(user_stop=50))
    script = Script(HOLDING | {80: RequestKind.HOLD}, 100)
    run(arm, script)
    assert arm.arm.mode == USER_STOPPED and "UserStopped" in script.cycles[60].fault
    assert script.cycles[60].state is LoopState.FAULT
    assert "got UserStopped" in script.cycles[85].refusal


def test_a_dry_run_computes_and_sends_zeros(run, make_arm):
    arm = make_arm()
    script = Script(GOING, HELD + 50)
    run(arm, script, dry_run=True)
    answered = [cycle.answer for cycle in script.cycles if cycle.answer is not None]
    assert not sent(script.cycles).any()
    assert abs(np.array([answer.driver_torque for answer in answered])).max() > 0.1
    assert abs(arm.arm.log[-1].q - arm.arm.log[0].q).max() < 1e-3


def test_whatever_breaks_in_the_controller_the_arm_comes_to_rest(run, make_arm, monkeypatch):
    answer, calls = GuardedController.answer, []

    def broken(self, time, q, dq, **options):
        calls.append(time)
        if time > START_NS + (HELD + 60) * MILLISECOND:
            raise ZeroDivisionError("of a test")
        return answer(self, time, q, dq, **options)

    monkeypatch.setattr(GuardedController, "answer", broken)
    arm = make_arm()
    script = Script(GOING, 2000)
    loop = run(arm, script)
    assert loop.fault == "ZeroDivisionError: of a test"
    torques = sent(script.cycles)
    assert not torques[-1].any() and abs(np.diff(torques, axis=0)).max() <= 0.99 + 1e-6
    assert arm.arm.mode == IDLE


def test_a_detector_that_breaks_lets_the_arm_brake(run, make_arm, monkeypatch):
    add = Judge.add

    def broken(self, time, state, reference):
        if time > START_NS + (HELD + 60) * MILLISECOND:
            raise ZeroDivisionError("of a test")
        add(self, time, state, reference)

    monkeypatch.setattr(Judge, "add", broken)
    arm = make_arm()
    loop = run(arm, Script(GOING, 2000))
    assert loop.fault == "ZeroDivisionError: of a test"
    assert arm.arm.mode == IDLE and abs(arm.arm.log[-1].dq).max() < 0.1


def test_an_interrupt_lets_the_arm_brake_and_finishes(run, make_arm):
    arm = make_arm()
    script = Script(GOING, 5000)
    run(arm, script, stopped=lambda: len(script.cycles) > HELD + 150)
    assert script.cycles[-1].state is LoopState.ENDED and arm.arm.mode == IDLE
    last = [cycle for cycle in script.cycles if cycle.answer is not None][-1]
    assert last.answer.phase is Phase.HOLD and last.fault == ""


def test_times_are_assessed():
    times = LoopTimes(1000)
    for cycle in range(1000):
        times.add(100e-6 if cycle % 50 else 250e-6, MILLISECOND, 1.0)
    assert times.report().assessment == "fast enough"
    times.add(1e-4, 3 * MILLISECOND, 0.9)
    assert times.report().assessment == (
        "too slow: 2 of 1003 states skipped; success rate down to 0.90"
    )
    for _ in range(20):
        times.add(400e-6, MILLISECOND, 1.0)
    assert "99 % within 400 us, expected 300" in times.report().assessment
