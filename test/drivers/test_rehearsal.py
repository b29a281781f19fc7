# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A cycle that is computed for nothing changes no torque, and keeps no state waiting."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest

from impact_drivers.franka.arm.arm_state import MOVE, ArmState
from impact_drivers.franka.hit import HELD
from impact_drivers.franka.hit_process import HitJob, detector
from impact_drivers.franka.loop import loop as loop_file
from impact_drivers.franka.loop.loop import FrankaLoop
from impact_drivers.franka.loop.rehearsal import CYCLE, LEAD, PAUSE, Rehearsal
from impact_drivers.franka.memory.request import Request, RequestKind
from impact_predictor.joint_load.load import LoadRun
from impact_qp.control.phases import Phase
from impact_qp.guards.unexplained import UnexplainedLoad
from impact_qp.limits import JointLoadLimit
from impact_robots import ArmDynamics
from impact_sim.driver.simulation import START_NS

MILLISECOND = 1_000_000


class OnTime:
    """A clock and an arm's states by it: a state a millisecond, unless set otherwise."""

    def __init__(self, fr3, plan):
        self.now, self.slept, self._fr3 = 0.0, [], fr3
        self._arrived = 0.0  # [s]
        self.overslept, self.sent = 0.0, 0  # [s]; rehearsed commands
        self.rehearsal = Rehearsal(
            fr3, plan, CYCLE, connection=self._send, now=lambda: self.now, sleep=self._sleep
        )

    def _sleep(self, left):
        self.slept.append(left)
        self.now += left + self.overslept

    def _send(self):
        self.sent += 1

    def pass_state(self, *, after=CYCLE, busy=2e-4, phase=Phase.HOLD, q=None):
        """Let a state come some time after that before; return what was slept then."""
        self._arrived += after
        self.now = self._arrived + busy
        rest = np.zeros(7)
        q = self._fr3.stance if q is None else q
        state = ArmState(q, rest, rest, rest, MOVE, period=MILLISECOND, arrived=self._arrived)
        before = len(self.slept)
        self.rehearsal.run(state, phase, busy)
        return self.slept[before:]


@pytest.fixture
def on_time(fr3, make_job):
    return OnTime(fr3, make_job("robust").plan)


def test_it_begins_some_time_before_the_next_state(on_time):
    for _ in range(3):
        assert on_time.pass_state() == [pytest.approx(CYCLE - LEAD - 2e-4, abs=3e-5)]


def test_without_time_it_does_nothing(on_time):
    on_time.pass_state()
    assert on_time.pass_state(busy=CYCLE - LEAD + 1e-5) == []
    assert on_time.pass_state(busy=LEAD + 1e-5) == []


def test_what_wakes_up_too_late_is_not_rehearsed(on_time):
    """The next state would wait for it, and be lost to the one after."""
    on_time.pass_state()
    assert on_time.sent == 1
    on_time.overslept = LEAD - 1e-4
    assert len(on_time.pass_state(busy=2e-4)) == 1
    assert on_time.sent == 1
    on_time.overslept = LEAD - 3e-4
    on_time.pass_state(busy=2e-4)
    assert on_time.sent == 2


def test_states_that_come_unevenly_leave_less_time(on_time):
    """One that comes early changes little; where many do, it begins earlier."""
    even = on_time.pass_state()[0]
    on_time.pass_state(after=0.7 * CYCLE)
    assert on_time.pass_state(after=1.3 * CYCLE)[0] > even - 5e-5
    for _ in range(20):
        on_time.pass_state(after=0.8 * CYCLE)
        uneven = on_time.pass_state(after=1.2 * CYCLE)
    assert uneven[0] == pytest.approx(even - 0.2 * CYCLE, abs=3e-5)


def test_another_kind_of_goal_is_not_rehearsed(on_time, make_job):
    plan = make_job("robust").plan
    on_time.rehearsal.follow(replace(plan, impact_limits="existential"))
    assert on_time.pass_state() == []
    on_time.rehearsal.follow(plan)
    assert len(on_time.pass_state()) == 1


def test_it_begins_with_the_first_state_of_numbers(on_time):
    assert on_time.pass_state(q=np.full(7, np.nan)) == []
    assert len(on_time.pass_state()) == 1
    assert len(on_time.pass_state(q=np.full(7, np.nan))) == 1


def test_what_can_wait_is_not_rehearsed(fr3, make_job, monkeypatch):
    """The deferred work of ``joint_load`` made rehearsals so long that they paused."""
    done, cycles = [], []
    on_time = OnTime(fr3, make_job("joint_load").plan)
    monkeypatch.setattr(LoadRun, "go_on", lambda run, *ticks: done.append(ticks))
    cycle = on_time.rehearsal._guarded.cycle
    on_time.rehearsal._guarded.cycle = lambda *state, **now: cycles.append(cycle(*state, **now))
    for _ in range(30):
        on_time.pass_state(phase=Phase.BRAKE)
    assert len(cycles) == 30
    assert not done


