# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One motion in torque control, from the first state to the last: the loop in the arm's cycle."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from time import perf_counter

import numpy as np

from impact_drivers.franka.arm.arm import Arm, ArmStoppedError
from impact_drivers.franka.arm.arm_state import ArmState
from impact_drivers.franka.loop.answers import Answers
from impact_drivers.franka.loop.judge import Judge
from impact_drivers.franka.loop.loop_cycle import LoopCounts, LoopCycle, LoopState
from impact_drivers.franka.loop.loop_times import LoopTimes
from impact_drivers.franka.loop.motion_watch import MotionWatch
from impact_drivers.franka.loop.rehearsal import Rehearsal
from impact_drivers.franka.loop.requests import Requests
from impact_drivers.franka.memory.request import Request, RequestKind
from impact_qp.control.command import Command
from impact_qp.control.controller import ImpactController
from impact_qp.control.guarded import GuardedController
from impact_qp.control.phases import Phase
from impact_qp.control.plan import Plan
from impact_qp.control.takeover import cannot_be_made_safe
from impact_robots.dynamics import ArmDynamics
from impact_robots.exceptions import ImpactError

CYCLE_NS = 1_000_000  # of the arm [ns]
LONGEST_STOP = 3_000_000_000  # then the motion is finished even if the arm still moves [ns]


