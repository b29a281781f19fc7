# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A task by its name, or from a file of one's own; and the cell in which it is done."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, TypeVar

from impact_robots.cell import PlacedRobot, RobotCell, robot_named
from impact_robots.entries import TURN, Entries
from impact_robots.exceptions import RobotError, TaskError
from impact_robots.task.box_file import BOX_TASKS, box_task_of, load_box_task
from impact_robots.task.box_task import BoxTask
from impact_robots.task.hit_task import HIT_TASKS, HitTask, hit_task_of, load_hit_task
from impact_robots.task.like import CELL, LIKE, TASK, with_own_title
from impact_robots.task.palm_file import PALM_TASKS, load_palm_task, palm_task_of
from impact_robots.task.palm_task import PalmTask
from impact_robots.task.typed_entries import check_size
from impact_robots.tools.strike_file import read_tool
from impact_robots.tools.tool import Tool
from impact_robots.yaml_file import read_mapping

Task = HitTask | BoxTask | PalmTask
Kind = TypeVar("Kind", BoxTask, PalmTask, HitTask)
_YAML = (".yaml", ".yml")
REFERENCES = "references"  # of a task: paths of the arms' references
_NO_CELL = "cell: expected a task of arms and a box; a hit and a grab by palms say their robot"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*$")


def find_task(name: str | Path, cell: str | Path = "") -> Task:
    """Return a task.

    Args:
        name: of a task that ships with the suite, which scenarios have too, or the path of a YAML
            of a task or of a scenario with one. Its name is the file's.
        cell: the path of a YAML that says which robots stand where; empty: the task says it.

    Raises:
        TaskError: no such task or file, or an entry is wrong; says which.
    """
    path, given = Path(name), {CELL: cell_of_file(cell)} if str(cell) else {}
    if path.suffix in _YAML:
        entries = {**task_entries(path), **given}
        if (is_hit_task(entries) or is_palm_task(entries)) and CELL in entries.get(TASK, entries):
            raise TaskError(f"{path}: {_NO_CELL}")
        if is_hit_task(entries):
            return hit_task_of(path.stem, entries.get(TASK, entries), str(path))
        of = palm_task_of if is_palm_task(entries) else box_task_of
        return of(path.stem, entries, str(path))
    check_task_name(str(name))
    if str(name) in BOX_TASKS.names():
        own = BOX_TASKS.own(str(name)) | given
        return box_task_of(str(name), own, f"task {name}") if given else load_box_task(str(name))
    if given:
        raise TaskError(_NO_CELL)
    load = load_palm_task if str(name) in PALM_TASKS.names() else load_hit_task
    return load(str(name))


def check_task_name(name: str, where: str = "task") -> None:
    """Check that a task of that name ships with the suite.

    Raises:
        TaskError: there is none; lists the choices.
    """
    names = (*HIT_TASKS.names(), *BOX_TASKS.names(), *PALM_TASKS.names())
    if name not in names:
        raise TaskError(f"{where}: expected one of {', '.join(names)} or a YAML file, got {name!r}")


def find_box_task(name: str | Path, cell: str | Path = "") -> BoxTask:
    """Return a task of arms with plates and a box; as :func:`find_task`.

    Raises:
        TaskError: it is another one, or there is none.
    """
    return _required(BoxTask, "arms with plates and a box", name, cell)


def find_palm_task(name: str | Path) -> PalmTask:
    """Return a task of a humanoid; as :func:`find_task`.

    Raises:
        TaskError: it is another one, or there is none.
    """
    return _required(PalmTask, "a humanoid's palms", name)


def find_hit_task(name: str | Path) -> HitTask:
    """Return a task of one arm and a surface; as :func:`find_task`.

    Raises:
        TaskError: it is another one, or there is none.
    """
    return _required(HitTask, "an arm that hits a surface", name)


def find_tool(name: str | Path) -> Tool:
    """Return the tool of a YAML with an entry `tool`, or of the task of a strike.

    Raises:
        TaskError: it is another task, or there is none.
        RobotError: an entry of the tool is wrong.
    """
    path = Path(name)
    if path.suffix in _YAML and not is_hit_task(task_entries(path, "tool")):
        return read_tool(path)
    tool = find_hit_task(name).tool
    if tool is None:
        raise TaskError(f"tool: expected a file with an entry tool, got {str(name)!r}")
    return tool


