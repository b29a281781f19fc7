# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Prepares goals of an arm with a tool that strikes. Needs no ROS to import."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from impact_predictor.joint_load.drive import drive_of
from impact_predictor.learning.knowledge import Ceiling
from impact_qp.control.plan import Plan
from impact_qp.exceptions import ControlError
from impact_qp.goals.goal import BAD_GOAL, NOT_FEASIBLE, End
from impact_qp.goals.goal_reader import given, plan_of
from impact_qp.goals.start_check import moving_refusal
from impact_qp.plan_parameters import PlanParameters
from impact_qp.strike.series_run import Follow, SeriesRun, WantedStrikes, most_strikes
from impact_qp.strike.strike_approach import StrikeController, bounded_strike
from impact_qp.strike.strike_line import StrikeLine
from impact_qp.strike.strike_planner import StrikePlanner
from impact_qp.strike.strike_run import StrikeRun
from impact_qp.strike.strike_series import StrikeSeries, struck_surface
from impact_robots.dynamics import ArmDynamics
from impact_robots.exceptions import ImpactError
from impact_robots.robot import Robot
from impact_robots.state.state import PointState
from impact_robots.tools.target import Target
from impact_robots.tools.tool import Tool

SLOWEST = 0.02  # strike that is worth beginning [m/s]

Begun = tuple[StrikeRun, StrikeController]


@dataclass
class StrikeTask:
    """What an arm strikes, and with which tool."""

    robot: Robot  # the arm, without the tool
    tool: Tool
    target: Target
    ceilings: tuple[Ceiling, ...] = ()  # of strikes that came near a limit

    def refuse_settings(self, plan: Plan) -> None:
        """Refuse parameters of a node with which no strike is possible.

        Raises:
            ControlError: says which.
            PredictionError: the robot's YAML lacks fields of the load model.
        """
        if plan.person is not None:
            raise ControlError("person: expected none where a tool strikes")
        if plan.sends.servo:
            raise ControlError(
                f"interface: expected torque where a tool strikes, got {plan.interface}"
            )
        drive_of(self.robot, plan.interface)

    def checked_goal(
        self, goal: Any, settings: PlanParameters, arm: Robot, state: PointState, period: float
    ) -> Begun | End:
        """Return the prepared ExecuteImpact goal, or why it is refused; takes seconds.

        Arguments as of :func:`.checked_goal`; ``arm`` has the tool.
        """
        try:
            plan = strike_plan_of(goal, settings, arm, state)
            line = self.line(plan)
            if (refusal := start_refusal(line, state)) is not None:
                return refusal
            series = self.series(plan, arm, state)
            timeout = goal.timeout if given(goal.timeout) else settings.goal_timeout
            return begun_strike(series, plan, line, timeout, period)
        except ImpactError as error:
            return End(BAD_GOAL, str(error))

    def checked_series(
        self,
        goal: Any,
        settings: PlanParameters,
        arm: Robot,
        state: PointState,
        period: float,
        *,
        wanted: WantedStrikes,
        follow: Follow,
    ) -> tuple[SeriesRun, StrikeController] | End:
        """Return the prepared strikes of a goal, or why it is refused; takes seconds.

        Arguments as of :meth:`checked_goal`; ``goal`` is that of one of the strikes.
        """
        try:
            plan = strike_plan_of(goal, settings, arm, state)
            line = self.line(plan)
            if (refusal := start_refusal(line, state)) is not None:
                return refusal
            series = self.series(plan, arm, state, learns=wanted.learns, depth=wanted.depth)
            most = most_strikes(wanted, series)
            timeout = goal.timeout if given(goal.timeout) else settings.goal_timeout
            begin = partial(begun_strike, series, plan, line, timeout, period)
            begun = begin()
        except ImpactError as error:
            return End(BAD_GOAL, str(error))
        if isinstance(begun, End):
            return begun
        run, controller = begun

        def learned() -> None:
            self.ceilings = series.planner.ceilings

        return SeriesRun(series, run, begin, most, follow, learned), controller

    def line(self, plan: Plan) -> StrikeLine:
        """Return the line of a goal's strikes."""
        return StrikeLine.of(self.tool, np.array(plan.contact.point), plan.contact.normal)

    def series(
        self,
        plan: Plan,
        arm: Robot,
        state: PointState,
        *,
        learns: bool = False,
        depth: float | None = None,
    ) -> StrikeSeries:
        """Return the strikes of a goal that begin where the arm is.

        Args:
            plan: of each strike.
            arm: with the tool.
            state: of it, now.
            learns: handle, head and nail.
            depth: to drive the nail to [m]; none: that of the target.

        Raises:
            ControlError: a depth without a nail.
            RobotError: the place is out of reach.
            PredictionError: the robot's YAML lacks fields of the load model.
        """
        target = self.target
        if depth is not None:
            if target.nail is None:
                raise ControlError(f"depth: expected none without a nail, got {depth:g}")
            target = replace(target, nail=target.nail._replace(depth=depth))
        known = self.robot, self.tool, target
        planner = StrikePlanner(*known, learns=learns, ceilings=self.ceilings)
        contact = plan.contact
        surface = struck_surface(planner, np.array(contact.point), contact.normal)
        gap = contact.gap(state.position)
        return StrikeSeries(arm, planner, state.q, surface, gap, ramp=plan.ramp)


