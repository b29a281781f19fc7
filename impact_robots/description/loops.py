# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Kinematic loops of a robot: two of its points connected by a rod or a ball joint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from impact_robots.description.named_contact import check_frame
from impact_robots.entries import ABOVE_0, Entries
from impact_robots.state.state import RobotState

_ENTRIES = ("a", "point_a", "b", "point_b", "length")


class LoopJoint(NamedTuple):
    """Closure of a loop: a rod from a to b, or, without a length, a ball joint."""

    a: str  # link
    point_a: tuple[float, float, float]  # in its axes [m]
    b: str
    point_b: tuple[float, float, float]
    length: float = 0.0  # of the rod [m]; 0: the points are one


def read_loops(entries: Entries, model: pin.Model, prefix: str) -> tuple[LoopJoint, ...]:
    """Return the loops of a robot's YAML.

    Args:
        entries: of the YAML.
        model: whose links they join.
        prefix: of link names.

    Raises:
        RobotError: a wrong entry, or no such link.
    """
    if "loops" not in entries:
        return ()
    return tuple(_loop(each, model, prefix) for each in entries.listed("loops", _ENTRIES))


def _loop(entries: Entries, model: pin.Model, prefix: str) -> LoopJoint:
    """Return one loop."""
    a, b = (prefix + entries.text(end) for end in ("a", "b"))
    check_frame(entries, "a", a, model)
    check_frame(entries, "b", b, model)
    at_a, at_b = (tuple(entries.vector(f"point_{end}", 3).tolist()) for end in ("a", "b"))
    length = entries.number("length", 0.0, ABOVE_0)
    return LoopJoint(a, at_a, b, at_b, length)


def loop_jacobian(loops: Sequence[LoopJoint], state: RobotState) -> np.ndarray:
    """Return the rows J_l along which closed loops keep J_l v at zero, shape (l, nv).

    A rod has one row, the rate of its length; a ball joint three, in base axes.

    Args:
        loops: of the robot.
        state: of the robot.

    Raises:
        RobotError: there is no such link.
    """
    rows = [np.zeros((0, len(state.dq)))]
    for loop in loops:
        a, b = state.at(loop.a, loop.point_a), state.at(loop.b, loop.point_b)
        apart = a.J[:3] - b.J[:3]
        if loop.length > 0.0:
            along = a.position - b.position
            apart = (along / np.linalg.norm(along))[None] @ apart
        rows.append(apart)
    return np.vstack(rows)


def loop_errors(loops: Sequence[LoopJoint], state: RobotState) -> np.ndarray:
    """Return the distance of each loop's points less its length, shape (len(loops),) [m].

    Raises:
        RobotError: there is no such link.
    """
    ends = (
        (state.at(loop.a, loop.point_a), state.at(loop.b, loop.point_b), loop.length)
        for loop in loops
    )
    return np.array([np.linalg.norm(a.position - b.position) - length for a, b, length in ends])
