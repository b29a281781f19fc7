# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads scenarios in which a humanoid grabs boxes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from impact_robots.exceptions import RobotError
from impact_robots.yaml_file import read_mapping
from impact_sim.exceptions import ScenarioError
from impact_sim.humanoid.grab_scenario import LIMITS_OF_GRABS, GrabScenario
from impact_sim.scenario_entries import check_name, with_like, with_own_title
from impact_sim.typed_entries import record_of

_FILE = Path(__file__).parent / "grabs.yaml"


@cache
def _shipped() -> dict[str, Any]:
    return read_mapping(_FILE)


def grab_names() -> tuple[str, ...]:
    """Return the names of the scenarios that ship with the suite."""
    return tuple(_shipped()["scenarios"])


def load_grab(name: str) -> GrabScenario:
    """Return a scenario that ships with the suite.

    Raises:
        ScenarioError: there is none of that name; lists the choices.
    """
    check_name(name, grab_names())
    return grab_of(name, _own(name), f"scenario {name}")


def is_grab_file(path: Path) -> bool:
    """Tell whether a file is there whose scenario is like one of a humanoid's."""
    try:
        return read_mapping(path).get("like") in grab_names()
    except RobotError:
        return False


def grab_of_file(path: Path) -> GrabScenario:
    """Return the scenario of a file: entries that differ from those of what it is ``like``.

    Args:
        path: of the YAML; the scenario has its name.

    Raises:
        ScenarioError: there is no such file, or an entry is wrong.
    """
    try:
        entries = read_mapping(path)
    except RobotError as error:
        raise ScenarioError(str(error)) from None
    return grab_of(path.stem, with_own_title(entries), str(path))


def find_grab(name: str) -> GrabScenario:
    """Return the scenario of a name, or of the path of a YAML file.

    Raises:
        ScenarioError: there is none, or an entry is wrong.
    """
    if name.endswith((".yaml", ".yml")):
        return grab_of_file(Path(name))
    return load_grab(name)


def grab_text(scenario: GrabScenario) -> str:
    """Return a scenario as the text of a file from which :func:`grab_of_file` reads the same."""
    entries = vars(scenario) | {"like": grab_names()[0]}
    del entries["name"]
    plain = {name: list(v) if isinstance(v, tuple) else v for name, v in entries.items()}
    return yaml.safe_dump(plain, sort_keys=False)


def grab_of(name: str, own: Mapping[str, Any], where: str) -> GrabScenario:
    """Return the scenario of a mapping.

    Args:
        name: of the scenario.
        own: its entries; what it does not say is that of the scenario that it is ``like``, or a
            default.
        where: they are from, for errors.

    Raises:
        ScenarioError: an entry is missing, unknown or wrong.
    """
    entries = with_like(own, _own, grab_names(), where)
    entries = _shipped()["defaults"] | entries | {"name": name}
    scenario = record_of(GrabScenario, entries, where)
    if scenario.impact_limits not in LIMITS_OF_GRABS:
        choices = ", ".join(LIMITS_OF_GRABS)
        raise ScenarioError(
            f"{where}: impact_limits: expected one of {choices}, got {scenario.impact_limits!r}"
        )
    positive = ("half_width", "reference_speed", "reference_ramp", "run_up", "grip_force")
    for entry in positive:
        if getattr(scenario, entry) <= 0.0:
            got = getattr(scenario, entry)
            raise ScenarioError(f"{where}: {entry}: expected a number above 0, got {got:g}")
    if not scenario.box_masses:
        raise ScenarioError(f"{where}: box_masses: expected at least one")
    return scenario


def _own(name: str) -> dict[str, Any]:
    """Return what a shipped scenario says of itself."""
    return _shipped()["scenarios"][name]
