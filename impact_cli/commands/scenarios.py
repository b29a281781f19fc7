# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `scenarios`: lists the named scenarios."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

from impact_analysis.present.plain import json_text
from impact_analysis.present.table import aligned
from impact_cli.command_names import COMMANDS
from impact_sim.humanoid.grab_file import grab_names, load_grab
from impact_sim.scenario_choice import find_scenario, simulated_names


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the command's parser to what ``ArgumentParser.add_subparsers`` returned."""
    parser = subparsers.add_parser(
        "scenarios",
        help=COMMANDS["scenarios"],
        description="List the named scenarios.",
        epilog="example:\n  impact scenarios --json",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print everything about them as JSON")
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Print the scenarios."""
    scenarios = [*map(find_scenario, simulated_names()), *map(load_grab, grab_names())]
    if arguments.json:
        print(json_text({"scenarios": list(map(_document, scenarios))}))
        return 0
    notes = (f"; {each.note}" if each.note else "" for each in scenarios)
    rows = [(each.name, f"{each.title}{note}") for each, note in zip(scenarios, notes, strict=True)]
    print(*aligned(rows, left=(0, 1)), sep="\n")
    return 0


def _document(scenario: Any) -> dict[str, Any]:
    """Return a scenario's document, with robot and bases of its cell (one kind of arm)."""
    document = asdict(scenario)
    if document.pop("cell", None) is not None:
        document |= {"robot": scenario.cell.kinds[0], "bases": scenario.bases}
    return document