def _required(kind: type[Kind], what: str, name: str | Path, cell: str | Path = "") -> Kind:
    """Return a task of a kind, which is one of ``what``."""
    task = find_task(name, cell)
    if not isinstance(task, kind):
        raise TaskError(f"task: expected one of {what}, got {str(name)!r}")
    return task


def is_hit_task(entries: dict[str, Any]) -> bool:
    """Tell whether entries are those of a hit of a surface, from their keys."""
    task = entries.get(TASK, entries)
    keys = ("contact_normal", "contact_point")
    return any(key in task for key in keys) or task.get(LIKE) in HIT_TASKS.names()


def is_palm_task(entries: dict[str, Any]) -> bool:
    """Tell whether entries are those of a humanoid's grab, from their keys."""
    task = entries.get(TASK, entries)
    return task.get(LIKE) in PALM_TASKS.names() or (LIKE not in task and "palm_x" in task)


def task_entries(path: Path, what: str = "task") -> dict[str, Any]:
    """Return the entries of a file of a task or a scenario.

    With those of the file of its ``task`` and its ``cell`` instead of their paths. Paths are from
    the file's folder, those of ``references`` too, and that of a robot's YAML if it is there.

    Args:
        path: of the file.
        what: it is, for errors.

    Raises:
        TaskError: there is no such file, or it is no mapping.
    """
    try:
        entries = dict(with_own_title(read_mapping(path)))
    except RobotError as error:
        raise TaskError(str(error).replace("no file", f"{what}: no file", 1)) from None
    robot = entries.get("robot")
    if isinstance(robot, str) and robot.endswith(_YAML) and (path.parent / robot).exists():
        entries["robot"] = str(path.parent / robot)
    if isinstance(files := entries.get(REFERENCES), list):
        entries[REFERENCES] = [
            str(path.parent / each) if isinstance(each, str) else each for each in files
        ]
    for key, read in ((TASK, task_entries), (CELL, cell_of_file)):
        if key in entries:
            if not isinstance(entries[key], str):
                raise TaskError(f"{path}: {key}: expected a path, got {entries[key]!r}")
            if key == TASK and not entries[key].endswith(_YAML):
                check_task_name(entries[key], f"{path}: task")
                entries[key] = {LIKE: entries[key]}
            else:
                entries[key] = read(path.parent / entries[key])
    if TASK in entries and CELL in entries:
        entries[TASK][CELL] = entries.pop(CELL)
    return entries


def cell_of_file(path: str | Path) -> RobotCell:
    """Return the cell of a YAML: robots by name, each with its ``base`` and perhaps its ``yaw``.

    Raises:
        TaskError: there is no such file, or an entry is wrong.
    """
    path = Path(path)
    try:
        entries = Entries(path, read_mapping(path), ("robots",))
        placed = [
            _placed(name, each, path)
            for name, each in entries.sections("robots", ("robot", "base", "yaw"))
        ]
    except RobotError as error:
        raise TaskError(str(error).replace("no file", "cell: no file", 1)) from None
    try:
        return RobotCell(tuple(placed))
    except TaskError as error:
        raise TaskError(f"{path}: {error}") from None


def _placed(name: str, entries: Entries, path: Path) -> PlacedRobot:
    """Return one robot of a cell."""
    if not _NAME.match(name):
        raise TaskError(f"{path}: robots: expected names of letters, digits and _, got {name!r}")
    robot = entries.text("robot")
    if robot.endswith(_YAML):
        robot = str(path.parent / robot)
    x, y, z = entries.vector("base", 3).tolist()
    yaw = entries.number("yaw", 0.0, TURN)
    try:
        robot_named(robot)
    except RobotError as error:
        raise TaskError(f"{entries.where('robot')}: {error}") from None
    check_size((x, y, z), entries.where("base"))
    return PlacedRobot(name, robot, (x, y, z), yaw)
