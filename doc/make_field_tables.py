# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of velocity fields in doc/reference_spreading.md from doc/results/fields.json.

Example:
    ./impact reproduce fields --json > doc/results/fields.json
    ./impact shell -- python doc/make_field_tables.py
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from make_joint_load_figures import between

HERE = Path(__file__).parent
PAGE, RESULTS = HERE / "reference_spreading.md", HERE / "results" / "fields.json"
START = "<!-- tables: written by make_field_tables.py -->\n"
WAYS = {"near": "nearer", "far": "farther", "left": "to the left arm", "right": "to the right arm"}


def main() -> None:
    """Write the table."""
    PAGE.write_text(page(PAGE.read_text(), json.loads(RESULTS.read_text())))


def page(text: str, document: Mapping[str, Any]) -> str:
    """Return the page's text with the table of a study's document."""
    figures = {"peak over that of `rs`": (document["peak_over_rs"], ".2f")}
    for mode, success in document["success"].items():
        figures[f"`{mode}`: succeeded"] = success, ".0%"
    lines = [["", "box aside", *figures], ["---"] * (2 + len(figures))]
    for kind, sides in document["peak_over_rs"].items():
        for side, distances in sides.items():
            for distance in distances:
                cells = [format(of[kind][side][distance], form) for of, form in figures.values()]
                aside = f"{1e3 * float(distance):.0f} mm {WAYS[side]}"
                lines.append([kind, aside, *cells])
    return between(text, START, ["\n".join(f"| {' | '.join(line)} |" for line in lines)])


if __name__ == "__main__":
    main()
