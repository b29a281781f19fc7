# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads what an ExecuteImpact goal asks for, within what the node's parameters allow. No ROS."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isnan
from typing import Any

import numpy as np
import pinocchio as pin

from impact_qp.control.plan import AFTERS, Plan
from impact_qp.exceptions import ControlError
from impact_qp.limits import IMPACT_LIMITS, Contact
from impact_qp.limits.registry import AUTO
from impact_qp.plan_parameters import PlanParameters
from impact_robots import PointState, Robot, RobotError
from impact_robots.exceptions import OutOfRangeError

_AFTERS = ("retract", *AFTERS)  # by the goal's constants; unknown: retract
LONGEST = 3600.0  # time-out of a goal [s]


def plan_of(goal: Any, settings: PlanParameters, robot: Robot, state: PointState) -> Plan:
    """Return what an ExecuteImpact goal asks for, within what the node's parameters allow.

    What is left open (0 or NaN) is the parameters'.

    Args:
        goal: message.
        settings: of the node.
        robot: the arm.
        state: of the arm, now.

    Raises:
        ControlError: says what was expected and got.
    """
    if not 0 <= goal.after < len(_AFTERS):
        raise ControlError(f"after: expected 0 to {len(_AFTERS) - 1}, got {goal.after}")
    if given(goal.timeout) and not 0.0 < goal.timeout <= LONGEST:
        raise ControlError(f"timeout: expected above 0 up to {LONGEST:g} s, got {goal.timeout:g}")
    defaults = settings.plan().resolved(robot)
    plan = replace(
        defaults,
        contact=_contact(goal, defaults.contact, robot, settings.goal_may_widen),
        speed=_speed(goal.speed, settings),
        highest_speed=goal.highest_speed if given(goal.highest_speed) else inf,
        impact_limits=_impact_limits(
            goal.impact_limits, defaults.impact_limits, settings.goal_may_widen
        ),
        after=_AFTERS[goal.after],
        press_force=goal.press_force,
    )
    reach = _reach(robot)
    gap = plan.contact.gap(state.position)
    if not abs(gap) <= 2.0 * reach:
        raise ControlError(
            f"contact: expected a surface within the arm's reach of {reach:.2f} m, got one"
            f" {gap:.4g} m away"
        )
    return plan


def given(value: float) -> bool:
    """Tell whether a number of a goal says something: 0 is what a goal is made with."""
    return not (isnan(value) or value == 0.0)


def _speed(asked: float, settings: PlanParameters) -> float:
    """Return the approach speed [m/s]: NaN asks for the highest safe one, 0 leaves it open."""
    cap = settings.speed_cap
    if isnan(asked):
        return cap
    if not given(asked):
        return min(settings.speed, cap)
    if not 0.0 < asked <= cap:
        raise ControlError(f"speed: expected above 0 up to speed_cap {cap:g} m/s, got {asked:g}")
    return asked


def _impact_limits(asked: str, own: str, may_widen: bool) -> str:
    """Return which impact limits hold: at least as strict as the node's."""
    if asked in ("", AUTO):
        return own
    if asked not in IMPACT_LIMITS:
        return asked  # the plan says what it expected
    least = IMPACT_LIMITS[own].strictness
    if may_widen or IMPACT_LIMITS[asked].strictness >= least:
        return asked
    stricter = [each for each in IMPACT_LIMITS.values() if each.strictness >= least]
    allowed = ", ".join(each.name for each in sorted(stricter, key=lambda each: each.strictness))
    raise ControlError(
        f"impact_limits: expected one of {allowed} (the node's are {own} and goal_may_widen is"
        f" false), got {asked!r}"
    )


def _reach(robot: Robot) -> float:
    """Return an upper bound of the distance from the base to the contact point [m]."""
    model = robot.model
    frame = model.frames[model.getFrameId(robot.contact_frame)]
    offsets = [np.linalg.norm(placement.translation) for placement in model.jointPlacements]
    return float(sum(offsets) + np.linalg.norm(frame.placement.translation))


