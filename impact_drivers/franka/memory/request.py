# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What may be asked of the loop, and its fixed layout in shared memory."""

from __future__ import annotations

from dataclasses import replace
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from impact_drivers.franka.memory.checked_record import CHECKSUM
from impact_qp.control.plan import Plan
from impact_qp.limits import Contact

_NAMES = ("impact_limits", "after")
_RANGES = ("friction", "restitution", "stiffness")
_PULSE = ("peak_factor", "impact_duration")
_SPEEDS = ("speed", "highest_speed", "press_force")
REQUEST = np.dtype(
    [
        CHECKSUM,
        ("number", "<u8"),
        ("kind", "<u8"),
        *[(name, "<f8", 3) for name in ("point", "normal")],
        *[(name, "<f8", 2) for name in _RANGES],
        *[(name, "<f8") for name in (*_PULSE, *_SPEEDS)],
        *[(name, "S32") for name in _NAMES],
    ]
)


class RequestKind(IntEnum):
    """What is asked of the loop."""

    NOTHING = 0
    HOLD = 1  # begin torque control and hold; while it controls as STOP
    GOAL = 2  # approach the surface; what follows is the plan's
    FINISH = 3  # brake, then finish the motion; states are still read
    RECOVER = 4  # clear the arm's errors, only while nothing is commanded
    END = 5  # as FINISH, then end the process
    STOP = 6  # brake, then hold; without torque control nothing


class Request(NamedTuple):
    """One request."""

    number: int  # from 1 on; the loop's cycles say which one it took last
    kind: RequestKind
    plan: Plan | None = None  # of a goal


def pack_goal(plan: Plan, fields: Any) -> None:
    """Write what a goal says of a plan to a record of layout ``REQUEST``."""
    contact = plan.contact
    for name in ("point", "normal", *_RANGES, *_PULSE):
        fields[name] = getattr(contact, name)
    for name in _SPEEDS:
        fields[name] = getattr(plan, name)
    for name in _NAMES:
        fields[name] = getattr(plan, name).encode()


def unpack_goal(fields: Any, defaults: Plan) -> Plan:
    """Return the plan of a goal, with the rest of ``defaults``.

    Raises:
        ControlError: a choice is none.
        OutOfRangeError: a number is out of its range.
        RobotError: the normal is none.
    """
    contact = Contact(
        fields["point"].copy(),
        fields["normal"].copy(),
        friction=tuple(fields["friction"].tolist()),
        restitution=tuple(fields["restitution"].tolist()),
        stiffness=tuple(fields["stiffness"].tolist()),
        **{name: float(fields[name]) for name in _PULSE},
    )
    said: dict[str, Any] = {name: float(fields[name]) for name in _SPEEDS}
    said |= {name: fields[name].decode() for name in _NAMES}
    return replace(defaults, contact=contact, **said)
