# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Requests to the loop, and their fixed layout in shared memory."""

from __future__ import annotations

from dataclasses import replace
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from impact_drivers.franka.arm.collision_behavior import CollisionBehavior
from impact_drivers.franka.memory.checked_record import CHECKSUM
from impact_qp.control.plan import Plan
from impact_qp.limits import Contact
from impact_robots.surface import RANGES

_NAMES = ("impact_limits", "after")
SEPARATOR = ","  # between the names of further limits
_PULSE = ("peak_factor", "impact_duration")
_SPEEDS = ("speed", "highest_speed", "press_force")
REQUEST = np.dtype(
    [
        CHECKSUM,
        ("number", "<u8"),
        ("kind", "<u8"),
        ("asked", "<u8"),
        *[(name, "<f8", 3) for name in ("point", "normal")],
        *[(name, "<f8", 2) for name in RANGES],
        *[(name, "<f8") for name in (*_PULSE, *_SPEEDS)],
        *[(name, "S32") for name in _NAMES],
        ("also_limits", "S96"),
        ("raises", "<u8"),
        ("torque", "<f8", 7),
        ("force", "<f8", 6),
    ]
)


class RequestKind(IntEnum):
    """Kind of a request to the loop."""

    NOTHING = 0
    HOLD = 1  # begin torque control and hold; while it controls as STOP
    GOAL = 2  # approach the surface, then as in the plan
    FINISH = 3  # brake, then finish the motion; states are still read
    RECOVER = 4  # clear the arm's errors, only without commands
    END = 5  # as FINISH, then end the process
    STOP = 6  # brake, then hold; no effect without torque control
    WITHDRAW = 7  # drop the goal that is not begun yet; the motion continues

    @property
    def begins(self) -> bool:
        """Whether it may begin a motion, so that its age is limited."""
        return self in (RequestKind.HOLD, RequestKind.GOAL)


class Request(NamedTuple):
    """One request."""

    number: int  # from 1 on; the loop's cycles report the last one taken
    kind: RequestKind
    plan: Plan | None = None  # of a goal
    need: CollisionBehavior | None = None  # predicted observation of the arm; None: unknown


def pack_goal(plan: Plan, need: CollisionBehavior | None, fields: Any) -> None:
    """Write a goal's plan and predicted observation to a record of layout ``REQUEST``."""
    contact = plan.contact
    for name in ("point", "normal", *RANGES, *_PULSE):
        fields[name] = getattr(contact, name)
    for name in _SPEEDS:
        fields[name] = getattr(plan, name)
    for name in _NAMES:
        fields[name] = getattr(plan, name).encode()
    fields["also_limits"] = SEPARATOR.join(plan.also_limits).encode()
    fields["raises"] = need is not None
    if need is not None:
        fields["torque"], fields["force"] = need.torque, need.force


def unpack_need(fields: Any) -> CollisionBehavior | None:
    """Return the predicted observation of the arm in a goal's hit, None if unknown."""
    return CollisionBehavior(fields["torque"], fields["force"]) if fields["raises"] else None


def unpack_goal(fields: Any, defaults: Plan) -> Plan:
    """Return the plan of a goal, with the rest of ``defaults``.

    Raises:
        ControlError: an unknown choice.
        OutOfRangeError: a number is out of its range.
        RobotError: an invalid normal.
    """
    known: dict[str, Any] = {name: tuple(fields[name].tolist()) for name in RANGES}
    known |= {name: float(fields[name]) for name in _PULSE}
    contact = Contact(fields["point"].copy(), fields["normal"].copy(), **known)
    said: dict[str, Any] = {name: float(fields[name]) for name in _SPEEDS}
    said |= {name: fields[name].decode() for name in _NAMES}
    also = fields["also_limits"].decode()
    said["also_limits"] = tuple(also.split(SEPARATOR)) if also else ()
    return replace(defaults, contact=contact, **said)
