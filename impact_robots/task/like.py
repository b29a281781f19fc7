# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What files of tasks and scenarios have in common: names, entries ``like`` another's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from impact_robots.exceptions import TaskError
from impact_robots.yaml_file import read_mapping

LIKE = "like"
CELL = "cell"  # of a task's file: the file of its cell, which then stands here
TASK = "task"  # of a scenario's file: the file of its task, whose entries then stand here
ANNOUNCED = "announced"  # values announced to a scenario's controller, other than the true ones


class Shipped:
    """A YAML of the suite with ``defaults`` and sections of entries by name; read when needed."""

    def __init__(self, path: Path, *sections: str) -> None:
        """Take the file, and the sections in which names are looked for."""
        self._path, self._sections = path, sections

    @cached_property
    def _read(self) -> dict[str, Any]:
        return read_mapping(self._path)

    @property
    def defaults(self) -> dict[str, Any]:
        """Entries of what says nothing else."""
        return dict(self._read["defaults"])

    def names(self, *sections: str) -> tuple[str, ...]:
        """Return the names in sections, without any in all."""
        return tuple(name for each in sections or self._sections for name in self._read[each])

    def own(self, name: str) -> dict[str, Any]:
        """Return what one says of itself; nothing if the file does not name it."""
        return next(
            (dict(self._read[e][name]) for e in self._sections if name in self._read[e]), {}
        )

    def named(self, name: str, where: str = "task") -> dict[str, Any]:
        """Return what one says of itself.

        Raises:
            TaskError: there is none of that name; lists the choices.
        """
        check_name(name, self.names(), where)
        return self.own(name)

    def world(
        self, tasks: Shipped, own: Mapping[str, Any], keys: Sequence[str], where: str
    ) -> dict[str, Any]:
        """Return what only a simulator reads of entries, and of the scenario that they are like.

        Args:
            tasks: by the same names; they say which one is like which.
            own: entries.
            keys: of those that count.
            where: they are from, for errors.

        Raises:
            TaskError: they are like none that ships with the suite.
        """

        def shipped(name: str) -> dict[str, Any]:
            like = tasks.own(name).get(LIKE)
            return ({} if like is None else {LIKE: like}) | self.own(name)

        said = {key: own[key] for key in (LIKE, *keys) if key in own}
        return self.defaults | with_like(said, shipped, tasks.names(), where)


def check_name(name: Any, names: Sequence[str], where: str = "scenario") -> None:
    """Check that there is a scenario of that name.

    Raises:
        TaskError: there is none; lists the choices.
    """
    if name not in names:
        raise TaskError(f"{where}: expected one of {', '.join(names)}, got {name!r}")


def with_like(
    own: Mapping[str, Any],
    shipped: Callable[[str], Mapping[str, Any]],
    names: Sequence[str],
    where: str,
) -> dict[str, Any]:
    """Return entries, and those of what they are ``like``, and so on, where they say nothing.

    Args:
        own: entries.
        shipped: returns the entries of a scenario that ships with the suite.
        names: of those.
        where: the entries are from, for errors.

    Raises:
        TaskError: they are like no scenario that ships with the suite.
    """
    given = {key: value for key, value in own.items() if key != LIKE}
    if LIKE not in own:
        return given
    check_name(own[LIKE], names, f"{where}: {LIKE}")
    return with_like(shipped(own[LIKE]), shipped, names, where) | given


def with_own_title(entries: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a file's entries; without a title, with one that names what differs and no note.

    Title and note of the scenario that it is ``like`` would describe that one.
    """
    if LIKE not in entries or "title" in entries:
        return entries
    differs = [key for key in entries if key not in (LIKE, "note")]
    other = f" with its own {', '.join(differs)}" if differs else ""
    return {"title": f"{entries[LIKE]}{other}", "note": "", **entries}


def announced_in(own: Mapping[str, Any], world: Sequence[str], where: str) -> dict[str, Any]:
    """Return the entries of a scenario for its controller.

    Args:
        own: entries. Only those of its ``task``, if it has one; otherwise ``announced`` entries
            replace the scenario's own.
        world: names of entries that a simulator alone reads.
        where: they are from, for errors.

    Raises:
        TaskError: what is announced is no mapping.
    """
    announced = own.get(ANNOUNCED, {})
    if not isinstance(announced, Mapping):
        raise TaskError(f"{where}: {ANNOUNCED}: expected entries, got {announced!r}")
    if TASK in own:
        return {**own[TASK], **announced}
    known = {key: value for key, value in own.items() if key not in (*world, ANNOUNCED)}
    return {**known, **announced}


def split_truth(
    own: Mapping[str, Any],
    entries: Callable[[Mapping[str, Any], str], dict[str, Any]],
    truths: Sequence[str],
    world: Sequence[str],
    where: str,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return all entries of a scenario's task, and those that are not as they are announced.

    Args:
        own: entries of the scenario.
        entries: returns all entries of the task of some.
        truths: names of those that may be announced other than they are.
        world: names of entries that a simulator alone reads.
        where: they are from, for errors.

    Returns:
        The task's, and among the others what is ``announced``.

    Raises:
        TaskError: something is said that is neither a truth nor of the world.
    """
    task, announced = entries(own, where), own.get(ANNOUNCED, {})
    if TASK in own:
        rest = (key for key in own if key not in (TASK, "title", "note", *world))
        keys = [key for key in rest if key not in announced] + list(announced)
    else:
        keys = list(announced)
    for key in keys:
        if key not in truths:
            place = f"{where}: {ANNOUNCED}" if key in announced else where
            choices = ", ".join(truths if key in announced else (*truths, *world))
            raise TaskError(f"{place}: expected entries of {choices}, got {key!r}")
    told_nothing = {key: value for key, value in own.items() if key != ANNOUNCED}
    missing = [key for key in keys if key not in own]
    usual = entries(told_nothing, where) if missing else {}
    truth = {key: own.get(key, usual.get(key)) for key in keys}
    return task, truth | {ANNOUNCED: {key: task[key] for key in keys}}
