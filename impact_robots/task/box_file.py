# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads tasks in which plates hit a box, and poses those that say only how they differ."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from impact_robots.cell import RobotCell
from impact_robots.exceptions import RobotError, TaskError
from impact_robots.task.box_task import BoxTask
from impact_robots.task.like import CELL, LIKE, Shipped, announced_in
from impact_robots.task.posing import POSING, check_arms, placed, reposed, timed
from impact_robots.task.typed_entries import record_of, typed_entries

BOX_TASKS = Shipped(Path(__file__).parent / "box_tasks.yaml", "tasks")
_CELL: dict[str, Any] = {  # entries that say the cell, but for ``cell``
    "robot": str,
    "bases": tuple[tuple[float, float, float], ...],
}
WORLD = (  # entries that a scenario has besides: only a simulator reads them
    *("pedestal_half", "box_offset", "variation", "contact_damping"),
    *("motor_friction", "after_contact"),
)


@cache
def load_box_task(name: str) -> BoxTask:
    """Return a task that ships with the suite.

    Raises:
        TaskError: there is none of that name; lists the choices.
    """
    return box_task_of(name, BOX_TASKS.named(name), f"task {name}")


def box_task_of(name: str, own: Mapping[str, Any], where: str) -> BoxTask:
    """Return the task of a mapping, which may be that of a scenario.

    Args:
        name: of the task.
        own: its entries, among them robot and bases or a ``cell``; what it does not say is that
            of the task that it is ``like``. What it ``announced`` counts, whatever else it says of
            the same.
        where: they are from, for errors.

    Raises:
        TaskError: it is like none that ships with the suite, an entry is missing, unknown or
            wrong, or the arms cannot be where it says.
    """
    entries = box_entries(own, where)
    task = record_of(BoxTask, entries | {"name": name}, where)
    check_box_task(task, where)
    return task


def box_entries(own: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return all entries of a task as its record has them, but for the name.

    Arguments and errors as of :func:`box_task_of`.
    """
    known = announced_in(own, WORLD, where)
    return timed(placed(_merged(known, where), where), where)


def _merged(own: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return entries with those of what they are ``like``, posed anew where they differ."""
    given = {key: value for key, value in own.items() if key not in (LIKE, CELL)}
    others: dict[str, Any] = {**POSING, **_CELL, **dict.fromkeys(WORLD, object)}
    typed = typed_entries(BoxTask, given, where, leave_out=CELL, **others)
    if LIKE not in own:
        usual = typed_entries(BoxTask, BOX_TASKS.defaults, where, **_CELL)
        entries = usual | typed
        robot, bases = entries.pop("robot"), entries.pop("bases")
        entries[CELL] = own.get(CELL) or RobotCell.of(robot, bases)
        check_arms(entries[CELL], where)
        return entries
    base = box_entries(BOX_TASKS.named(own[LIKE], f"{where}: {LIKE}"), where)
    known: RobotCell = base[CELL]
    robot, bases = typed.pop("robot", known.kinds[0]), typed.pop("bases", known.bases)
    typed[CELL] = own.get(CELL) or RobotCell.of(robot, bases)
    check_arms(typed[CELL], where)
    return reposed(base, typed, where)


def check_box_task(task: BoxTask, where: str) -> None:
    """Refuse a task whose plates do not lie on a box, or do not move into it.

    Raises:
        TaskError: something is wrong; says what.
    """
    for key in task.ranges._fields[:4]:
        if (bounds := getattr(task.ranges, key)) is not None and not 0.0 <= bounds[0] <= bounds[1]:
            low, high = bounds
            raise TaskError(f"{where}: ranges: {key}: expected low,high, got {low:g},{high:g}")
    low, high = task.ranges.mass or (task.box_mass, task.box_mass)
    if not low <= task.box_mass <= high:
        expected = f"one with box_mass {task.box_mass:g} in it"
        raise TaskError(f"{where}: ranges: mass: expected {expected}, got {low:g},{high:g}")
    try:
        task.box_position  # noqa: B018 - plates on both sides, flat
        speeds = [v @ task.direction(arm) for arm, v in enumerate(task.velocities)]
    except RobotError as error:
        raise TaskError(f"{where}: {error}") from None
    if min(speeds) <= 0.0:
        raise TaskError(f"{where}: v_minus: expected plates that move into the box")