def strike_task(settings: PlanParameters) -> StrikeTask | None:
    """Return what is struck by the parameters of a node, None if no tool strikes.

    Raises:
        ImpactError: they do not fit a strike, or the robot's YAML lacks fields of the load model.
    """
    task = settings.strikes
    if task is None or task.tool is None or task.target is None:
        return None
    strikes = StrikeTask(settings.bare_robot(), task.tool, task.target)
    strikes.refuse_settings(settings.plan())
    return strikes


def strike_plan_of(goal: Any, settings: PlanParameters, arm: Robot, state: PointState) -> Plan:
    """Return the plan of an ExecuteImpact goal, as :func:`.plan_of`.

    Raises:
        ControlError: a field does not fit a strike; names it.
    """
    plan = plan_of(goal, settings, arm, state)
    if plan.after == "press":
        raise ControlError("after: expected retract or hold of a strike with a tool, got press")
    return plan


def start_refusal(line: StrikeLine, state: PointState) -> End | None:
    """Return why no strike can begin from a state, None if one can."""
    if (refusal := moving_refusal(state)) is not None:
        return refusal
    gap = float((line.point - state.position) @ line.direction)
    if gap <= 0.0:
        return End(NOT_FEASIBLE, f"the head is {-gap:.3f} m behind what it is to strike")
    if problem := line.problem(line.off(state)):
        return End(NOT_FEASIBLE, problem)
    return None


def begun_strike(
    series: StrikeSeries, plan: Plan, line: StrikeLine, timeout: float, period: float
) -> Begun | End:
    """Return the next strike of a series, prepared, or why there is none; takes seconds.

    Args:
        series: of the strikes.
        plan: motion and limits of the goal.
        line: of the strikes.
        timeout: without contact [s].
        period: of control [s].

    Raises:
        ImpactError: it is out of reach, or the robot's YAML lacks fields of the load model.
    """
    approach, safe, speed, pulse = series.next(min(plan.speed, plan.speed_cap, plan.highest_speed))
    if not speed >= SLOWEST:
        limit = f"planned {safe.speed:.3f} m/s, the run-up allows {approach.fastest:.3f} m/s"
        if wish := str(series.planner.target.wish):
            limit += f", to be delivered is {wish}"
        return End(NOT_FEASIBLE, f"expected a strike of {SLOWEST:g} m/s or more: {limit}")
    still = ArmDynamics(approach.robot)(approach.start, np.zeros(approach.robot.dof))
    controller = bounded_strike(
        approach, speed, series.window, plan, line, pulse=pulse, period=period
    )
    run = StrikeRun(
        approach.robot,
        controller.plan,
        timeout,
        controller=controller,
        gives=series.planner.tool.gives,
        promised=safe.used * speed / safe.speed,
    )
    refusal = run.refusal(controller.impact_limit, still)
    return (run, controller) if refusal is None else refusal