@pytest.mark.parametrize("kind", ["robust", "joint_load"])
def test_a_fast_arm_is_rehearsed_at_rest_where_limits_leave_a_solution(fr3, make_job, kind):
    """At the arm's velocity the bound cannot be kept, and a program without a solution is slow."""
    on_time = OnTime(fr3, make_job(kind).plan)
    commands, cycle = [], on_time.rehearsal._guarded.cycle
    on_time.rehearsal._guarded.cycle = lambda *state, **now: commands.append(cycle(*state, **now))
    towards = np.linalg.pinv(ArmDynamics(fr3)(fr3.stance, np.zeros(7)).J)[:, 2]
    for k in range(100):
        on_time.pass_state(phase=Phase.APPROACH, q=fr3.stance - 3e-4 * k * towards)
    assert {command.phase for command in commands} == {Phase.APPROACH}
    assert not any(command.relaxed for command in commands)


def test_a_rehearsal_runs_what_only_some_cycles_run(on_time, monkeypatch):
    looks = []
    look = UnexplainedLoad.look
    monkeypatch.setattr(
        UnexplainedLoad, "look", lambda load, *of: looks.append(0) or look(load, *of)
    )
    for _ in range(20):
        on_time.pass_state(phase=Phase.APPROACH)
    assert len(looks) >= 19, "all but the first, which begins"


def test_a_rehearsed_approach_looks_for_no_whole_bound(fr3, make_job, monkeypatch):
    """Noise let the arm seem to approach; 40 ms later it had stopped itself."""
    searched = []
    monkeypatch.setattr(JointLoadLimit, "speed_bound", lambda limit, point: searched.append(0))
    job = make_job("joint_load")
    contact, point = job.plan.contact, ArmDynamics(fr3)(fr3.stance, np.zeros(7))
    touching = replace(job.plan, contact=replace(contact, point=point.position))
    dq = np.linalg.pinv(point.J[:3]) @ (-0.01 * contact.normal)
    Rehearsal(fr3, touching, CYCLE)._guarded.controller.update(fr3.stance, dq)
    assert not searched


class Slow:
    """A controller whose limits take longer than the arm waits."""

    def __init__(self, clock):
        self.clock, self.cycles = clock, 0

    def cycle(self, *state, **now):
        self.cycles += 1
        self.clock.now += 2.0 * LEAD


def test_what_takes_too_long_is_rehearsed_once_more_after_a_pause(on_time, make_job):
    """The rehearsed limit acts everywhere, and may take longer than what the loop answers."""
    slow = Slow(on_time)
    on_time.rehearsal._guarded.cycle = slow.cycle
    for _ in range(5):
        on_time.pass_state()
    assert slow.cycles == 2
    for _ in range(PAUSE):
        on_time.pass_state()
    assert slow.cycles == 3
    on_time.rehearsal.follow(make_job("robust").plan)
    on_time.pass_state()
    assert slow.cycles == 4


class Goal:
    """Holds, approaches, and ends on the way; keeps what was sent."""

    def __init__(self, plan):
        self.plan, self.sent, self.beats, self.taken = plan, [], 0, 0

    def take(self, defaults):
        self.beats += 1
        kinds = {1: RequestKind.HOLD, HELD: RequestKind.GOAL, HELD + 60: RequestKind.END}
        kind = kinds.get(self.beats)
        if kind is None:
            return None
        self.taken += 1
        return Request(self.taken, kind, self.plan)

    def report(self, cycle):
        if cycle.sent is not None:
            self.sent.append(cycle.sent)


def test_a_rehearsed_motion_sends_the_same_torques(fr3, make_job, make_arm, monkeypatch):
    job: HitJob = make_job("robust")
    phases = []

    class Always(Rehearsal):
        def run(self, state, phase, took):
            phases.append(phase)
            self._now, self._sleep = lambda: state.arrived - 1.0, lambda left: None
            super().run(state, phase, 0.0)
            assert self._guarded.controller._phase is phase

    monkeypatch.setattr(loop_file, "Rehearsal", Always)
    monkeypatch.setattr(loop_file, "SPARE", inf)  # goals are made ready in no time
    sent = []
    for rehearses in (False, True):
        goal = Goal(job.plan)
        loop = FrankaLoop(
            make_arm(),
            fr3,
            job.plan,
            job.settings,
            lambda: detector(job, fr3),
            goal,
            goal.report,
            real_time=rehearses,
            now=lambda: START_NS,
        )
        loop.run()
        assert loop.fault == ""
        sent.append(np.array(goal.sent))
    assert {Phase.HOLD, Phase.APPROACH} <= set(phases)
    assert np.array_equal(*sent)
