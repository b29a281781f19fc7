# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads scenarios in which plates hit a box, and poses those that say only how they differ."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from impact_robots.yaml_file import read_mapping
from impact_sim.cell.posing import POSING, reposed, timed
from impact_sim.cell.scenario_check import checked
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_sim.scenario_entries import LIKE, check_name
from impact_sim.typed_entries import record_of, typed_entries

_FILE = Path(__file__).parent / "spreading.yaml"


@cache
def _shipped() -> dict[str, Any]:
    return read_mapping(_FILE)


def spreading_names() -> tuple[str, ...]:
    """Return the names of the scenarios that ship with the suite."""
    return tuple(_shipped()["scenarios"])


@cache
def load_spreading(name: str) -> SpreadingScenario:
    """Return a scenario that ships with the suite.

    Raises:
        ScenarioError: there is none of that name; lists the choices.
    """
    check_name(name, spreading_names())
    return spreading_of(name, _shipped()["scenarios"][name], f"scenario {name}")


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
    entries = timed(_merged(own, where), where)
    return checked(record_of(SpreadingScenario, entries | {"name": name}, where), where)


def _merged(own: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return entries with those of what they are ``like``, posed anew where they differ."""
    given = {key: value for key, value in own.items() if key != LIKE}
    typed = typed_entries(SpreadingScenario, given, where, **POSING)
    if LIKE not in own:
        return typed_entries(SpreadingScenario, _shipped()["defaults"], where) | typed
    check_name(own[LIKE], spreading_names(), f"{where}: {LIKE}")
    base = _shipped()["scenarios"][own[LIKE]]
    return reposed(timed(_merged(base, where), where), typed, where)