class TorqueMotion:
    """Reads a state, answers it, judges it and reports it, until asked to finish or stopped.

    Attributes:
        fault: why it ended, "" if it was asked to.
        ends: the loop is to end with this motion.
        time: of the last state [ns].
    """

    def __init__(
        self,
        arm: Arm,
        plan: Plan,
        guarded: GuardedController,
        judge: Judge,
        watch: MotionWatch,
        requests: Requests,
        report: Callable[[LoopCycle], None],
        times: LoopTimes,
        *,
        time: int,
        dry_run: bool,
        stopped: Callable[[], bool],
        spare: float = inf,
        rehearsal: Rehearsal | None = None,
    ) -> None:
        """Prepare to hold the arm where it is.

        Args:
            arm: connected.
            plan: that holds what a goal does not say.
            guarded: the controller, fresh.
            judge: of the states, fresh.
            watch: of the motion, fresh.
            requests: what is asked.
            report: takes each cycle.
            times: of the loop.
            time: stamp of the first state [ns].
            dry_run: compute everything, send zeros.
            stopped: somebody on this side wants the motion to end.
            spare: time since a state came, after which nothing is begun that can wait [s].
            rehearsal: fills the time until the next state; none: the loop waits idly.
        """
        self._arm, self._plan, self._guarded, self._judge = arm, plan, guarded, judge
        self._watch, self._requests, self._report, self._times = watch, requests, report, times
        self._answers, self._dry_run = Answers(guarded, dry_run=dry_run), dry_run
        self._stopped, self.time, self._spare, self._rehearsal = stopped, time, spare, rehearsal
        self._dynamics = ArmDynamics(guarded.controller.robot)
        self._stopping: int | None = None  # since when [ns]
        self._begun: int | None = None  # stamp of the state with which the last goal began [ns]
        self._phase = Phase.BRAKE
        self._answered = self._missed = self._infeasible = 0
        self.fault, self._refusal, self.ends, self._done = "", "", False, False
        guarded.reset()
        guarded.stop()  # until a goal comes

    def run(self) -> None:
        """Go on until asked to finish, or until the arm stops."""
        try:
            while not self._done:
                state = self._arm.read()
                took = self._cycle(state)
                if self._rehearsal is not None and not self._done:
                    self._rehearsal.run(self.time, state, self._phase, took)
        except ArmStoppedError as error:
            self.fault = f"{self.fault}; {error}" if self.fault else str(error)

    def _cycle(self, state: ArmState) -> float:
        """Answer one state; return the time that it took [s]."""
        began = state.arrived
        self.time += state.period
        self._missed += max(0, round(state.period / CYCLE_NS) - 1)
        self._watch_over(state)
        judge = self._judge
        command, torque = self._answers.answer(
            self.time, state, impact=judge.impact, ready=judge.ready
        )
        solved = perf_counter()
        self._look_after(command)
        self._done = self._is_over()
        (self._arm.finish if self._done else self._arm.write)(torque)
        took = perf_counter() - began
        self._times.add(took, state.period, state.success_rate)
        try:
            judge.add(self.time, state, None if command is None else command.reference_torque)
            self._report(self._described(state, command, torque, solved - began, took))
            self._guarded.catch_up(began + self._spare)
        except Exception as error:  # the arm has its answer, and brakes from the next one on
            self._fail(f"{type(error).__name__}: {' '.join(str(error).split())}")
        if not self._done:
            self._obey(state)
        return took

    def _obey(self, state: ArmState) -> None:
        """Take what is asked for from the next state on: to begin a goal takes a while."""
        if self._stopped():
            self._stop(ends=True)
        try:
            request = self._requests.take(self._plan)
        except ImpactError as error:
            self._refusal = str(error)
            request = None
        if request is not None:
            self._refusal = self._carry_out(request, state)

    def _watch_over(self, state: ArmState) -> None:
        """Look whether the arm must brake."""
        # To begin a goal may take longer than a cycle: the state after that one comes late.
        approaching = self._phase is Phase.APPROACH and self.time - state.period != self._begun
        problem = self._watch.problem(
            self.time, state.period, self._requests.beats, approaching=approaching
        )
        if problem:
            self._fail(problem)

    def _carry_out(self, request: Request, state: ArmState) -> str:
        """Do what a request says; return why not, "" if it is done."""
        kind = request.kind
        if kind is RequestKind.GOAL and request.plan is not None:
            return self._begin(request.plan, state)
        if kind in (RequestKind.HOLD, RequestKind.STOP):
            self._guarded.stop()
        elif kind in (RequestKind.FINISH, RequestKind.END):
            self._stop(ends=kind is RequestKind.END)
        elif kind is RequestKind.RECOVER:
            return "recover: the arm is in torque control; finish first"
        return ""

    def _begin(self, plan: Plan, state: ArmState) -> str:
        """Begin an approach; return why not."""
        if self._stopping is not None:
            return self.fault or "the motion is being finished"
        if refusal := self._watch.refusal(state.success_rate):
            return refusal
        if self._guarded.doubts:
            return "the joint states are not believed yet"
        robot = self._guarded.controller.robot
        try:
            controller = ImpactController(robot, plan, period=self._guarded.controller.period)
        except Exception as error:  # whatever a goal brings about, it ends this goal only
            return str(error) if isinstance(error, ImpactError) else f"goal: {error!r}"
        point = self._dynamics(state.q, state.dq)
        gap = plan.contact.gap(point.position)
        if refusal := cannot_be_made_safe(robot, controller.impact_limit, point, gap):
            return refusal
        self._guarded.adopt(controller)
        if self._rehearsal is not None:
            self._rehearsal.follow(plan)
        self._begun = self.time
        return ""

    def _look_after(self, command: Command | None) -> None:
        """Note what came of a state."""
        if command is not None:
            self._answered += 1
            self._infeasible += bool(command.relaxed)
            self._phase = command.phase
        if problem := self._answers.fault or self._guarded.fault:
            self._fail(problem)

    def _fail(self, reason: str) -> None:
        if not self.fault:
            self.fault = reason
        self._stop()

    def _stop(self, *, ends: bool = False) -> None:
        """Brake, then finish."""
        self.ends |= ends
        if self._stopping is None:
            self._stopping = self.time
            self._guarded.stop()

    def _is_over(self) -> bool:
        """Whether this is the last cycle."""
        if self._stopping is None:
            return False
        if self._answers.fault:
            return self._answers.at_rest
        late = self.time - self._stopping > LONGEST_STOP
        return self._phase is Phase.HOLD or late

    def _described(
        self,
        state: ArmState,
        command: Command | None,
        torque: np.ndarray,
        solve_time: float,
        cycle_time: float,
    ) -> LoopCycle:
        """Return the cycle as it is reported."""
        judge = self._judge
        return LoopCycle(
            self.time,
            state.q,
            state.dq,
            state.tau,
            state=LoopState.CONTROLLING if self._stopping is None else LoopState.STOPPING,
            period=state.period,
            success_rate=state.success_rate,
            answer=command,
            sent=torque,
            verdict=judge.verdict,
            detection=judge.detection,
            detections=judge.detections,
            counts=self._counts(),
            solve_time=solve_time,
            cycle_time=cycle_time,
            acknowledged=self._requests.taken,
            refusal=self._refusal,
            fault=self.fault,
        )

    def _counts(self) -> LoopCounts:
        return LoopCounts(self._answered, self._missed, self._answers.dropped, self._infeasible)
