# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The loop's life: connected, in torque control, stopped for a fault, ended."""

from __future__ import annotations

import gc
import time as clock
from collections.abc import Callable
from math import inf

import numpy as np

from impact_detector.session import DetectorSession
from impact_drivers.exceptions import DriverError
from impact_drivers.franka.arm.arm import Arm, ArmStoppedError
from impact_drivers.franka.arm.arm_state import IDLE, ArmState
from impact_drivers.franka.arm.settings import ArmSettings
from impact_drivers.franka.loop.judge import Judge
from impact_drivers.franka.loop.loop_cycle import LoopCycle, LoopState
from impact_drivers.franka.loop.loop_times import LoopTimes
from impact_drivers.franka.loop.motion import CYCLE_NS, TorqueMotion
from impact_drivers.franka.loop.motion_watch import MotionWatch
from impact_drivers.franka.loop.rehearsal import Rehearsal
from impact_drivers.franka.loop.requests import Requests
from impact_drivers.franka.memory.request import Request, RequestKind
from impact_qp.control.controller import ImpactController
from impact_qp.control.guarded import GuardedController
from impact_qp.control.plan import Plan
from impact_robots.exceptions import ImpactError
from impact_robots.robot import Robot

SPARE = 600e-6  # since a state came, after which nothing is begun that can wait [s]
WARM_UP = 60  # cycles, more than the detector's quiet samples


class FrankaLoop:
    """Carries out requests, one cycle of the arm after another, in one process without threads.

    Nothing moves before it is asked to hold. Errors of the arm are cleared only when that is asked
    for, and only outside of torque control. Whatever ends a motion, the next one begins by request.

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
        now: Callable[[], int] = clock.time_ns,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Prepare.

        Args:
            arm: connected.
            robot: the same, as the controller knows it.
            plan: that holds what a goal does not say.
            settings: of the arm.
            make_session: returns a fresh session of the detector, in lockstep.
            requests: what is asked.
            report: takes each cycle; must not block.
            dry_run: compute everything, send zeros.
            real_time: the arm does not wait for its answer: what it leaves to be worked out is
                worked out only as far as a cycle has time.
            rehearses: in real time, see :class:`.Rehearsal`.
            now: stamps the states outside of motions, and the first of each [ns].
            stopped: somebody on this side wants it to end.
        """
        self._arm, self._robot, self._plan, self._settings = arm, robot, plan, settings
        self._make_session, self._requests, self._report = make_session, requests, report
        self._dry_run, self._real_time = dry_run, real_time
        self._rehearses = real_time and rehearses
        self._now, self._stopped = now, stopped
        self._state, self._time = LoopState.CONNECTED, 0
        self.times, self.fault = LoopTimes(), ""
        self._refusal, self._configured, self._warm = "", False, False

    def run(self) -> None:
        """Go on until asked to end.

        Raises:
            ArmStoppedError: the arm cannot be reached any more.
        """
        self._plan.prepare(self._robot)  # what a goal may choose must not be compiled in a motion
        while self._state is not LoopState.ENDED:
            state = self._arm.look()
            self._time = max(self._now(), self._time + CYCLE_NS)
            if self._stopped():
                self._state = LoopState.ENDED
            else:
                self._obey(state)
            self._report(self._described(state))

    def _obey(self, state: ArmState) -> None:
        try:
            request = self._requests.take(self._plan)
            if request is not None:
                self._refusal = ""
                self._carry_out(request, state)
        except ArmStoppedError:
            raise
        except ImpactError as error:
            self._refusal = str(error)

    def _carry_out(self, request: Request, state: ArmState) -> None:
        """Do what a request says.

        Raises:
            ImpactError: it cannot be done; says why.
        """
        kind = request.kind
        if kind is RequestKind.HOLD:
            self._move(state)
        elif kind is RequestKind.RECOVER:
            self._arm.recover()
            self._state, self.fault = LoopState.CONNECTED, ""
        elif kind is RequestKind.END:
            self._state = LoopState.ENDED
        elif kind is RequestKind.GOAL:
            raise DriverError("goal: the arm is not in torque control; ask to hold first")

    def _move(self, state: ArmState) -> None:
        """Begin torque control, and return when it has ended.

        Raises:
            ImpactError: it cannot begin; says why.
        """
        if state.mode != IDLE or state.errors:
            errors = ", ".join(state.errors) or "no errors"
            raise DriverError(
                f"arm: expected mode {IDLE} without errors, got {state.mode} ({errors})"
            )
        if not self._configured:
            self._arm.configure(self._settings)
            self._configured = True
        motion = self._motion(state)
        self._arm.start()
        try:
            motion.run()
        finally:
            gc.enable()
        self._time, self.fault = motion.time, motion.fault
        self._state = LoopState.FAULT if motion.fault else LoopState.CONNECTED
        if motion.ends:
            self._state = LoopState.ENDED

    def _motion(self, state: ArmState) -> TorqueMotion:
        """Return a motion, with everything loaded and nothing left to collect."""
        guarded, rehearsal = self._guarded(), self._rehearsal()
        judge = Judge(self._make_session())
        if not self._warm:
            warm_up(self._guarded(), Judge(self._make_session()), state)
            self._warm = True
        gc.collect()
        gc.freeze()
        gc.disable()
        return TorqueMotion(
            self._arm,
            self._plan,
            guarded,
            judge,
            MotionWatch(self._settings),
            self._requests,
            self._report,
            self.times,
            time=max(self._now(), self._time + CYCLE_NS),
            dry_run=self._dry_run,
            stopped=self._stopped,
            spare=SPARE if self._real_time else inf,
            rehearsal=rehearsal,
        )

    def _rehearsal(self) -> Rehearsal | None:
        if not self._rehearses:
            return None
        return Rehearsal(self._robot, self._plan, CYCLE_NS * 1e-9)

    def _guarded(self) -> GuardedController:
        return GuardedController(ImpactController(self._robot, self._plan, period=CYCLE_NS * 1e-9))

    def _described(self, state: ArmState) -> LoopCycle:
        """Return a cycle outside of torque control as it is reported."""
        errors = ", ".join(state.errors or state.motion_errors)
        return LoopCycle(
            self._time,
            state.q,
            state.dq,
            state.tau,
            state=self._state,
            acknowledged=self._requests.taken,
            refusal=self._refusal,
            fault=self.fault,
            errors=errors,
        )


def warm_up(guarded: GuardedController, judge: Judge, state: ArmState) -> None:
    """Run what a motion runs, with nothing connected: first times are slow.

    Args:
        guarded: a controller for this alone; it approaches.
        judge: for this alone.
        state: of the arm.
    """
    still = state._replace(dq=np.zeros_like(state.dq))
    for cycle in range(1, WARM_UP):
        time = cycle * CYCLE_NS
        command = guarded.cycle(time, still.q, still.dq, ready=judge.ready)
        if command is None:
            return
        judge.add(time, still, command.reference_torque)
