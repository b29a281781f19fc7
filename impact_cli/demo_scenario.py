# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which scenarios the demo shows: those with a wall by name, those with a box also by file."""

from __future__ import annotations

import argparse

from impact_cli.view_options import PORT
from impact_robots.exceptions import ImpactError, UsageError
from impact_sim.cell.spreading_file import spreading_names
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_sim.scenario_choice import find_scenario
from impact_sim.scenarios import scenario_names

LEARN_WALL = "learn_wall"  # a wall of which nothing is known, hit again and again
NOT_WITH_BOX = {"realtime": False, "view": False, "port": PORT, "no_browser": False, "fci": None}


def demo_scenario(text: str) -> str | SpreadingScenario:
    """Return the name of a scenario with a wall, or a scenario with a box, of a file or by name.

    Raises:
        ArgumentTypeError: it is none of them, or the file is wrong; says how.
    """
    if text == LEARN_WALL or text in scenario_names():
        return text
    by_file = text.endswith((".yaml", ".yml"))
    try:
        scenario = find_scenario(text) if by_file or text in spreading_names() else None
    except ImpactError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if not isinstance(scenario, SpreadingScenario):
        choices = ", ".join((*scenario_names(), LEARN_WALL, *spreading_names()))
        raise argparse.ArgumentTypeError(
            f"expected one of {choices} or a YAML like one of rs_*, got {text!r}"
        )
    return scenario


def refuse_with_box(arguments: argparse.Namespace, others: tuple[str, ...]) -> None:
    """Refuse options of the demo that would do nothing in a scenario with a box.

    Args:
        arguments: of the demo.
        others: names of options that are off if None or False.

    Raises:
        UsageError: one is given; says which.
    """
    refuse_options(arguments, others, f"not with a box, as in {arguments.scenario.name}")


def refuse_options(arguments: argparse.Namespace, others: tuple[str, ...], why: str) -> None:
    """Refuse options of the demo that would do nothing.

    Args:
        arguments: of the demo.
        others: names of options that are off if None or False, beside those of ``NOT_WITH_BOX``.
        why: ends the line of the error.

    Raises:
        UsageError: one is given; says which.
    """
    for name, default in (NOT_WITH_BOX | dict.fromkeys(others)).items():
        value = getattr(arguments, name)
        if value is not None and value is not False and value != default:
            raise UsageError(f"--{name.replace('_', '-')}: {why}")
