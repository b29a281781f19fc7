# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Consistency checks of pairs of parameters, one error line for each pair.

A limit that begins to act 1 cm before the surface cannot slow down an arm of 0.5 m/s: it hit at
0.35 m/s for a bound of 0.08.
"""

from __future__ import annotations

import numpy as np

from impact_qp.control.plan import Plan
from impact_qp.guards.takeover import REACTION, deceleration
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot


def plan_refusal(plan: Plan, robot: Robot) -> str:
    """Return which parameters of a plan contradict each other, "" if none do.

    Args:
        plan: of the node, or of a goal.
        robot: the arm.
    """
    way = braking_distance(plan, robot)
    return _listed(
        (
            plan.impact_limits != "unaware" and plan.activation_distance < way,
            f"activation_distance: expected at least {way:.3f} m, in which an arm with speed"
            f" {plan.speed:g} m/s can stop, got {plan.activation_distance:g} m",
        ),
        (
            plan.overrun > plan.activation_distance,
            f"overrun: expected at most activation_distance {plan.activation_distance:g} m, got"
            f" {plan.overrun:g} m",
        ),
        (
            plan.retract_distance < plan.overrun,
            f"retract_distance: expected at least overrun {plan.overrun:g} m, by which the surface"
            f" may be nearer, got {plan.retract_distance:g} m",
        ),
    )


def timing_refusal(plan: Plan, *, rate: float, state_timeout: float, goal_timeout: float) -> str:
    """Return which times of a node contradict each other, "" if none do.

    Args:
        plan: of the node.
        rate: of the states [Hz].
        state_timeout: without states the arm is stopped after this time [s].
        goal_timeout: without contact a goal ends after this time [s].
    """
    period, least = 1.0 / rate, plan.sends.lowest_rate
    return _listed(
        (
            rate < least,
            f"rate: expected at least {least:g} Hz with interface {plan.interface}, got {rate:g}",
        ),
        (
            plan.preview < period,
            f"preview: expected at least a period of rate {rate:g} Hz, {period:g} s, got"
            f" {plan.preview:g}",
        ),
        (
            state_timeout < 2.0 * period,
            f"state_timeout: expected at least two periods of rate {rate:g} Hz, {2 * period:g} s,"
            f" got {state_timeout:g}",
        ),
        (
            plan.stall_time < 2.0 * period,
            f"stall_time: expected at least two periods of rate {rate:g} Hz, {2 * period:g} s, got"
            f" {plan.stall_time:g}",
        ),
        (
            goal_timeout <= plan.stall_time,
            f"goal_timeout: expected above stall_time {plan.stall_time:g} s, got {goal_timeout:g}",
        ),
        (
            goal_timeout < state_timeout,
            f"goal_timeout: expected at least state_timeout {state_timeout:g} s, got"
            f" {goal_timeout:g}",
        ),
    )


def braking_distance(plan: Plan, robot: Robot) -> float:
    """Return the braking distance of an arm along the normal from the plan's speed [m].

    In the robot's stance, or in the middle of its positions; reaction and preview first.
    """
    middle = (robot.limits.position_lower + robot.limits.position_upper) / 2.0
    q = np.where(np.isfinite(robot.stance), robot.stance, middle)
    point = ArmDynamics(robot)(q, np.zeros(robot.dof))
    slowing = deceleration(robot, point, plan.contact.normal)
    return plan.speed * (REACTION + plan.preview) + plan.speed**2 / (2.0 * slowing)


def _listed(*pairs: tuple[bool, str]) -> str:
    """Return the lines of the contradicting pairs."""
    return "; ".join(line for wrong, line in pairs if wrong)
