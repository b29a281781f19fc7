# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The next cycle, computed once in advance to warm the caches; the result is not used."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import replace
from math import inf
from time import perf_counter

import numpy as np

from impact_drivers.franka.arm.arm_state import ArmState
from impact_drivers.franka.loop.answers import Answers
from impact_qp.control.controller import ImpactController
from impact_qp.control.guarded import GuardedController
from impact_qp.control.phases import Phase
from impact_qp.control.plan import Plan
from impact_robots.robot import Robot

CYCLE = 1e-3  # of the arm [s]
CYCLE_NS = 1_000_000  # the same [ns]
LEAD = 400e-6  # before the next state is expected [s]
PATIENCE = 2  # rehearsals in a row that take longer than that; then there is a pause
PAUSE = 1000  # states until one more is tried, or until the next goal
LATER, EARLIER = 1e-6, 20e-6  # by which the time between states is corrected: one in 20 is less [s]


class Rehearsal:
    """Keeps the code of a cycle in the processor's caches while the loop waits for the arm.

    During the wait other work evicts it, and loading it again takes half as long as the cycle. A
    separate controller answers the pose of the first state, at rest, in the loop's phase; it does
    not use the controller that commands the arm. At rest its limits leave a solution, so that a
    rehearsal takes the time of an ordinary cycle. Code that a loop's cycle runs only sometimes runs
    in each rehearsal; deferred work, which no command waits for, in none.
    """

    def __init__(
        self,
        robot: Robot,
        plan: Plan,
        period: float,
        *,
        connection: Callable[[], None] = lambda: None,
        now: Callable[[], float] = perf_counter,
        sleep: Callable[[float], None] = clock.sleep,
    ) -> None:
        """Prepare, which is slow.

        Args:
            robot: the arm.
            plan: of the same kind as the loop's; its impact limit is always active.
            period: of control [s].
            connection: rehearses that of the arm, see :class:`.Arm`.
            now: as of ``ArmState.arrived`` [s].
            sleep: for so many seconds.
        """
        self._kind, self._phase = plan.impact_limits, Phase.BRAKE
        everywhere = replace(plan, activation_distance=inf)
        controller = ImpactController(
            robot, everywhere, period=period, phases=lambda situation, plan: self._phase
        )
        controller.stop()  # otherwise it would compute a slower approach, which may take longer
        controller.every = 1
        self._time, self._at_rest = 0, np.zeros(robot.dof)
        self._state: ArmState | None = None  # that is rehearsed, at rest
        self._guarded = GuardedController(controller)
        self._answers = Answers(self._guarded, dry_run=False)
        self._connection, self._now, self._sleep = connection, now, sleep
        self._apart, self._last, self._fits, self._slow, self._pause = CYCLE, -inf, True, 0, 0

    def follow(self, plan: Plan) -> None:
        """Continue only if a goal's plan has the impact limits of the rehearsal."""
        self._fits, self._slow, self._pause = plan.impact_limits == self._kind, 0, 0

    def run(self, state: ArmState, phase: Phase, took: float) -> None:
        """Wait until ``LEAD`` before the next state, and compute; return at once if too late.

        Too late also after the wait: a processor may wake up a millisecond later, and a state that
        then waits for a rehearsal is lost as soon as the next one comes.

        Args:
            state: the last one.
            phase: of its answer.
            took: time of its answer; a rehearsal takes about as long [s].
        """
        since, self._last = state.arrived - self._last, state.arrived
        self._apart += LATER if since > self._apart else -EARLIER
        if self._state is None and np.isfinite(state.q).all():
            self._state = ArmState(state.q, *(self._at_rest,) * 3)
        due = state.arrived + self._apart  # the next state
        left = due - LEAD - self._now()
        if self._pause:
            self._pause -= 1
            return
        if not self._fits or took > LEAD or left < 0.0 or self._state is None:
            return
        self._sleep(left)
        began, self._phase = self._now(), phase
        if began + took > due:
            return
        self._time += CYCLE_NS
        try:
            self._answers.answer(self._time, self._state, impact=False, ready=True)
            self._guarded.catch_up(-inf)  # otherwise the next cycle would do all of it
            self._connection()
        except Exception as error:
            self._answers.fault = repr(error)
        if self._answers.fault:  # the result is not used
            self._guarded.reset()
            self._answers.fault = ""
        self._slow = self._slow + 1 if self._now() - began > LEAD else 0
        if self._slow >= PATIENCE:
            self._slow, self._pause = PATIENCE - 1, PAUSE
