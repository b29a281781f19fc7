# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Goals at the loop: made ready beside the cycle, refused without a trace, ended in time."""

import os
import random
import sys
import threading
from dataclasses import replace
from math import inf
from time import perf_counter

import numpy as np
import pytest
from franka_script import GOING, HOLDING, Script

from impact_drivers.fake_fr3.faults import Faults
from impact_drivers.franka.arm.arm_state import IDLE
from impact_drivers.franka.hit import HELD
from impact_drivers.franka.loop.judge import STATUS_AGE, Judge
from impact_drivers.franka.loop.loop_cycle import LoopState
from impact_drivers.franka.loop.motion_watch import LONGEST_STOP, MotionWatch
from impact_drivers.franka.loop.preparation import OURS, Preparation, undisturbed
from impact_drivers.franka.memory.request import RequestKind
from impact_qp.control.controller import ImpactController
from impact_qp.control.guarded import GuardedController
from impact_qp.control.phases import Phase
from impact_qp.limits import Contact
from impact_robots.exceptions import ImpactError

MILLISECOND = 1_000_000


# --- made ready beside the cycle ----------------------------------------------------------------


class ThreeGoals(Script):
    """Asks for the next one 200 cycles after the last one has begun, however long it takes."""

    def take(self, defaults):
        at, after = len(self.cycles), [each.begun for each in self.cycles[-200:]]
        if self.taken >= 2 and min(after) == self.taken:
            self._asked[at] = RequestKind.GOAL if self.taken < 4 else RequestKind.END
        return super().take(defaults)


@pytest.mark.parametrize("limits", ["robust", "joint_load"])
@pytest.mark.parametrize("real_time", [False, True])
def test_no_controller_is_made_and_no_bound_searched_by_the_thread_of_the_cycle(
    run, make_arm, make_job, monkeypatch, limits, real_time
):
    from impact_qp.limits.impact_limits.joint_load import JointLoadLimit

    arm, done, cycle = make_arm(), [], [False]
    start, finish = arm.start, arm.finish

    def noted(what, method):
        def call(*args, **options):
            done.append((what, cycle[0], threading.current_thread() is threading.main_thread()))
            return method(*args, **options)

        return call

    arm.start = lambda: (start(), cycle.__setitem__(0, True))
    arm.finish = lambda torque: (cycle.__setitem__(0, False), finish(torque))
    monkeypatch.setattr(
        ImpactController, "__init__", noted("controller", ImpactController.__init__)
    )
    monkeypatch.setattr(JointLoadLimit, "speed_bound", noted("search", JointLoadLimit.speed_bound))
    script = ThreeGoals(GOING, last=None)
    loop = run(arm, script, make_job(limits), real_time=real_time, rehearses=False)
    assert loop.fault == "" and script.taken == 5
    within = [(what, main) for what, inside, main in done if inside]
    assert within.count(("controller", False)) == 3
    assert not [what for what, main in within if main]


def test_a_goal_that_fails_while_it_is_made_ready_ends_itself_only(make_job):
    def broken(plan):
        raise ZeroDivisionError("of a test") if plan == 1 else ImpactError("says why")

    preparation = Preparation(broken)
    for plan, said in ((1, "goal: ZeroDivisionError('of a test')"), (2, "says why")):
        preparation.begin(plan)
        preparation.work(inf)
        assert preparation.outcome() == said


def test_what_is_begun_anew_takes_the_place_of_what_was_before():
    """Its thread may still be at the first one, of which nothing is heard any more."""
    gate = threading.Event()

    def make(plan):
        if plan == "first":
            gate.wait()
        return plan

    preparation = Preparation(make)
    preparation.begin("first")
    preparation.begin("second")
    preparation.work(perf_counter() + 1e-3)
    assert preparation.outcome() is None
    gate.set()
    preparation.work(inf)
    assert preparation.outcome() == "second"


