# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of maps in doc/reference_spreading.md from doc/results/references.json.

Example:
    ./impact reproduce engines --setups 1 --trials 2 --json > doc/results/references.json
    ./impact shell -- python doc/make_reference_tables.py
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from make_joint_load_figures import between

HERE = Path(__file__).parent
PAGE, RESULTS = HERE / "reference_spreading.md", HERE / "results" / "references.json"
START = "<!-- tables: written by make_reference_tables.py -->\n"
COLUMNS = {  # of a scenario's figures: title, what a figure is multiplied by, digits
    "along": ("along the approach [m/s]", 1.0, 3),
    "up": ("up [m/s]", 1.0, 3),
    "peak": ("peak [m/s^2]", 1.0, 2),
    "net": ("integral [m/s]", 1.0, 2),
    "slip": ("slip [mm]", 1e3, 1),
    "succeeded": ("succeeded", 1.0, 0),
}


def main() -> None:
    """Write the table."""
    PAGE.write_text(page(PAGE.read_text(), json.loads(RESULTS.read_text())))


def page(text: str, document: dict[str, Any]) -> str:
    """Return the page's text with the table of a study's document."""
    return between(text, START, [_scenarios(document["references"])])


def _scenarios(entries: Sequence[dict[str, Any]]) -> str:
    """Return one line a scenario, with the figures of each map."""
    lines = [["", *(title for title, *_ in COLUMNS.values())], ["---"] * (len(COLUMNS) + 1)]
    for name in dict.fromkeys(each["scenario"] for each in entries):
        own = [each for each in entries if each["scenario"] == name]
        cells = [_cell([each[key] for each in own], *form) for key, (_, *form) in COLUMNS.items()]
        lines.append([f"`{name}`", *cells])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(values: Sequence[float | None], factor: float, digits: int) -> str:
    """Return the figures of each map, or nothing if there are none."""
    known = [value for value in values if value is not None]
    rounded = [round(factor * value, digits) + 0.0 for value in known]  # none is -0
    return " / ".join(f"{value:.{digits}f}" for value in rounded)


if __name__ == "__main__":
    main()
