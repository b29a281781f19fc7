# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads what an ExecuteImpact goal asks for, within what the node's parameters allow. No ROS."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isnan
from typing import Any

import numpy as np
import pinocchio as pin

from impact_qp.control.geometry import geometry_refusal
from impact_qp.control.plan import AFTERS, Plan
from impact_qp.exceptions import ControlError
from impact_qp.limits import IMPACT_LIMITS, Contact
from impact_qp.limits.registry import AUTO
from impact_qp.parameter_pairs import plan_refusal
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
    kind, also = _kinds(goal.impact_limits, defaults.impact_limits)
    plan = replace(
        defaults,
        contact=_contact(goal, defaults.contact, robot, settings.goal_may_widen),
        speed=_speed(goal.speed, settings),
        highest_speed=goal.highest_speed if given(goal.highest_speed) else inf,
        impact_limits=kind,
        also_limits=also,
        after=_AFTERS[goal.after],
        press_force=goal.press_force,
    )
    if refusal := plan_refusal(plan, robot) or geometry_refusal(plan, robot, state):
        raise ControlError(refusal)
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


def _kinds(asked: str, own: str) -> tuple[str, tuple[str, ...]]:
    """Return which impact limits hold: the kind asked for, and the node's own, which holds too.

    No kind is stricter than another one everywhere, so the bound in use is the smallest of both.
    """
    if asked in ("", AUTO, own):
        return own, ()
    if asked not in IMPACT_LIMITS:
        return asked, ()  # the plan says what it expected
    limited = [name for name in (asked, own) if IMPACT_LIMITS[name].limit is not None]
    return limited[0], tuple(limited[1:])


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
        raise ControlError("contact: contact pose not set")
    return point, pin.Quaternion(quaternion).matrix()[:, 2]


def _asked(
    goal: Any, name: str, own: tuple[float, float], may_widen: bool
) -> tuple[float, float, bool] | None:
    """Return a range that a goal says, and whether it may be narrower; none: the node's own.

    A low end of NaN, or zeros alone, leave the range to the node; beside NaN a high end may only
    make it wider.
    """
    low, high = getattr(goal, f"{name}_low"), getattr(goal, f"{name}_high")
    if not given(low) and not given(high):
        return None
    if isnan(low):
        return own[0], high, False
    if given(high) and low > high:
        raise ControlError(f"{name}: expected low up to high, got {low:g} and {high:g}")
    return low, high, may_widen


def _friction(goal: Any, own: tuple[float, float], may_widen: bool) -> tuple[float, float]:
    """Return the range of coefficients of friction that must be expected.

    Robust limits count on the highest, existential ones on the lowest: neither end of a goal makes
    the node's own range narrower unless it ``may_widen`` what is thought harmless.
    """
    if (asked := _asked(goal, "friction", own, may_widen)) is None:
        return own
    low, high, narrow = asked
    high = _at_least("friction_high", high, own[1], narrow) if given(high) else max(own[1], low)
    return low if narrow else min(low, own[0]), high


def _restitution(goal: Any, own: tuple[float, float], may_widen: bool) -> tuple[float, float]:
    """Return the range of coefficients of restitution that must be expected.

    A lower end below the node's is none that a goal can have without ``may_widen``: the least of
    all impulses, which existential limits count on, falls with it. 0 leaves that end open.
    """
    if (asked := _asked(goal, "restitution", own, may_widen)) is None:
        return own
    low, high, narrow = asked
    low = _at_least("restitution_low", low, own[0], narrow) if given(low) else own[0]
    if given(high):
        return low, _at_least("restitution_high", high, own[1], narrow)
    return low, max(own[1], low)


def _stiffness(goal: Any, own: tuple[float, float], may_widen: bool) -> tuple[float, float]:
    """Return the range of stiffnesses that must be expected; a goal's holds the node's own."""
    if (asked := _asked(goal, "stiffness", own, may_widen)) is None:
        return own
    low, high, narrow = asked
    low = low if given(low) else own[0]
    high = high if given(high) else max(low, own[1])
    if not narrow and not (low <= own[0] and high >= own[1]):
        raise ControlError(
            f"stiffness: expected a range that holds the node's {own[0]:g} to {own[1]:g} N/m"
            f" (goal_may_widen is false), got {low:g} to {high:g}"
        )
    return low, high


def _at_least(name: str, value: float, own: float, may_widen: bool) -> float:
    """Return a goal's number unless it makes impacts look more harmless than the node's own."""
    if 0.0 <= value < own and not may_widen:
        raise ControlError(
            f"{name}: expected at least the node's {own:g} (goal_may_widen is false), got {value:g}"
        )
    return value
