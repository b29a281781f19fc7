# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The loop's states: connected, in torque control, stopped for a fault, ended."""

from __future__ import annotations

import gc
import time as clock
from collections.abc import Callable
from dataclasses import replace
from math import inf

import numpy as np

from impact_detector.session import DetectorSession
from impact_drivers.exceptions import DriverError
from impact_drivers.franka.arm.arm import Arm, ArmStoppedError
from impact_drivers.franka.arm.arm_state import IDLE, ArmState
from impact_drivers.franka.arm.settings import ArmSettings
from impact_drivers.franka.loop.goals import GoalDesk, LoopGoal, Requests
from impact_drivers.franka.loop.judge import Judge
from impact_drivers.franka.loop.loop_cycle import LoopCycle, LoopState
from impact_drivers.franka.loop.loop_times import LoopTimes
from impact_drivers.franka.loop.motion import CYCLE_NS, LoopEnds, MotionParts, TorqueMotion
from impact_drivers.franka.loop.motion_watch import MotionWatch
from impact_drivers.franka.loop.preparation import Preparation
from impact_drivers.franka.loop.protection import Protection
from impact_drivers.franka.loop.rehearsal import Rehearsal
from impact_drivers.franka.memory.request import Request, RequestKind
from impact_qp.control.controller import ImpactController
from impact_qp.control.guarded import GuardedController
from impact_qp.control.plan import Plan
from impact_qp.limits.impact_limits.registry import ON_A_REAL_ARM, refuse_weak_limits
from impact_robots.exceptions import ImpactError
from impact_robots.robot import Robot

SPARE = 400e-6  # since a state's arrival, after which no deferrable work is begun [s]
MOVED = 0.02  # largest motion of the arm between two motions [rad]
MakeController = Callable[[Plan, float], ImpactController]
WARM_UP = 60  # cycles, more than the detector's quiet samples


