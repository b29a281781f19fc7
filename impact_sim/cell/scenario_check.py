# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Refuses scenarios that cannot be simulated."""

from __future__ import annotations

from impact_robots.exceptions import RobotError
from impact_robots.task.box_file import check_box_task
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_sim.exceptions import ScenarioError, SimulationError

_FRICTION = {"coulomb", "viscous"}


def checked(scenario: SpreadingScenario, where: str) -> SpreadingScenario:
    """Return a scenario if its cell can be built and its arms move towards the box.

    Args:
        scenario: whose entries are of the right type.
        where: its source, for error messages.

    Raises:
        ScenarioError: an entry is wrong; named in the message.
    """
    _check_mappings(scenario, where)
    check_box_task(scenario.task, where)
    try:
        scenario.layout(scenario.drawn(0))
    except (RobotError, SimulationError) as error:
        raise ScenarioError(f"{where}: {error}") from None
    return scenario


def _check_mappings(scenario: SpreadingScenario, where: str) -> None:
    """Refuse unknown keys inside entries.

    Raises:
        ScenarioError: there are some.
    """
    if scenario.motor_friction and set(scenario.motor_friction) != _FRICTION:
        got = ", ".join(map(str, scenario.motor_friction))
        raise ScenarioError(f"{where}: motor_friction: expected coulomb and viscous, got {got}")
    for key, value in scenario.variation.items():
        numbers = isinstance(value, list | tuple) and len(value) == 3
        if key != "box" or not numbers or not all(_is_size(each) for each in value):
            raise ScenarioError(f"{where}: variation: expected box: three numbers from 0")


def _is_size(value: object) -> bool:
    """Return whether a value is a number from 0."""
    return isinstance(value, int | float) and 0.0 <= value < float("inf")
