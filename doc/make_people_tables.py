# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of doc/people.md from what the study has found, doc/results/people.json.

Example:
    ./impact reproduce people --json > doc/results/people.json
    ./impact shell -- python doc/make_people_tables.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from make_joint_load_figures import between, promises

HERE = Path(__file__).parent
PAGE, RESULTS = HERE / "people.md", HERE / "results" / "people.json"
START = "<!-- tables: written by make_people_tables.py -->\n"
TITLES = {"percentile_5": "5 %", "percentile_95": "95 %"}


def main() -> None:
    """Write the tables."""
    PAGE.write_text(page(PAGE.read_text(), json.loads(RESULTS.read_text())))


def page(text: str, document: dict[str, Any]) -> str:
    """Return the page's text with the tables of a study's document."""
    (table,) = document["tables"]
    parts = [promises(table["rows"]), *map(shares, table["studies"].values())]
    return between(text, START, parts)


def shares(found: list[dict[str, Any]]) -> str:
    """Return one line a group: what is used of a limit or a promise."""
    lines = [[TITLES.get(key, key.replace("_", " ")) for key in found[0]], ["---"] * len(found[0])]
    lines += [[_cell(value) for value in each.values()] for each in found]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    main()
