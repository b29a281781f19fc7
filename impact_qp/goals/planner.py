# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Prepares goals in parallel to the thread that answers states. Needs no ROS to import."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np

from impact_qp.control.controller import ImpactController
from impact_qp.control.guarded import GuardedController
from impact_qp.control.plan import Plan
from impact_qp.goals.goal import End, Prepared
from impact_qp.goals.start_check import checked_goal
from impact_qp.plan_parameters import PlanParameters
from impact_robots import ArmDynamics, PointState, Robot

SWITCH = 2e-4  # longest time for which Python's threads keep others waiting [s]

Answer = Prepared | End
Result = TypeVar("Result")
# goal, settings, robot, state, period [s]; the run and the controller of a goal, or why not
Check = Callable[
    [Any, PlanParameters, Robot, PointState, float], tuple[Any, ImpactController] | End
]


class Planner:
    """Creates the controllers of goals: in a separate thread, or at once in lockstep.

    Its long searches are compiled and release Python's lock; the rest of its work hands the lock
    over often.
    """

    def __init__(self, *, beside: bool) -> None:
        """Create the planner; ``beside``: in a separate thread."""
        self._thread = ThreadPoolExecutor(1, "planner") if beside else None
        if beside:
            sys.setswitchinterval(min(sys.getswitchinterval(), SWITCH))

    def close(self) -> None:
        """End the thread; a goal in preparation is discarded."""
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)

    def warm(self, robot: Robot, plan: Plan) -> None:
        """Run once what is slower the first time: no goal waits for it."""
        resting = ArmDynamics(robot)(np.array(robot.stance), np.zeros(robot.dof))
        controller = ImpactController(robot, plan)
        if controller.impact_limit is not None:
            controller.impact_limit.speed_bound(resting)

    def prepare(
        self,
        goal: Any,
        settings: PlanParameters,
        guarded: GuardedController,
        state: tuple[np.ndarray, np.ndarray],
        on_start: Callable[[], None],
        check: Check = checked_goal,
    ) -> Answer | Future[Answer]:
        """Prepare a goal.

        Args:
            goal: message.
            settings: of the node.
            guarded: the controller, which continues with the goal's plan once it starts.
            state: joint positions [rad] and velocities [rad/s] of the arm, shape (n,) each.
            on_start: called at its start.
            check: reads the goal.
        """
        robot, period = guarded.controller.robot, guarded.controller.period

        def work() -> Answer:
            point = ArmDynamics(robot)(*state)  # its work memory belongs to one thread
            begun = check(goal, settings, robot, point, period)
            if isinstance(begun, End):
                return begun
            run, controller = begun
            return Prepared(run, lambda: start(guarded, controller, on_start))

        return work() if self._thread is None else self._thread.submit(work)

    def submit(self, work: Callable[[], Result]) -> Future[Result]:
        """Return the result of more work for a goal, in the same thread."""
        if self._thread is not None:
            return self._thread.submit(work)
        done = Future[Result]()
        try:
            done.set_result(work())
        except Exception as error:
            done.set_exception(error)
        return done


def start(
    guarded: GuardedController, controller: ImpactController, on_start: Callable[[], None]
) -> str:
    """Let a controller take over from the present one; return why not."""
    if reason := guarded.start_refusal(controller):
        return reason
    guarded.adopt(controller)
    on_start()
    return ""