def _contact(goal: Any, known: Contact, robot: Robot, may_widen: bool) -> Contact:
    """Return the goal's contact, what it leaves open as in ``known``."""
    point, normal = place_of(goal.contact, robot)
    try:
        return Contact(
            point,
            normal,
            _friction(goal, known.friction, may_widen),
            _restitution(goal, known.restitution, may_widen),
            known.peak_factor,
            known.impact_duration,
            _stiffness(goal, known.stiffness, may_widen),
        )
    except (OutOfRangeError, RobotError) as error:
        raise ControlError(str(error)) from None


def place_of(contact: Any, robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    """Return point [m] and outward normal of a surface, base axes, shape (3,) each.

    Args:
        contact: geometry_msgs/PoseStamped of a goal.
        robot: the arm.

    Raises:
        ControlError: it is none in the robot's base frame.
    """
    frame, base = contact.header.frame_id, robot.base_frame
    if frame not in ("", base):
        raise ControlError(f"contact: expected a pose in {base}, got {frame!r}")
    position, turn = contact.pose.position, contact.pose.orientation
    point = np.array([position.x, position.y, position.z])
    quaternion = np.array([turn.x, turn.y, turn.z, turn.w])
    if not np.isfinite(point).all() or not abs(np.linalg.norm(quaternion) - 1.0) < 1e-3:
        raise ControlError("contact: expected a finite position and a unit quaternion")
    if not frame and not point.any() and turn.w == 1.0:
        raise ControlError("contact: expected a pose, got the one that a goal is made with")
    return point, pin.Quaternion(quaternion).matrix()[:, 2]


def _friction(goal: Any, own: tuple[float, float], may_widen: bool) -> tuple[float, float]:
    """Return the range of coefficients of friction that must be expected.

    Robust limits count on the highest, existential ones on the lowest: neither end of a goal makes
    the node's own range narrower unless it ``may_widen`` what is thought harmless.
    """
    low, high = goal.friction_low, goal.friction_high
    if given(low) and given(high) and low > high:
        raise ControlError(f"friction: expected low up to high, got {low:g} and {high:g}")
    if given(high):
        high = _at_least("friction_high", high, own[1], may_widen)
    else:
        high = max(own[1], low) if given(low) else own[1]
    if given(low):
        return low if may_widen else min(low, own[0]), high
    return min(own[0], high), high


def _restitution(goal: Any, own: tuple[float, float], may_widen: bool) -> tuple[float, float]:
    """Return the range of coefficients of restitution that must be expected."""
    low = own[0]
    if given(goal.restitution_low):
        low = _at_least("restitution_low", goal.restitution_low, own[0], may_widen)
    high = max(own[1], low)
    if given(goal.restitution_high):
        high = _at_least("restitution_high", goal.restitution_high, own[1], may_widen)
    return low, high


def _stiffness(goal: Any, own: tuple[float, float], may_widen: bool) -> tuple[float, float]:
    """Return the range of stiffnesses that must be expected; a goal's holds the node's own."""
    low = goal.stiffness_low if given(goal.stiffness_low) else own[0]
    high = goal.stiffness_high if given(goal.stiffness_high) else max(low, own[1])
    if not may_widen and not (low <= own[0] and high >= own[1]):
        raise ControlError(
            f"stiffness: expected a range that holds the node's {own[0]:g} to {own[1]:g} N/m"
            f" (goal_may_widen is false), got {low:g} to {high:g}"
        )
    return low, high


def _at_least(name: str, value: float, own: float, may_widen: bool) -> float:
    """Return a goal's number unless it makes impacts look more harmless than the node's own.

    A higher lowest restitution is the stricter one too: the least of all impulses, which
    existential limits count on, grows with it.
    """
    if 0.0 <= value < own and not may_widen:
        raise ControlError(
            f"{name}: expected at least the node's {own:g} (goal_may_widen is false), got {value:g}"
        )
    return value
