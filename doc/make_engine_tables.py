# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of engines in doc/reproduce.md from doc/results/engines.json.

Example:
    ./impact reproduce engines --json > doc/results/engines.json
    ./impact shell -- python doc/make_engine_tables.py
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from make_joint_load_figures import between

HERE = Path(__file__).parent
PAGE, RESULTS = HERE / "reproduce.md", HERE / "results" / "engines.json"
START = "<!-- tables: written by make_engine_tables.py -->\n"
LAWS = {
    "median_difference": ("velocities, median", ".3%"),
    "largest_difference": ("largest", ".1%"),
    "momentum_error": ("momentum error", ".0e"),
    "energy_gained": ("gain energy", ""),
    "cone_violations": ("outside the cone", ""),
    "largest_outside_cone": ("by, at most", ".0%"),
    "separating_with_impulse": ("lift off with an impulse", ""),
    "fastest_separating": ("at, at most", ".0%"),
    "penetrating": ("penetrate", ""),
    "fastest_penetrating": ("at, at most", ".2%"),
}
REASONS = {
    "largest_coulomb_residual": ("off Coulomb's law", ".1e"),
    "largest_own_law_residual": ("off its own law", ".1e"),
    "laws_agree": ("impacts where both laws have the map's answer", ""),
    "largest_difference_where_laws_agree": ("velocities there, largest", ".2%"),
    "median_difference_where_laws_differ": ("elsewhere, median", ".1%"),
    "median_impulse_difference": ("impulses, median", ".0%"),
}


def main() -> None:
    """Write the tables."""
    PAGE.write_text(page(PAGE.read_text(), json.loads(RESULTS.read_text())))


def page(text: str, document: dict[str, Any]) -> str:
    """Return the page's text with the tables of a study's document."""
    (table,) = document["tables"]
    found = table["studies"]["laws"]
    return between(text, START, [_engines(found, LAWS), _engines(found, REASONS)])


def _engines(found: Sequence[dict[str, Any]], columns: dict[str, tuple[str, str]]) -> str:
    """Return one line an engine."""
    lines = [["", *(title for title, _ in columns.values())], ["---"] * (len(columns) + 1)]
    for each in found:
        cells = [format(each[key], form) for key, (_, form) in columns.items()]
        lines.append([each["engine"], *cells])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    main()
