# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One motion in torque control, from the first state to the last: the loop in the arm's cycle."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple

import numpy as np

from impact_drivers.franka.arm.arm import Arm, ArmStoppedError
from impact_drivers.franka.arm.arm_state import ArmState
from impact_drivers.franka.loop.answers import Answers
from impact_drivers.franka.loop.goals import GoalDesk, LoopGoal, Requests
from impact_drivers.franka.loop.judge import Judge
from impact_drivers.franka.loop.loop_cycle import LoopCounts, LoopCycle, LoopState
from impact_drivers.franka.loop.loop_times import LoopTimes
from impact_drivers.franka.loop.motion_watch import LONGEST_STOP, MotionWatch
from impact_drivers.franka.loop.preparation import undisturbed
from impact_drivers.franka.loop.protection import advice
from impact_drivers.franka.loop.rehearsal import Rehearsal
from impact_drivers.franka.memory.request import Request, RequestKind
from impact_qp.control.command import Command
from impact_qp.control.controller import ImpactController
from impact_qp.control.guarded import GuardedController
from impact_qp.control.phases import Phase
from impact_qp.control.plan import Plan
from impact_robots.dynamics import ArmDynamics
from impact_robots.exceptions import ImpactError

CYCLE_NS = 1_000_000  # of the arm [ns]
TAKEOVER = 2e-3  # from the decision to the first command of the new controller, at most [s]


class MotionParts(NamedTuple):
    """Parts of a motion, all new."""

    guarded: GuardedController
    judge: Judge  # of the states
    watch: MotionWatch
    rehearsal: Rehearsal | None  # runs until the next state; None: the loop waits


class LoopEnds(NamedTuple):
    """Inputs and outputs of a motion."""

    requests: Requests
    report: Callable[[LoopCycle], None]  # takes each cycle
    times: LoopTimes
    stopped: Callable[[], bool]  # whether the motion is to end


