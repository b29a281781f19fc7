# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A scenario by its name, or from a file of one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, overload

from impact_robots.task.find import task_entries
from impact_robots.task.like import LIKE, TASK, check_name
from impact_sim.cell.spreading_file import load_spreading, spreading_names, spreading_of
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_sim.exceptions import ScenarioError
from impact_sim.humanoid.grab_file import grab_names, grab_of, load_grab
from impact_sim.humanoid.grab_scenario import GrabScenario
from impact_sim.scenarios import Scenario, all_scenario_names, load_scenario, scenario_of

AnyScenario = Scenario | SpreadingScenario  # that `simulate` runs
Kind = TypeVar("Kind")
Other = TypeVar("Other")


class _Reader(NamedTuple):
    """Of the scenarios of one kind."""

    names: Callable[[], tuple[str, ...]]  # of those that ship with the suite
    load: Callable[[str], Any]
    of_entries: Callable[[str, Mapping[str, Any], str], Any]


_READERS: dict[Any, _Reader] = {
    Scenario: _Reader(all_scenario_names, load_scenario, scenario_of),
    SpreadingScenario: _Reader(spreading_names, load_spreading, spreading_of),
    GrabScenario: _Reader(grab_names, load_grab, grab_of),
}


def robots_of(scenario: AnyScenario) -> tuple[str, ...]:
    """Return a scenario's robots, by name or the path of the YAML, each once."""
    if isinstance(scenario, SpreadingScenario):
        return scenario.cell.kinds
    return (scenario.robot,)


def simulated_names() -> tuple[str, ...]:
    """Return the names of all scenarios that ``simulate`` runs."""
    return (*all_scenario_names(), *spreading_names())


@overload
def find(name: str | Path, kind: type[Kind], /) -> Kind: ...
@overload
def find(
    name: str | Path, kind: type[Kind], or_kind: type[Other], /, *, also: Sequence[str] = ()
) -> Kind | Other: ...
def find(name: str | Path, *kinds: Any, also: Sequence[str] = ()) -> Any:
    """Return a scenario of one of some kinds.

    Args:
        name: of a scenario that ships with the suite, or the path of a YAML file: entries that
            differ from those of the scenario that it is ``like``, or all. Its name is the file's.
        *kinds: of which it may be.
        also: other names that the caller takes, for the error.

    Raises:
        ScenarioError: no such scenario or file, or an entry is wrong; says which.
    """
    readers = {kind: _READERS[kind] for kind in kinds}
    path = Path(name)
    if path.suffix in (".yaml", ".yml"):
        entries = task_entries(path, "scenario")
        if (reader := readers.get(_kind_of(entries, path))) is not None:
            return reader.of_entries(path.stem, entries, str(path))
    for reader in readers.values():
        if str(name) in reader.names():
            return reader.load(str(name))
    choices = ", ".join([*also, *(each for reader in readers.values() for each in reader.names())])
    raise ScenarioError(
        f"scenario: expected one of {choices} or a YAML like them, got {str(name)!r}"
    )


def _kind_of(entries: Mapping[str, Any], path: Path) -> Any:
    """Return the kind of a file's scenario, from its keys.

    Raises:
        ScenarioError: it is like none that ships with the suite.
    """
    task = entries.get(TASK, entries)
    like = task.get(LIKE)
    for kind, reader in _READERS.items():
        if like in reader.names():
            return kind
    if like is not None:
        check_name(like, (*simulated_names(), *grab_names()), f"{path}: like")
    if "palm_x" in task:
        return GrabScenario
    return SpreadingScenario if "box_size" in task else Scenario


def find_scenario(name: str | Path) -> AnyScenario:
    """Return a scenario that `simulate` runs; as :func:`find`."""
    return find(name, Scenario, SpreadingScenario)
