# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A planned strike for the loop's process: tool and target, and the controller of one strike."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from impact_qp.control.controller import ImpactController
from impact_qp.control.plan import Plan
from impact_qp.exceptions import ControlError
from impact_qp.strike.strike_approach import bounded_strike
from impact_qp.strike.strike_goal import StrikeTask, start_refusal
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot
from impact_robots.tools.target import Target
from impact_robots.tools.tool import Tool, with_tool


@dataclass(frozen=True)
class StrikeOrder:
    """A strike from a start and back, at the speed of its plan."""

    tool: Tool
    target: Target
    start: tuple[float, ...]  # joint positions of the arm at rest, shape (7,) [rad]

    def arm(self, robot: Robot) -> Robot:
        """Return an arm with the tool, its head in the middle of its range."""
        return with_tool(robot, self.tool, self.tool.nominal.mass)

    def task(self, robot: Robot) -> StrikeTask:
        """Return what an arm without the tool strikes."""
        return StrikeTask(robot, self.tool, self.target)

    def controller(self, robot: Robot, plan: Plan, period: float) -> ImpactController:
        """Return the controller of a plan: of a strike, if it has the speed of one.

        Args:
            robot: the arm without the tool.
            plan: of the strike, its contact where the head is to meet the surface.
            period: of control [s].

        Raises:
            ControlError: the strike cannot begin at the start.
            RobotError: the place is out of reach.
        """
        arm = self.arm(robot)
        if plan.strike is None:
            return ImpactController(arm, plan, period=period)
        still = ArmDynamics(arm)(np.array(self.start), np.zeros(arm.dof))
        task = self.task(robot)
        line = task.line(plan)
        if (refusal := start_refusal(line, still)) is not None:
            raise ControlError(refusal.message)
        series = task.series(replace(plan, strike=None), arm, still)
        approach = series.approach(0.0)
        return bounded_strike(approach, plan.strike, series.window, plan, line, period=period)
