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
from impact_robots.task.box_task import IMPACT_LIMITS_OF_BOXES, BoxTask
from impact_robots.task.like import CELL, LIKE, announced_in, check_name
from impact_robots.task.posing import POSING, check_arms, placed, reposed, timed
from impact_robots.task.typed_entries import record_of, typed_entries
from impact_robots.yaml_file import read_mapping

_FILE = Path(__file__).parent / "box_tasks.yaml"
_CELL: dict[str, Any] = {  # entries that say the cell, but for ``cell``
    "robot": str,
    "bases": tuple[tuple[float, float, float], ...],
}
_POSITIVE = ("box_size", "box_mass", "run_up", "plate", "contact_frequency", "detection_threshold")
_NOT_NEGATIVE = ("clamp_force", "plate_friction", "support_friction")
WORLD = (  # entries that a scenario has besides: only a simulator reads them
    *("pedestal_half", "box_offset", "variation", "contact_damping"),
    *("motor_friction", "after_contact"),
)


@cache
def _shipped() -> dict[str, Any]:
    return read_mapping(_FILE)


def box_task_names() -> tuple[str, ...]:
    """Return the names of the tasks that ship with the suite; scenarios have the same."""
    return tuple(_shipped()["tasks"])


def shipped_box_task(name: str) -> dict[str, Any]:
    """Return what a task that ships with the suite says of itself."""
    return dict(_shipped()["tasks"][name])


@cache
def load_box_task(name: str) -> BoxTask:
    """Return a task that ships with the suite.

    Raises:
        TaskError: there is none of that name; lists the choices.
    """
    check_name(name, box_task_names(), "task")
    return box_task_of(name, shipped_box_task(name), f"task {name}")


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
        usual = typed_entries(BoxTask, _shipped()["defaults"], where, **_CELL)
        entries = usual | typed
        robot, bases = entries.pop("robot"), entries.pop("bases")
        entries[CELL] = own.get(CELL) or RobotCell.of(robot, bases)
        check_arms(entries[CELL], where)
        return entries
    check_name(own[LIKE], box_task_names(), f"{where}: {LIKE}")
    base = box_entries(shipped_box_task(own[LIKE]), where)
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
    for key, value in vars(task).items():
        if key in _POSITIVE and not min(value if isinstance(value, tuple) else (value,)) > 0.0:
            raise TaskError(f"{where}: {key}: expected a number above 0, got {value}")
        if key in _NOT_NEGATIVE and value < 0.0:
            raise TaskError(f"{where}: {key}: expected a number from 0, got {value:g}")
    if task.impact_limits not in IMPACT_LIMITS_OF_BOXES:
        choices = ", ".join(IMPACT_LIMITS_OF_BOXES)
        got = task.impact_limits
        raise TaskError(f"{where}: impact_limits: expected one of {choices}, got {got!r}")
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