def test_with_a_real_time_priority_it_has_a_lower_one_than_the_cycle(monkeypatch):
    """On the cycle's core, with its priority, it would not let the cycle go on."""
    taken = []

    def take(_, policy, parameters):
        taken.append((threading.current_thread().name, policy, parameters.sched_priority))

    monkeypatch.setattr(os, "sched_getscheduler", lambda _: os.SCHED_FIFO)
    monkeypatch.setattr(os, "sched_getparam", lambda _: os.sched_param(80))
    monkeypatch.setattr(os, "sched_setscheduler", take)
    preparation = Preparation(lambda plan: plan)
    preparation.begin("plan")
    preparation.work(inf)
    assert taken == [("preparation", os.SCHED_FIFO, 79)]


def test_within_a_cycle_no_other_thread_takes_pythons_lock():
    before = sys.getswitchinterval()
    with undisturbed():
        assert sys.getswitchinterval() == OURS
        preparation = Preparation(lambda plan: plan)
        preparation.begin("plan")
        preparation.work(inf)
        assert sys.getswitchinterval() == OURS
    assert sys.getswitchinterval() == before


def test_cycles_without_time_refuse_a_goal_in_the_end(run, make_arm, make_job, monkeypatch):
    monkeypatch.setattr("impact_drivers.franka.loop.goals.PATIENCE", 50)
    monkeypatch.setattr(Preparation, "outcome", lambda self: None)
    script = Script(GOING, HELD + 100)
    run(make_arm(), script, make_job(), real_time=True, rehearses=False)
    assert script.cycles[HELD + 40].acknowledged == 1, "it is pending"
    assert script.cycles[HELD + 90].refusal.startswith("not prepared within 50 cycles")


# --- a refused goal changes nothing but its own answer ------------------------------------------


def swept(cycles):
    """Torques, phases and speeds of all cycles that were answered."""
    return [
        (cycle.answer.phase, cycle.sent.tobytes(), cycle.answer.position.tobytes())
        for cycle in cycles
        if cycle.answer is not None
    ]


def bad_goals(plan):
    """Goals that are refused: by their limits, by their making, by where the surface is."""
    contact = plan.contact
    near = Contact(
        contact.point + 0.13 * contact.normal,
        contact.normal,
        contact.friction,
        contact.restitution,
        stiffness=contact.stiffness,
    )
    return {
        "weak": replace(plan, impact_limits="unaware"),
        "near": replace(plan, contact=near),
    }


@pytest.mark.parametrize("bad", ["weak", "near", "broken"])
def test_a_goal_that_the_loop_refuses_leaves_the_running_one_alone(
    run, make_arm, make_job, monkeypatch, bad
):
    job = make_job()
    at = HELD + 300  # it approaches
    marked = replace(job.plan, coast_time=0.099)
    if bad == "broken":
        make = ImpactController.__init__

        def broken(self, robot, plan, **options):
            if plan.coast_time == 0.099:
                raise ImpactError("says why")
            make(self, robot, plan, **options)

        monkeypatch.setattr(ImpactController, "__init__", broken)
    goal = marked if bad == "broken" else bad_goals(job.plan)[bad]
    runs = []
    for asked in (GOING, GOING | {at: goal}):
        script = Script(asked, at + 100)
        run(make_arm(), script, job)
        runs.append(script.cycles)
    undisturbed_run, disturbed = runs
    assert disturbed[at + 5].acknowledged == 3 and disturbed[at + 5].refusal
    assert disturbed[at + 5].begun == 2, "the first goal is still the one that is carried out"
    assert swept(undisturbed_run) == swept(disturbed)
    assert disturbed[at + 50].answer.phase is Phase.APPROACH


def test_no_goal_begins_while_the_detector_still_reports_an_impact(run, make_arm, monkeypatch):
    """Its approach would have been over in its first cycle."""
    script, fresh = Script(GOING | {HELD + 150: RequestKind.GOAL}, HELD + 200), Judge.fresh

    def hit(self, time):
        status = fresh(self, time)
        heard = len(script.cycles) > HELD + 100 and status is not None
        return status._replace(impact=True) if heard else status

    monkeypatch.setattr(Judge, "fresh", hit)
    run(make_arm(), script)
    last = script.cycles[HELD + 190]
    assert (last.acknowledged, last.begun) == (3, 2)
    assert last.refusal == "the detector still reports an impact"


