# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What all files of scenarios have in common: names, and entries that are ``like`` another's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from impact_sim.exceptions import ScenarioError

LIKE = "like"


def check_name(name: Any, names: Sequence[str], where: str = "scenario") -> None:
    """Check that there is a scenario of that name.

    Raises:
        ScenarioError: there is none; lists the choices.
    """
    if name not in names:
        raise ScenarioError(f"{where}: expected one of {', '.join(names)}, got {name!r}")


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
        ScenarioError: they are like no scenario that ships with the suite.
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
