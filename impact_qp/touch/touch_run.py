# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One touch from acceptance to result. Reads messages, needs no ROS to import."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite, nan
from typing import Any, NamedTuple

import numpy as np

from impact_qp.control.command import Command
from impact_qp.control.phases import Phase
from impact_qp.control.plan import Plan
from impact_qp.goals.goal import (
    BAD_GOAL,
    INACTIVE,
    INPUT_LOST,
    NOT_FEASIBLE,
    OK,
    TIMEOUT,
    UNEXPECTED_IMPACT,
    End,
    GoalRun,
)
from impact_qp.goals.start_check import moving_refusal
from impact_qp.plan_parameters import PlanParameters
from impact_qp.touch.contact_sense import GAP
from impact_qp.touch.promise import touch_plan
from impact_qp.touch.touch_controller import DISTANCE, TouchController
from impact_qp.touch.touch_goal import TouchGoal, touch_goal
from impact_robots import ArmDynamics, PointState, Robot
from impact_robots.exceptions import ImpactError

NEAR = 0.2  # of a detection, within which a measured peak is that of the contact [s]
UNKNOWN, ESTIMATED, MEASURED = "unknown", "estimated", "measured"  # peak force


class TouchResult(NamedTuple):
    """What a touch found; poses of the contact point in base axes."""

    triggered: bool  # contact
    signal: str  # that ended the approach, "" if none did
    contact: PointState | None  # where it was detected
    before: PointState | None  # in the last cycle without contact: the way back
    travelled: float  # along the direction, until the approach ended [m]
    peak_force: float  # NaN: unknown [N]
    peak_source: str
    promised: float  # force that the contact stays below [N]
    speed: float  # of the motion [m/s]
    detection: float  # force that is detected for certain [N]


@dataclass
class TouchRun:
    """Watches the commands that execute a touch, until it ends."""

    robot: Robot
    controller: TouchController
    impact_time: int | None = None  # stamp of the detection's state [ns]
    started: int | None = None  # stamp of its first command [ns]
    measured: float = nan  # peak of a force sensor [N]
    _start: np.ndarray | None = field(default=None, repr=False)  # joint positions, shape (n,) [rad]
    _stop: np.ndarray | None = field(default=None, repr=False)  # the same

    @property
    def plan(self) -> Plan:
        """The motion."""
        return self.controller.plan

    def add(
        self, stamp: int, q: np.ndarray, dq: np.ndarray, command: Command, impact: bool
    ) -> End | None:
        """Take one cycle; return the end, if reached. Arguments as of :meth:`.GoalRun.add`."""
        if self.started is None:
            self.started, self._start = stamp, q
        steps, limit = self.controller.steps, self.controller.touch.timeout
        if (problem := self._problem()) is not None:
            return problem
        if command.phase is Phase.APPROACH:
            if (stamp - self.started) * 1e-9 <= limit:
                return None
            return End(TIMEOUT, f"neither contact nor the distance in {limit:.3g} s")
        if self._stop is None:
            self._stop = q
            if steps.signal not in ("", DISTANCE):
                self.impact_time = stamp
        if not steps.signal:
            return End(INACTIVE, f"the controller does not approach: {command.phase.value}")
        if command.phase is not Phase.HOLD:
            return None
        if steps.signal == DISTANCE:
            return End(OK, f"no contact within {self.controller.touch.goal.distance:g} m")
        if (left := steps.left) > 0.0:
            cut = f"the way back was cut short by {1e3 * left:.1f} mm"
            return End(UNEXPECTED_IMPACT, f"contact by {steps.signal}; {cut}")
        return End(OK, f"contact by {steps.signal}")

    def _problem(self) -> End | None:
        """Return why the detection does not count, None if it does."""
        sense = self.controller.sense
        if sense.interrupted:
            return End(INPUT_LOST, f"no states for more than {GAP * 1e-6:g} ms while it moved")
        if sense.loaded:
            return End(
                NOT_FEASIBLE,
                "the arm is pushed back at rest by more than its model's error: it touches"
                " something (go back first), or carries what its model lacks",
            )
        return None

    def take_estimate(self, estimate: Any, time: int) -> None:
        """Take the detector's estimate of an impact at ``time`` [ns], if it is of this contact."""
        if self.impact_time is None or abs(time - self.impact_time) * 1e-9 > NEAR:
            return
        if isfinite(estimate.peak_force):
            self.measured = float(np.fmax(self.measured, estimate.peak_force))

    def result(self) -> TouchResult:
        """Return what the touch found so far."""
        controller, dynamics = self.controller, ArmDynamics(self.robot)
        still = np.zeros(self.robot.dof)
        touch, steps = controller.touch, controller.steps
        triggered = self.impact_time is not None
        stop, before = self._stop, steps.before if triggered else None
        contact = dynamics(stop, still) if triggered and stop is not None else None
        travelled = 0.0
        if self._start is not None and stop is not None:
            way = dynamics.position(stop) - dynamics.position(self._start)
            travelled = float(way @ touch.goal.unit)
        peak, source = controller.sense.peak, ESTIMATED
        if isfinite(self.measured):
            peak, source = self.measured, MEASURED
        elif not isfinite(peak):
            source = UNKNOWN
        return TouchResult(
            triggered,
            steps.signal,
            contact,
            None if before is None else dynamics(before.q, still),
            travelled,
            peak,
            source,
            touch.promised,
            touch.speed,
            touch.detection,
        )


def begun_touch(
    goal: TouchGoal, settings: Plan, robot: Robot, state: PointState, period: float
) -> tuple[TouchRun, TouchController] | End:
    """Return a prepared touch, or why it is refused.

    Args:
        goal: what is asked for.
        settings: of the node.
        robot: the arm.
        state: of it, now.
        period: of control [s].
    """
    if (refusal := moving_refusal(state)) is not None:
        return refusal  # the bias of the observer is one of rest
    try:
        plan = touch_plan(goal, settings, robot, state, period)
        controller = TouchController(robot, plan, period=period)
    except ImpactError as error:
        return End(BAD_GOAL, str(error))
    refused = GoalRun(robot, controller.plan, plan.timeout).refusal(controller.impact_limit, state)
    return (TouchRun(robot, controller), controller) if refused is None else refused


def checked_touch(
    message: Any, settings: PlanParameters, robot: Robot, state: PointState, period: float
) -> tuple[TouchRun, TouchController] | End:
    """Return the prepared Touch goal, or why it is refused; arguments as of `checked_goal`."""
    try:
        plan = settings.plan()
        goal = touch_goal(message, robot, state, plan.contact.stiffness[1])
    except ImpactError as error:
        return End(BAD_GOAL, str(error))
    return begun_touch(goal, plan, robot, state, period)
