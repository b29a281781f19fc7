# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A scenario by its name, or from a file of one's own."""

from __future__ import annotations

from pathlib import Path

from impact_robots.task.find import task_entries
from impact_robots.task.like import LIKE, TASK, check_name
from impact_sim.cell.spreading_file import load_spreading, spreading_names, spreading_of
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_sim.exceptions import ScenarioError
from impact_sim.scenarios import Scenario, all_scenario_names, load_scenario, scenario_of

AnyScenario = Scenario | SpreadingScenario


def robots_of(scenario: AnyScenario) -> tuple[str, ...]:
    """Return a scenario's robots, by name or the path of the YAML, each once."""
    if isinstance(scenario, SpreadingScenario):
        return scenario.cell.kinds
    return (scenario.robot,)


def simulated_names() -> tuple[str, ...]:
    """Return the names of all scenarios that ``simulate`` runs."""
    return (*all_scenario_names(), *spreading_names())


def find_scenario(name: str | Path) -> AnyScenario:
    """Return a scenario.

    Args:
        name: one of :func:`simulated_names`, or the path of a YAML file: entries that differ from
            those of the scenario that it is ``like``, or all. Its name is the file's.

    Raises:
        ScenarioError: no such scenario or file, or an entry is wrong; says which.
    """
    path = Path(name)
    if path.suffix in (".yaml", ".yml"):
        return _of_file(path)
    if str(name) in spreading_names():
        return load_spreading(str(name))
    if str(name) in all_scenario_names():
        return load_scenario(str(name))
    choices = ", ".join(simulated_names())
    raise ScenarioError(f"scenario: expected one of {choices} or a YAML file, got {str(name)!r}")


def find_wall_scenario(name: str | Path) -> Scenario:
    """Return a scenario in front of a wall, or of free motion; as :func:`find_scenario`.

    Raises:
        ScenarioError: it has a box instead, or there is no such scenario.
    """
    scenario = find_scenario(name)
    if not isinstance(scenario, Scenario):
        choices = ", ".join(all_scenario_names())
        raise ScenarioError(f"scenario: expected one of {choices} or a YAML like them, got {name}")
    return scenario


def find_cell_scenario(name: str | Path) -> SpreadingScenario:
    """Return a scenario with a box; as :func:`find_scenario`.

    Raises:
        ScenarioError: it has none, or there is no such scenario.
    """
    scenario = find_scenario(name)
    if not isinstance(scenario, SpreadingScenario):
        raise ScenarioError(f"scenario: expected one with a box, got {str(name)!r}")
    return scenario


def _of_file(path: Path) -> AnyScenario:
    """Return the scenario of a file.

    Raises:
        ScenarioError: there is no such file, or an entry is wrong.
    """
    entries = task_entries(path, "scenario")
    told = entries.get(TASK, entries)
    like = told.get(LIKE)
    if like is not None:
        check_name(like, simulated_names(), f"{path}: like")
    if like in spreading_names() or (like is None and "box_size" in told):
        return spreading_of(path.stem, entries, str(path))
    return scenario_of(path.stem, entries, str(path))
