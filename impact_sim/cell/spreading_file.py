# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads scenarios in which plates hit a box: their tasks and worlds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from impact_robots.task.box_file import BOX_TASKS, WORLD, box_entries
from impact_robots.task.like import Shipped, split_truth
from impact_robots.task.typed_entries import record_of
from impact_sim.cell.scenario_check import checked
from impact_sim.cell.spreading_scenario import TRUTHS, SpreadingScenario

_WORLDS = Shipped(Path(__file__).parent / "spreading.yaml", "scenarios")


def spreading_names() -> tuple[str, ...]:
    """Return the names of the scenarios that ship with the suite: those of the tasks."""
    return BOX_TASKS.names()


@cache
def load_spreading(name: str) -> SpreadingScenario:
    """Return a scenario that ships with the suite.

    Raises:
        ScenarioError: there is no such scenario; lists the choices.
    """
    own = BOX_TASKS.named(name, "scenario") | _WORLDS.own(name)
    return spreading_of(name, own, f"scenario {name}")


def spreading_of(name: str, own: Mapping[str, Any], where: str) -> SpreadingScenario:
    """Return the scenario of a mapping.

    Args:
        name: of the scenario.
        own: its entries; missing ones are taken from the scenario that it is ``like``.
        where: their source, for error messages.

    Raises:
        ScenarioError: its ``like`` is no shipped scenario, an entry is missing, unknown or wrong,
            or the arms cannot reach their places.
    """
    task, truth = split_truth(own, box_entries, TRUTHS, WORLD, where)
    world = _WORLDS.world(BOX_TASKS, own, ("title", "note", *WORLD), where)
    entries = task | truth | world | {"name": name}
    return checked(record_of(SpreadingScenario, entries, where), where)
