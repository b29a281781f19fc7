# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The scenarios of the demo: those with a wall by name, those with boxes also by file."""

from __future__ import annotations

import argparse

from impact_cli.options.view_options import PORT
from impact_robots.exceptions import ImpactError, UsageError
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_sim.humanoid.grab_scenario import GrabScenario
from impact_sim.scenario_choice import find
from impact_sim.scenarios import scenario_names

LEARN_WALL = "learn_wall"  # an unknown wall, hit repeatedly
HAMMER_NAIL = "hammer_nail"  # a nail, driven with a hammer
VIEW = {"view": False, "port": PORT, "no_browser": False}
NOT_WITH_BOX = {"realtime": False, "fci": False, **VIEW}


def demo_scenario(text: str) -> str | SpreadingScenario | GrabScenario:
    """Return the name of a scenario with a wall, or a scenario with boxes, of a file or by name.

    Raises:
        ArgumentTypeError: there is no such scenario, or the file is wrong.
    """
    walls = (*scenario_names(), LEARN_WALL, HAMMER_NAIL)
    if text in walls:
        return text
    try:
        return find(text, SpreadingScenario, GrabScenario, also=walls)
    except ImpactError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def refuse_with_box(arguments: argparse.Namespace, others: tuple[str, ...]) -> None:
    """Refuse options of the demo that have no effect in a scenario with a box.

    Args:
        arguments: of the demo.
        others: names of options that are off if None or False.

    Raises:
        UsageError: one is given; named in the message.
    """
    shown = VIEW if isinstance(arguments.scenario, GrabScenario) else ()
    why = f"not with a box, as in {arguments.scenario.name}"
    refuse_options(arguments, others, why, tuple(shown))


def refuse_options(
    arguments: argparse.Namespace,
    others: tuple[str, ...],
    why: str,
    allowed: tuple[str, ...] = (),
) -> None:
    """Refuse options of the demo that have no effect.

    Args:
        arguments: of the demo.
        others: names of options that are off if None or False, beside those of ``NOT_WITH_BOX``.
        why: ends the line of the error.
        allowed: names of options of ``NOT_WITH_BOX`` that do have an effect.

    Raises:
        UsageError: one is given; named in the message.
    """
    for name, default in (NOT_WITH_BOX | dict.fromkeys(others)).items():
        value = getattr(arguments, name)
        if name not in allowed and value is not None and value is not False and value != default:
            raise UsageError(f"--{name.replace('_', '-')}: {why}")
