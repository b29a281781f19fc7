# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of doc/hitting_hardest.md from the study's doc/results/hammer.json.

Example:
    ./impact reproduce hammer --json > doc/results/hammer.json
    ./impact shell -- python doc/make_strike_tables.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from make_joint_load_figures import between, promises
from make_people_tables import shares

HERE = Path(__file__).parent
PAGE, RESULTS = HERE / "hitting_hardest.md", HERE / "results" / "hammer.json"
START = "<!-- tables: written by make_strike_tables.py -->\n"


def main() -> None:
    """Write the tables."""
    PAGE.write_text(page(PAGE.read_text(), json.loads(RESULTS.read_text())))


def page(text: str, document: dict[str, Any]) -> str:
    """Return the page's text with the tables of a study's document."""
    (table,) = document["tables"]
    parts = [promises(table["rows"]), *map(shares, table["studies"].values())]
    return between(text, START, parts)


if __name__ == "__main__":
    main()
