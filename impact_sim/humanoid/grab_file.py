# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads scenarios in which a humanoid grabs boxes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from impact_robots.task.like import Shipped, split_truth
from impact_robots.task.palm_file import (
    PALM_TASKS,
    WORLD,
    check_palm_task,
    palm_entries,
)
from impact_robots.task.typed_entries import record_of
from impact_sim.humanoid.grab_scenario import TRUTHS, GrabScenario

_WORLDS = Shipped(Path(__file__).parent / "grabs.yaml", "scenarios")


def grab_names() -> tuple[str, ...]:
    """Return the names of the scenarios that ship with the suite: those of the tasks."""
    return PALM_TASKS.names()


def load_grab(name: str) -> GrabScenario:
    """Return a scenario that ships with the suite.

    Raises:
        ScenarioError: there is no such scenario; lists the choices.
    """
    own = PALM_TASKS.named(name, "scenario") | _WORLDS.own(name)
    return grab_of(name, own, f"scenario {name}")


def grab_text(scenario: GrabScenario) -> str:
    """Return a scenario as the text of a file that is read to the same."""
    entries = vars(scenario) | {"like": grab_names()[0]}
    del entries["name"]
    plain = {name: list(v) if isinstance(v, tuple) else v for name, v in entries.items()}
    return yaml.safe_dump(plain, sort_keys=False)


def grab_of(name: str, own: Mapping[str, Any], where: str) -> GrabScenario:
    """Return the scenario of a mapping.

    Args:
        name: of the scenario.
        own: its entries; missing ones are taken from the scenario that it is ``like``, or are
            defaults.
        where: their source, for error messages.

    Raises:
        ScenarioError: an entry is missing, unknown or wrong.
    """
    task, truth = split_truth(own, palm_entries, TRUTHS, WORLD, where)
    entries = task | truth | _WORLDS.world(PALM_TASKS, own, WORLD, where) | {"name": name}
    scenario = record_of(GrabScenario, entries, where)
    check_palm_task(scenario.task, where)
    return scenario
