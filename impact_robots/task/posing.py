# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Poses the arms of a task that says only how it differs from another one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from impact_robots.dynamics import ArmDynamics
from impact_robots.exceptions import RobotError, TaskError
from impact_robots.robot import Robot
from impact_robots.task.poses import impact_velocity, posed, robot_named, run_up_start

# An entry that is no field of a scenario: the first joint of each arm at the impact [rad].
POSING = {"first_joint": tuple[float, ...]}
_STANDING = ("first_joint", "box_size", "support_z", "robot")  # with another one arms stand apart
_MOVING = ("q_impact", "v_minus", *_STANDING)  # and here they move otherwise

Rows = tuple[tuple[float, ...], ...]
Bases = tuple[tuple[float, float, float], ...]


def reposed(base: Mapping[str, Any], own: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the entries of one scenario with those in which another one differs.

    Args:
        base: all entries of a scenario.
        own: entries in which the other one differs, ``first_joint`` among them.
        where: they are from, for errors.

    Raises:
        TaskError: the arms cannot be where it says.
    """
    merged = {**base, **own}
    if "q_impact" not in own and any(key in own for key in _STANDING):
        _check(merged, "q_impact", where)
        merged["q_impact"] = _rows(
            lambda arm, robot: _standing(base, merged, arm, robot), merged, where
        )
    outdated = ["dq_impact"] if any(key in own for key in _MOVING) else []
    if outdated or any(key in own for key in ("dq_impact", "run_up")):
        outdated.append("q_start")
    merged = {key: value for key, value in merged.items() if key in own or key not in outdated}
    merged.pop("first_joint", None)
    return merged


def timed(entries: dict[str, Any], where: str) -> dict[str, Any]:
    """Return entries with the velocities at the impact and the start of the run-up, if missing.

    Raises:
        TaskError: rows that are not as many as arms, or not as long as they must be; or the
            run-up would begin where an arm cannot be.
    """
    if any(key not in entries for key in ("q_impact", "v_minus", "bases", "robot", "run_up")):
        return entries  # what is missing is said when the scenario is made
    filled = dict(entries)
    _check(filled, "q_impact", where)
    _check(filled, "v_minus", where, width=3)

    def velocity(arm: int, robot: Robot) -> np.ndarray:
        return impact_velocity(
            robot, np.array(filled["q_impact"][arm]), np.array(filled["v_minus"][arm])
        )

    def start(arm: int, robot: Robot) -> np.ndarray:
        q, dq, v = (np.array(filled[key][arm]) for key in ("q_impact", "dq_impact", "v_minus"))
        return run_up_start(robot, q, dq, v, filled["run_up"])

    for key, make in (("dq_impact", velocity), ("q_start", start)):
        if key not in filled:
            filled[key] = _rows(make, filled, where)
        _check(filled, key, where)
    return filled


def _standing(
    base: Mapping[str, Any], merged: Mapping[str, Any], arm: int, robot: Robot
) -> np.ndarray:
    """Return where an arm stands when its plate touches the box at half its height, (n,) [rad]."""
    q = np.array(base["q_impact"][arm])
    grown = (np.array(merged["box_size"]) - np.array(base["box_size"])) / 2.0
    offset = np.array([0.0, 0.0, merged["support_z"] - base["support_z"] + grown[2]])
    if len(merged["bases"]) > 1:  # the box stays in the middle; pushed, it keeps the near face
        into = ArmDynamics(robot)(q, np.zeros(robot.dof)).rotation[:, 2]
        offset = offset - np.round(into) * grown
    first = merged.get("first_joint")
    return posed(robot, q, offset, float(q[0] if first is None else first[arm]))


def _rows(make: Callable[[int, Robot], np.ndarray], entries: Mapping[str, Any], where: str) -> Rows:
    """Return one row an arm.

    Raises:
        TaskError: an arm cannot be there.
    """
    try:
        robot = robot_named(entries["robot"])
        rows = [make(arm, robot) for arm in range(len(entries["bases"]))]
    except RobotError as error:
        raise TaskError(f"{where}: {error}") from None
    return tuple(tuple(row.tolist()) for row in rows)


def _check(entries: Mapping[str, Any], key: str, where: str, width: int = 0) -> None:
    """Refuse rows that are not one an arm, or not one number a joint.

    Raises:
        TaskError: so it is.
    """
    arms = len(entries["bases"])
    try:
        width = width or robot_named(entries["robot"]).dof
    except RobotError as error:
        raise TaskError(f"{where}: {error}") from None
    for each, count in ((key, width), ("first_joint", 0)):
        rows = entries.get(each)
        if rows is None:
            continue
        if len(rows) != arms or (count and any(len(row) != count for row in rows)):
            each_of = f" of {count} numbers" if count else ""
            raise TaskError(f"{where}: {each}: expected {arms} rows{each_of}, one an arm")