class TorqueMotion:
    """Reads a state, answers, runs the detector and reports, until a request to finish or a stop.

    A motion with raised collision thresholds is for one goal, and ends with it.

    Attributes:
        fault: why it ended, "" on request.
        ends: whether the loop ends with this motion.
        goes_on: whether another motion follows at once.
        following: the goal of that motion, None: to hold.
        is_raised: whether the arm's collision thresholds are raised.
        time: of the last state [ns].
        clock: of the arm, then [ns].
        q: positions of it, shape (7,) [rad].
        judge: of the states.
    """

    def __init__(
        self,
        arm: Arm,
        plan: Plan,
        parts: MotionParts,
        ends: LoopEnds,
        desk: GoalDesk,
        *,
        time: int,
        dry_run: bool,
        goal: LoopGoal | None = None,
        before: TorqueMotion | None = None,
    ) -> None:
        """Prepare to hold the arm at its position.

        Args:
            arm: connected.
            plan: defaults of fields that a goal does not set.
            parts: of the motion.
            ends: of the loop.
            desk: decides on goals.
            time: stamp of the first state [ns].
            dry_run: compute everything, send zeros.
            goal: of this motion, with its own thresholds; None: to hold.
            before: previous motion, whose time is continued; None: it is the first.
        """
        self._arm, self._plan, self._desk = arm, plan, desk
        self._guarded, self.judge, self._watch, self._rehearsal = parts
        self._requests, self._report, self._times, self._stopped = ends
        self._dynamics = ArmDynamics(parts.guarded.controller.robot)
        self._answers = Answers(parts.guarded, dry_run=dry_run)
        self.is_raised = goal is not None and goal.thresholds is not None
        self.time, self.clock, self._before = time, 0, before
        self.q = np.zeros(parts.guarded.controller.robot.dof)
        self._stopping: int | None = None  # since when [ns]
        self._phase = Phase.BRAKE
        self._answered = self._missed = self._infeasible = 0
        self.fault, self.ends, self._done = "", False, False
        self.goes_on = False
        self.following: LoopGoal | None = None
        parts.guarded.reset()
        parts.guarded.stop()  # until a goal comes
        desk.move(self, goal)

    def run(self) -> None:
        """Run until a request to finish, or until the arm stops."""
        try:
            with undisturbed():
                while not self._done:
                    self._live_through(self._arm.read())
        except ArmStoppedError as error:
            self._note(str(error))

    def _live_through(self, state: ArmState) -> None:
        """Answer one state, and use the time until the next one."""
        took = self._cycle(state)
        if self._done or self._desk.prepare(state):
            return
        if self._rehearsal is not None:
            self._rehearsal.run(state, self._phase, took)

    def _cycle(self, state: ArmState) -> float:
        """Answer one state; return the time that it took [s]."""
        began = state.arrived
        self._tell_time(state)
        self._watch_over(state)
        status = self.judge.fresh(self.time)
        impact, ready = (False, False) if status is None else (status.impact, status.ready)
        command, torque = self._answers.answer(self.time, state, impact=impact, ready=ready)
        solved = perf_counter()
        self._look_after(command)
        self._done = self._is_over()
        (self._arm.finish if self._done else self._arm.write)(torque)
        took = perf_counter() - began
        self._times.add(took, state.period, state.success_rate)
        self._missed += max(0, round(state.period / CYCLE_NS) - 1)
        try:
            reference = None if command is None else command.reference_torque
            self.judge.add(self.time, state, reference)
            self._report(self._described(state, command, torque, solved - began, took))
            self._guarded.catch_up(began + self._desk.spare)
        except Exception as error:  # the arm has its answer; it brakes from the next one on
            self._fail(f"{type(error).__name__}: {' '.join(str(error).split())}")
        if not self._done:
            self._obey(state)
        return took

    def _tell_time(self, state: ArmState) -> None:
        """Stamp a state by the arm's clock; the first one by the computer's, or as of before."""
        self.time, self.q, self.clock = self.time + state.period, state.q, state.clock
        if self._before is not None:
            before, self._before = self._before, None
            self.time = before.time + max(CYCLE_NS, state.clock - before.clock)

    def _obey(self, state: ArmState) -> None:
        """Take requests, effective from the next state on."""
        if self._stopped():
            self._stop(ends=True)
        try:
            request = self._requests.take(self._plan)
        except ImpactError as error:
            self._desk.decisions.decide(self._requests.taken, str(error))
            request = None
        if request is not None:
            self._carry_out(request, state)
        self._desk.decide(state)

    def _watch_over(self, state: ArmState) -> None:
        """Check whether the arm must brake."""
        if problem := self._watch.problem(self.time, state, self._requests.beats, self._phase):
            self._fail(problem)

    def _carry_out(self, request: Request, state: ArmState) -> None:
        """Carry out a request; requests that stop the arm also drop a pending goal."""
        kind, refusal = request.kind, ""
        if kind is RequestKind.GOAL and request.plan is not None:
            self._desk.take(request, state)
            return
        if kind is RequestKind.WITHDRAW:
            self._withdraw()
        elif kind is RequestKind.RECOVER:
            refusal = "recover: the arm is in torque control; finish first"
        else:
            self._forget()
            if kind in (RequestKind.HOLD, RequestKind.STOP):
                self._guarded.stop()
            elif kind in (RequestKind.FINISH, RequestKind.END):
                self._stop(ends=kind is RequestKind.END)
        self._desk.decisions.decide(request.number, refusal)

    def refusal(self, state: ArmState, controller: ImpactController | None = None) -> str:
        """Return why a goal with that controller, or any goal, cannot begin now, "" if it can."""
        if self._stopping is not None and not self.goes_on:
            return self.fault or "the motion is being finished"
        if self._guarded.doubts:
            return "the joint states are not validated yet"
        if (refusal := self._watch.refusal(state.success_rate)) or controller is None:
            return refusal
        point = self._dynamics(state.q, state.dq)
        return self._guarded.start_refusal(controller, point, TAKEOVER)

    def gravity(self, state: ArmState) -> np.ndarray:
        """Return the torques of the joints against gravity, shape (7,) [N.m]."""
        return self._dynamics(state.q, state.dq).g

    @property
    def is_settled(self) -> bool:
        """Whether enough commands have arrived to evaluate the connection."""
        return self._watch.counts

    @property
    def stands(self) -> bool:
        """Whether the arm holds."""
        return self._phase is Phase.HOLD

    def begin(self, goal: LoopGoal) -> None:
        """Approach for a goal, from the next state on."""
        self._guarded.adopt(goal.controller)
        if self._rehearsal is not None:
            self._rehearsal.follow(goal.plan)

    def hand_over(self, goal: LoopGoal | None) -> None:
        """Brake, then finish for another motion: for a goal, or to hold; not if the loop ends."""
        if self._stopping is not None and not self.goes_on:
            return
        self._stop()
        self.goes_on, self.following = True, goal

    def _withdraw(self) -> None:
        """Drop the goal that is not begun yet; a motion for this goal ends."""
        self._forget()
        if self.is_raised and self.stands:
            self.hand_over(None)

    def _forget(self) -> None:
        """Drop the goal that is not begun yet."""
        self._desk.forget()
        self.following = None

    def _look_after(self, command: Command | None) -> None:
        """Record the result of a state."""
        if command is not None:
            self._answered += 1
            self._infeasible += bool(command.relaxed)
            self._phase = command.phase
        if problem := self._answers.fault or self._guarded.fault:
            self._fail(problem)

    def _note(self, reason: str) -> None:
        """Record that the arm has ended the motion."""
        if not self._phase.stands:
            reason = advice(reason, raised=self.is_raised)
        self.fault = f"{self.fault}; {reason}" if self.fault else reason

    def _fail(self, reason: str) -> None:
        if not self.fault:
            self.fault = reason
        self._forget()
        self._stop()

    def _stop(self, *, ends: bool = False) -> None:
        """Brake, then finish."""
        self.ends |= ends
        self.goes_on = False
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

    @property
    def _state(self) -> LoopState:
        if self._stopping is None or self.goes_on:
            return LoopState.CONTROLLING
        return LoopState.STOPPING

    def _described(
        self,
        state: ArmState,
        command: Command | None,
        torque: np.ndarray,
        solve_time: float,
        cycle_time: float,
    ) -> LoopCycle:
        """Return the report of the cycle."""
        judge, decisions = self.judge, self._desk.decisions
        return LoopCycle(
            self.time,
            state.q,
            state.dq,
            state.tau,
            state=self._state,
            period=state.period,
            success_rate=state.success_rate,
            answer=command,
            sent=torque,
            status=judge.fresh(self.time),
            detection=judge.detection,
            detections=judge.detections,
            counts=self._counts(),
            solve_time=solve_time,
            cycle_time=cycle_time,
            acknowledged=decisions.number,
            begun=decisions.begun,
            refusal=decisions.refusal,
            fault=self.fault,
            raised=self.is_raised,
            external=state.external,
        )

    def _counts(self) -> LoopCounts:
        return LoopCounts(self._answered, self._missed, self._answers.dropped, self._infeasible)
