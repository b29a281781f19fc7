# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads an ExecuteImpact goal, within the limits of the node's parameters. No ROS."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isnan
from typing import Any

import numpy as np

from impact_qp.control.plan import AFTERS, Plan, geometry_refusal
from impact_qp.exceptions import ControlError
from impact_qp.limits import IMPACT_LIMITS, Contact
from impact_qp.limits.impact_limits.registry import AUTO
from impact_qp.parameter_pairs import plan_refusal
from impact_qp.plan_parameters import PlanParameters
from impact_robots import PointState, Robot, RobotError
from impact_robots.exceptions import OutOfRangeError
from impact_robots.surface import RANGES
from impact_ros.exceptions import MessageError
from impact_ros.messages import rotation_of, vector
from impact_ros.surface_message import Range, said

_AFTERS = ("retract", *AFTERS)  # by the goal's constants; unknown: retract
LONGEST = 3600.0  # time-out of a goal [s]


def plan_of(goal: Any, settings: PlanParameters, robot: Robot, state: PointState) -> Plan:
    """Return the plan of an ExecuteImpact goal, within the limits of the node's parameters.

    Open fields (0 or NaN, see impact_msgs/Surface) take the values of the parameters.

    Args:
        goal: message.
        settings: of the node.
        robot: the arm.
        state: of the arm, now.

    Raises:
        ControlError: names the field, the expected and the received value.
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
    """Tell whether a number of a goal is set: goals are constructed with 0."""
    return not (isnan(value) or value == 0.0)


def speed_within(name: str, asked: float, cap: float) -> float:
    """Return a requested speed [m/s].

    Raises:
        ControlError: it is not above 0, or above ``cap``.
    """
    if not 0.0 < asked <= cap:
        raise ControlError(f"{name}: expected above 0 up to speed_cap {cap:g} m/s, got {asked:g}")
    return float(asked)


def _speed(asked: float, settings: PlanParameters) -> float:
    """Return the approach speed [m/s]: NaN requests the highest safe one, 0 leaves it open."""
    cap = settings.speed_cap
    if not given(asked):
        return cap if isnan(asked) else min(settings.speed, cap)
    return speed_within("speed", asked, cap)


def _kinds(asked: str, own: str) -> tuple[str, tuple[str, ...]]:
    """Return the active impact limits: the requested kind, and the node's own in addition.

    No kind is stricter than another one everywhere, so the smallest bound is used.
    """
    if asked in ("", AUTO, own):
        return own, ()
    if asked not in IMPACT_LIMITS:
        return asked, ()  # the plan reports the error
    limited = [name for name in (asked, own) if IMPACT_LIMITS[name].limit is not None]
    return limited[0], tuple(limited[1:])


def _contact(goal: Any, known: Contact, robot: Robot, may_widen: bool) -> Contact:
    """Return the goal's contact; open fields are taken from ``known``."""
    point, normal = place_of(goal.contact, robot)
    ranges = {name: _range(goal.surface, name, getattr(known, name), may_widen) for name in RANGES}
    try:
        return replace(known, point=point, normal=normal, **ranges)
    except (OutOfRangeError, RobotError) as error:
        raise ControlError(str(error)) from None


def place_of(contact: Any, robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    """Return point [m] and outward normal of a surface, base axes, shape (3,) each.

    Args:
        contact: geometry_msgs/PoseStamped of a goal.
        robot: the arm.

    Raises:
        ControlError: not a pose in the robot's base frame.
    """
    frame, base = contact.header.frame_id, robot.base_frame
    if frame not in ("", base):
        raise ControlError(f"contact: expected a pose in {base}, got {frame!r}")
    point = vector(contact.pose.position)
    if not np.isfinite(point).all():
        raise ControlError(f"contact: expected a finite position, got {point.tolist()}")
    if not frame and not point.any() and contact.pose.orientation.w == 1.0:
        raise ControlError("contact pose not set")
    try:
        return point, rotation_of(contact.pose.orientation)[:, 2]
    except MessageError as error:
        raise ControlError(f"contact: {error}") from None


def _range(surface: Any, name: str, own: Range, may_widen: bool) -> Range:
    """Return the assumed range of a quantity.

    An end of a goal's range may be less conservative than the node's only if the goal
    ``may_widen`` it; a high end never, if the low end is open. Existential limits use the least
    severe impulse, with the highest friction and the lowest restitution.
    """
    low, high = said(surface, name)
    if low > high:
        raise ControlError(f"{name}: expected low up to high, got {low:g} and {high:g}")
    narrow = may_widen and not isnan(low)
    why = "its low end is open" if may_widen else "goal_may_widen is false"
    low = own[0] if isnan(low) else low
    high = max(own[1], low) if isnan(high) else high
    if narrow:
        return low, high
    if high < own[1]:
        raise _too_narrow(f"{name}_high", "least", own[1], high, why)
    if name == "stiffness" and low > own[0]:
        raise _too_narrow(f"{name}_low", "most", own[0], low, why)
    return max(low, own[0]) if name == "restitution" else min(low, own[0]), high


def _too_narrow(name: str, side: str, own: float, value: float, why: str) -> ControlError:
    return ControlError(f"{name}: expected at {side} the node's {own:g} ({why}), got {value:g}")
