# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The next cycle, computed once for nothing a moment before its state comes."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import replace
from math import inf
from time import perf_counter

from impact_drivers.franka.arm.arm_state import ArmState
from impact_qp.control.controller import ImpactController
from impact_qp.control.guarded import GuardedController
from impact_qp.control.phases import Phase
from impact_qp.control.plan import Plan
from impact_robots.robot import Robot

CYCLE = 1e-3  # of the arm [s]
LEAD = 400e-6  # before the next state is expected [s]
PATIENCE = 2  # rehearsals in a row that take longer than that; no more until the next goal
LATER, EARLIER = 1e-6, 20e-6  # by which the time between states is corrected: one in 20 is less [s]


class Rehearsal:
    """Keeps the code of a cycle in the processor's caches while the loop waits for the arm.

    While it waits other work takes their place, and to fetch a cycle's code again takes as long as
    half of the cycle. A controller of its own answers the last state, in the phase that the loop is
    in; of the controller that commands the arm it knows nothing.
    """

    def __init__(
        self,
        robot: Robot,
        plan: Plan,
        period: float,
        *,
        now: Callable[[], float] = perf_counter,
        sleep: Callable[[float], None] = clock.sleep,
    ) -> None:
        """Prepare, which takes long.

        Args:
            robot: the arm.
            plan: of the kind that the loop will carry out; its impact limit acts everywhere.
            period: of control [s].
            now: as of ``ArmState.arrived`` [s].
            sleep: for so many seconds.
        """
        self._kind, self._phase = plan.impact_limits, Phase.BRAKE
        everywhere = replace(plan, activation_distance=inf)
        controller = ImpactController(
            robot, everywhere, period=period, phases=lambda situation, plan: self._phase
        )
        controller.stop()  # else it looked whether it can be slowed down, which may take longer
        self._guarded = GuardedController(controller)
        self._now, self._sleep = now, sleep
        self._apart, self._last, self._fits, self._slow = CYCLE, -inf, True, 0

    def follow(self, plan: Plan) -> None:
        """Go on only if the plan of a goal has the impact limits that are rehearsed."""
        self._fits, self._slow = plan.impact_limits == self._kind, 0

    def run(self, time: int, state: ArmState, phase: Phase, took: float) -> None:
        """Wait for the moment, and compute; at once over if it has gone by.

        Args:
            time: of the last state [ns].
            state: that one.
            phase: in which it was answered.
            took: that; a rehearsal takes about as long [s].
        """
        since, self._last = state.arrived - self._last, state.arrived
        self._apart += LATER if since > self._apart else -EARLIER
        left = state.arrived + self._apart - LEAD - self._now()
        if not self._fits or self._slow >= PATIENCE or took > LEAD or left < 0.0:
            return
        self._sleep(left)
        began, self._phase = self._now(), phase
        try:
            self._guarded.cycle(time, state.q, state.dq)
            self._guarded.catch_up(-inf)  # else the next cycle did it, and all of it
        except Exception:  # nothing depends on it
            self._guarded.reset()
        self._slow = self._slow + 1 if self._now() - began > LEAD else 0
