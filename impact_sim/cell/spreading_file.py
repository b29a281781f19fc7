# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads scenarios in which plates hit a box: their tasks, and the worlds of these."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from impact_robots.task.box_file import WORLD, box_entries, box_task_names, shipped_box_task
from impact_robots.task.like import LIKE, check_name, split_truth, with_like
from impact_robots.task.typed_entries import record_of
from impact_robots.yaml_file import read_mapping
from impact_sim.cell.scenario_check import checked
from impact_sim.cell.spreading_scenario import TRUTHS, SpreadingScenario

_FILE = Path(__file__).parent / "spreading.yaml"
_NAMES = ("title", "note")


@cache
def _worlds() -> dict[str, Any]:
    return read_mapping(_FILE)


def spreading_names() -> tuple[str, ...]:
    """Return the names of the scenarios that ship with the suite: those of the tasks."""
    return box_task_names()


@cache
def load_spreading(name: str) -> SpreadingScenario:
    """Return a scenario that ships with the suite.

    Raises:
        ScenarioError: there is none of that name; lists the choices.
    """
    check_name(name, spreading_names())
    return spreading_of(name, _own(name), f"scenario {name}")


def spreading_of(name: str, own: Mapping[str, Any], where: str) -> SpreadingScenario:
    """Return the scenario of a mapping.

    Args:
        name: of the scenario.
        own: its entries; what it does not say is that of the scenario that it is ``like``.
        where: they are from, for errors.

    Raises:
        ScenarioError: it is like none that ships with the suite, an entry is missing, unknown or
            wrong, or the arms cannot be where it says.
    """
    task, truth = split_truth(own, box_entries, TRUTHS, WORLD, where)
    entries = task | truth | _world(own, where) | {"name": name}
    return checked(record_of(SpreadingScenario, entries, where), where)


def _world(own: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return what only a simulator reads of entries, and of those that they are like."""
    said = {key: own[key] for key in (LIKE, *_NAMES, *WORLD) if key in own}
    return _worlds()["defaults"] | with_like(said, _own_world, spreading_names(), where)


def _own_world(name: str) -> dict[str, Any]:
    """Return what the world of a shipped scenario says, and which one it is like."""
    like = shipped_box_task(name).get(LIKE)
    return ({} if like is None else {LIKE: like}) | _worlds()["scenarios"].get(name, {})


def _own(name: str) -> dict[str, Any]:
    """Return what a shipped scenario says of itself."""
    return shipped_box_task(name) | _worlds()["scenarios"].get(name, {})