def test_a_goal_takes_over_in_the_cycle_in_which_it_is_acknowledged(run, make_arm, make_job):
    job, at = make_job(), HELD + 300
    other = replace(job.plan, speed=0.01)
    script = Script(GOING | {at: other}, at + 400)
    run(make_arm(), script, job)
    first = next(k for k, cycle in enumerate(script.cycles) if cycle.acknowledged == 3)
    assert script.cycles[first].begun == 3 and script.cycles[first - 1].begun == 2
    assert script.cycles[at + 350].answer.normal_speed == pytest.approx(-0.01, abs=3e-3)


# --- at rest in bounded time, from any order ----------------------------------------------------


KINDS = (RequestKind.HOLD, RequestKind.GOAL, RequestKind.STOP, RequestKind.FINISH)


@pytest.mark.parametrize("raises", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_any_order_of_requests_ends_at_rest_in_bounded_time(run, make_arm, make_job, seed, raises):
    rng, asked, at = random.Random(seed), {1: RequestKind.HOLD}, HELD
    for _ in range(8):
        asked[at] = rng.choice(KINDS)
        at += rng.randint(1, 150)
    asked[at] = RequestKind.FINISH
    job, arm = make_job("robust", raises=raises), make_arm()
    script = Script(asked, at + LONGEST_STOP // MILLISECOND, need=job.need)
    run(arm, script, job)
    stopped = script.cycles[at + 1 :]
    moving = [k for k, cycle in enumerate(stopped) if cycle.sent is not None]
    assert len(moving) * MILLISECOND <= LONGEST_STOP
    assert script.cycles[-2].state in (LoopState.CONNECTED, LoopState.FAULT)
    assert arm.arm.mode == IDLE and abs(arm.arm.log[-1].dq).max() < 0.05
    low = job.settings.low_thresholds
    assert np.array_equal(arm.arm.safety.behavior.force, low.force)


def test_inactive_is_silent(run, make_arm):
    script = Script(HOLDING | {100: RequestKind.FINISH, 150: RequestKind.GOAL}, 200)
    run(make_arm(), script)
    after = script.cycles[120:]
    assert all(cycle.sent is None and cycle.answer is None for cycle in after)
    assert after[-1].refusal == "" and script.cycles[160].refusal.startswith("goal: the arm is not")


@pytest.mark.parametrize("count", [2, 3])
def test_no_goal_is_decided_on_by_a_state_that_is_no_number(run, make_arm, count):
    """It waits for the next one; where none comes it ends with the fault, and is not refused."""
    arm = make_arm(Faults(nan_from=HELD - 3, nan_count=count if count < 3 else 1000))
    script = Script(GOING, HELD + 100)
    loop = run(arm, script)
    assert "nan" not in "".join(cycle.refusal for cycle in script.cycles)
    assert (script.cycles[HELD + 50].begun == 2) == (count < 3) == (loop.fault == "")


@pytest.mark.parametrize("spoilt", ["jump", "labels"])
def test_a_jump_ends_the_motion_and_is_not_forgotten(run, make_arm, spoilt):
    """States that go on consistently after a jump are not trusted again."""
    arm, script = make_arm(), Script(GOING | {HELD + 500: RequestKind.GOAL}, HELD + 600)
    read = arm.read

    def jumped():
        state = read()
        if len(script.cycles) < HELD + 200:
            return state
        order = [1, 0, 2, 3, 4, 5, 6] if spoilt == "labels" else list(range(7))
        shift = 0.0 if spoilt == "labels" else 0.3
        return state._replace(q=state.q[order] + shift, dq=state.dq[order])

    arm.read = jumped
    loop = run(arm, script)
    assert loop.fault.startswith("implausible joint states: ")
    assert not any(script.cycles[-1].dq > 0.05) and arm.arm.mode == IDLE
    assert script.cycles[HELD + 550].state is LoopState.FAULT
    assert script.cycles[HELD + 550].refusal.startswith("goal: the arm is not in torque control")
    last = [cycle for cycle in script.cycles if cycle.sent is not None][-1]
    assert not last.sent.any()


def test_a_stop_that_does_not_end_is_a_fault(run, make_arm, monkeypatch):
    """As with a payload that nobody announced: the arm holds itself then."""
    answer = GuardedController.answer

    def never(self, *args, **options):
        command = answer(self, *args, **options)
        return command if command is None else command._replace(phase=Phase.BRAKE)

    monkeypatch.setattr(GuardedController, "answer", never)
    longest = 400 * MILLISECOND
    for module in ("motion", "motion_watch"):
        monkeypatch.setattr(f"impact_drivers.franka.loop.{module}.LONGEST_STOP", longest)
    arm, script = make_arm(), Script(HOLDING, 1000)
    loop = run(arm, script)
    assert loop.fault.startswith("the arm still moves 0.4 s after it began to brake")
    sent = sum(cycle.sent is not None for cycle in script.cycles)
    assert sent * MILLISECOND <= 2 * longest + 10 * MILLISECOND and arm.arm.mode == IDLE


# --- what is watched while the arm moves --------------------------------------------------------


def test_commands_that_get_lost_while_the_arm_moves_stop_it(run, make_arm):
    arm = make_arm(Faults(lose_from=HELD + 200, lose_count=6))
    script = Script(GOING, HELD + 1000)
    loop = run(arm, script)
    assert loop.fault == "success rate 0.94 for 20 cycles, expected above 0.95"
    first = next(k for k, cycle in enumerate(script.cycles) if cycle.fault)
    assert HELD + 200 < first <= HELD + 200 + 30
    assert script.cycles[first - 1].answer.phase is Phase.APPROACH
    assert script.cycles[-1].detections == 0 and arm.arm.mode == IDLE


def test_a_few_lost_commands_do_not_stop_it(run, make_arm):
    arm = make_arm(Faults(lose_from=HELD + 200, lose_count=4))
    loop = run(arm, Script(GOING, HELD + 400))
    assert loop.fault == ""


def test_the_success_rate_counts_once_it_is_of_a_hundred_commands(make_job, make_arm):
    watch, state = MotionWatch(make_job().settings), make_arm().look()
    found = [
        watch.problem(k * MILLISECOND, state._replace(success_rate=0.5), k, Phase.BRAKE)
        for k in range(200)
    ]
    assert next(k for k, problem in enumerate(found) if problem) == 100 + 19


# --- fresh evidence -----------------------------------------------------------------------------


def test_a_detection_status_counts_only_for_states_near_its_own():
    class DetectionStatus:
        time = 1000 * MILLISECOND

    judge = Judge(None)
    judge.status = DetectionStatus
    assert judge.fresh(DetectionStatus.time + STATUS_AGE) is DetectionStatus
    assert judge.fresh(DetectionStatus.time + STATUS_AGE + 1) is None


def test_an_arm_whose_detector_falls_silent_does_not_go_on_approaching(run, make_arm, monkeypatch):
    add, script = Judge.add, Script(GOING, HELD + 600)

    def silent(self, time, state, reference):
        if len(script.cycles) < HELD + 300:
            add(self, time, state, reference)

    monkeypatch.setattr(Judge, "add", silent)
    arm = make_arm()
    run(arm, script)
    speeds = [abs(cycle.answer.normal_speed) for cycle in script.cycles if cycle.answer]
    assert speeds[HELD + 290] > 0.04 and speeds[HELD + 590] < 0.005
    assert arm.arm.simulation.plant.contact_start is None
    late = script.cycles[HELD + 320]
    assert late.status is None, "an old detection status is not reported either"
