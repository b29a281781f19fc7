# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Checks whether an approach may begin, at an activation or for a goal. Needs no ROS to import."""

from __future__ import annotations

from typing import Any

import numpy as np

from impact_qp.control.controller import ImpactController
from impact_qp.control.guarded import GuardedController
from impact_qp.control.plan import geometry_refusal
from impact_qp.goals.goal import BAD_GOAL, NOT_FEASIBLE, End, GoalRun
from impact_qp.goals.goal_reader import plan_of
from impact_qp.guards.takeover import cannot_be_made_safe
from impact_qp.plan_parameters import PlanParameters
from impact_robots import PointState, Robot
from impact_robots.exceptions import ImpactError

MOVING = 0.01  # speed of the contact point above which nothing begins that needs rest [m/s]


def moving_refusal(state: PointState) -> End | None:
    """Return why nothing that needs an arm at rest can begin, None if it can."""
    if (speed := float(np.linalg.norm(state.velocity))) > MOVING:
        return End(NOT_FEASIBLE, f"the arm moves at {speed:.3f} m/s, expected an arm at rest")
    return None


def activation_refusal(
    guarded: GuardedController, state: PointState | None, *, approaches: bool = True
) -> str:
    """Return why the controller's own approach cannot begin, "" if it can.

    Args:
        guarded: the controller.
        state: of the arm, now; None: unknown, and the first state decides.
        approaches: at once; else it holds until a goal arrives, with its own surface.
    """
    if guarded.doubts:
        return f"the joint states are not trusted: {guarded.fault or guarded.refusal}"
    if state is None or not approaches:
        return ""
    controller = guarded.own
    if refusal := geometry_refusal(controller.plan, controller.robot, state):
        return refusal
    gap = controller.plan.contact.gap(state.position)
    limit, reaction = controller.impact_limit, controller.interface.reaction
    return cannot_be_made_safe(controller.robot, limit, state, gap, reaction)


def checked_goal(
    goal: Any, settings: PlanParameters, robot: Robot, state: PointState, period: float
) -> tuple[GoalRun, ImpactController] | End:
    """Return the prepared ExecuteImpact goal, or why it is refused.

    Args:
        goal: message.
        settings: of the node.
        robot: the arm.
        state: of the arm, now.
        period: of control [s].
    """
    try:
        plan = plan_of(goal, settings, robot, state)
        controller = ImpactController(robot, plan, period=period)
    except ImpactError as error:
        return End(BAD_GOAL, str(error))
    run = GoalRun(robot, plan, goal.timeout if goal.timeout > 0.0 else settings.goal_timeout)
    if (refusal := run.refusal(controller.impact_limit, state)) is not None:
        return refusal
    return run, controller