class FrankaLoop:
    """Carries out requests, one cycle of the arm after another, in one process.

    A second thread makes the controllers of goals, see :class:`.Preparation`.

    The arm does not move before a request to hold. Errors of the arm are cleared only on request,
    and only outside of torque control. After any end of a motion, the next one begins on request.

    Attributes:
        times: of all motions.
        fault: why the last motion ended, "" if in order.
    """

    def __init__(
        self,
        arm: Arm,
        robot: Robot,
        plan: Plan,
        settings: ArmSettings,
        make_session: Callable[[], DetectorSession],
        requests: Requests,
        report: Callable[[LoopCycle], None],
        *,
        dry_run: bool = False,
        real_time: bool = False,
        rehearses: bool = True,
        make_controller: MakeController | None = None,
        now: Callable[[], int] = clock.time_ns,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Prepare.

        Args:
            arm: connected.
            robot: model of the arm.
            plan: defaults of fields that a goal does not set.
            settings: of the arm.
            make_session: returns a new session of the detector, in lockstep.
            requests: of the client.
            report: takes each cycle; must not block.
            dry_run: compute everything, send zeros, with low collision thresholds.
            real_time: the arm does not wait for its answer: deferred work is limited to the time
                left in a cycle.
            rehearses: in real time, see :class:`.Rehearsal`.
            make_controller: of a plan, with a period [s]; None: that of a hit.
            now: stamps the states outside of motions, and the first of each [ns].
            stopped: whether the process is to end.

        Raises:
            ControlError: the plan's impact limits do not bound every admissible impulse.
        """
        refuse_weak_limits(plan.impact_limits)
        if dry_run:
            settings = replace(settings, raise_thresholds=False)
        self._arm, self._robot, self._plan, self._settings = arm, robot, plan, settings
        self._make_session, self._requests, self._report = make_session, requests, report
        self._dry_run = dry_run
        self._rehearses = real_time and rehearses
        self._make_controller = make_controller
        self._now, self._stopped = now, stopped
        self._state, self._time = LoopState.CONNECTED, 0
        self.times, self.fault = LoopTimes(), ""
        self.still_raised = ""  # at the end: why the collision thresholds are not low
        self._configured, self._warm = False, False
        self._protection = Protection(arm, settings)
        preparation, spare = Preparation(self._controller), SPARE if real_time else inf
        self._desk = GoalDesk(settings, preparation, spare)
        self._decisions = self._desk.decisions

    def run(self) -> None:
        """Run until a request to end.

        Raises:
            ArmStoppedError: the connection is lost.
        """
        self._plan.prepare(self._robot)  # no compilation during a motion
        try:
            while self._state is not LoopState.ENDED:
                state = self._look()
                self._protection.lower_again(self._time)
                if self._stopped():
                    self._state = LoopState.ENDED
                else:
                    self._obey(state)
                self._report(self._described(state))
        finally:
            self.still_raised = self._protection.lower()
            self.fault = self.still_raised or self.fault

    def _look(self) -> ArmState:
        """Return the next state outside of a motion."""
        state = self._arm.look()
        self._time = max(self._now(), self._time + CYCLE_NS)
        return state

    def _obey(self, state: ArmState) -> None:
        number = None
        try:
            request = self._requests.take(self._plan)
            number = self._requests.taken
            if request is not None:
                self._carry_out(request, state)
        except ArmStoppedError:
            raise
        except ImpactError as error:
            self._decisions.decide(number or self._requests.taken, str(error))

    def _carry_out(self, request: Request, state: ArmState) -> None:
        """Carry out a request.

        Raises:
            ImpactError: it cannot be done, with the reason.
        """
        kind = request.kind
        if kind is RequestKind.HOLD:
            self._hold(request.number, state)
            return
        if kind is RequestKind.RECOVER:
            self._recover()
        elif kind is RequestKind.END:
            self._state = LoopState.ENDED
        elif kind is RequestKind.GOAL:
            raise DriverError("goal: the arm is not in torque control; ask to hold first")
        self._decisions.decide(request.number)

    def _recover(self) -> None:
        """Clear the arm's errors, and set its thresholds low if they are not.

        Raises:
            DriverError: it refuses.
        """
        self._arm.recover()
        self._state, self.fault = LoopState.CONNECTED, ""
        if problem := self._protection.lower():
            raise DriverError(problem)

    def _hold(self, number: int, state: ArmState) -> None:
        """Begin torque control, and return when it has ended.

        Raises:
            ImpactError: it cannot begin, with the reason.
        """
        if state.mode != IDLE or state.errors:
            errors = ", ".join(state.errors) or "no errors"
            raise DriverError(
                f"arm: expected mode {IDLE} without errors, got {state.mode} ({errors})"
            )
        if not self._configured:
            self._arm.configure(self._settings)
            self._configured = True
        self._decisions.decide(number)
        self._decisions.begun = 0
        motion = self._moved(state, None, None)
        while motion.goes_on and not self.fault:
            motion = self._move_on(motion)
        self._state = LoopState.FAULT if self.fault else LoopState.CONNECTED
        if motion.ends:
            self._state = LoopState.ENDED

    def _moved(
        self, state: ArmState, goal: LoopGoal | None, before: TorqueMotion | None
    ) -> TorqueMotion:
        """Return a motion that is over; the arm's collision thresholds are low again.

        Args:
            state: of the arm, at rest.
            goal: of the motion; None: to hold.
            before: previous motion; None: it is the first one.

        Raises:
            ImpactError: it cannot begin, with the reason.
        """
        motion = self._motion(state, goal, before)
        try:
            self._protection.apply(goal)
            self._arm.start()
            motion.run()
        finally:
            gc.enable()
            problem = self._protection.lower()
        self._time = motion.time
        self.fault = "; ".join(each for each in (motion.fault, problem) if each)
        return motion

    def _move_on(self, motion: TorqueMotion) -> TorqueMotion:
        """Return the next motion, if the arm is at the last position of the previous one."""
        goal, state = motion.following, self._arm.look()
        self._time = motion.time + max(CYCLE_NS, state.clock - motion.clock)
        self._state = LoopState.CHANGING
        self._report(self._described(state))
        away = float(np.abs(state.q - motion.q).max())
        try:
            if not away <= MOVED:
                raise DriverError(f"the arm moved by {away:.3g} rad between two motions")
            return self._moved(state, goal, motion)
        except ArmStoppedError:
            raise
        except ImpactError as error:
            self.fault = str(error)
        if goal is not None:
            self._decisions.decide(goal.number, self.fault)
        return motion

    def _motion(
        self, state: ArmState, goal: LoopGoal | None, before: TorqueMotion | None
    ) -> TorqueMotion:
        """Return a motion, with all code loaded and garbage collected."""
        guarded, rehearsal = self._guarded(), self._rehearsal()
        judge = Judge(self._make_session(), None if before is None else before.judge)
        if not self._warm:
            self._warm_up(state)
            self._warm = True
        gc.collect()
        gc.freeze()
        gc.disable()
        return TorqueMotion(
            self._arm,
            self._plan,
            MotionParts(guarded, judge, MotionWatch(self._settings), rehearsal),
            LoopEnds(self._requests, self._report, self.times, self._stopped),
            self._desk,
            time=max(self._now(), self._time + CYCLE_NS),
            dry_run=self._dry_run,
            goal=goal,
            before=before,
        )

    def _warm_up(self, state: ArmState) -> None:
        """Run all limits that goals may select once: the first run of a kind takes 0.1 s."""
        for kind in ON_A_REAL_ARM:
            plan = replace(self._plan, impact_limits=kind)
            try:
                guarded = GuardedController(self._controller(plan))
            except ImpactError:  # the robot lacks its fields: goals cannot select it
                continue
            warm_up(guarded, Judge(self._make_session()), state)

    def _rehearsal(self) -> Rehearsal | None:
        if not self._rehearses:
            return None
        return Rehearsal(self._robot, self._plan, CYCLE_NS * 1e-9, connection=self._arm.rehearse)

    def _guarded(self) -> GuardedController:
        return GuardedController(self._controller(self._plan))

    def _controller(self, plan: Plan) -> ImpactController:
        period = CYCLE_NS * 1e-9
        if self._make_controller is not None:
            return self._make_controller(plan, period)
        return ImpactController(self._robot, plan, period=period)

    def _described(self, state: ArmState) -> LoopCycle:
        """Return the report of a cycle outside of torque control."""
        errors = ", ".join(state.errors or state.motion_errors)
        return LoopCycle(
            self._time,
            state.q,
            state.dq,
            state.tau,
            state=self._state,
            acknowledged=self._decisions.number,
            begun=self._decisions.begun,
            refusal=self._decisions.refusal,
            fault=self.fault,
            errors=errors,
            raised=self._protection.raised,
        )


def warm_up(guarded: GuardedController, judge: Judge, state: ArmState) -> None:
    """Run the code of a motion without an arm, as first runs are slow.

    Args:
        guarded: a controller for this purpose only; it approaches.
        judge: for this purpose only.
        state: of the arm.
    """
    still = state._replace(dq=np.zeros_like(state.dq))
    for cycle in range(1, WARM_UP):
        time = cycle * CYCLE_NS
        status = judge.fresh(time)
        ready = status is not None and status.ready
        command = guarded.cycle(time, still.q, still.dq, ready=ready)
        if command is None:
            return
        guarded.catch_up()
        judge.add(time, still, command.reference_torque)
