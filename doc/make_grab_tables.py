# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of HRP-4's troubles in doc/grabs.md from doc/results/hrp4.json.

Example:
    ./impact reproduce hrp4 --json > doc/results/hrp4.json
    ./impact shell -- python doc/make_grab_tables.py
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from make_joint_load_figures import between

HERE = Path(__file__).parent
PAGE, RESULTS = HERE / "grabs.md", HERE / "results" / "hrp4.json"
START = "<!-- tables: written by make_grab_tables.py -->\n"
HEADER = (
    "what",
    "falls",
    "the grab",
    "palm speed [m/s]",
    "wrist torque / limit",
    "lift [m]",
    "margin up to the lift, from the turn on [m]",
)
LIFTED = 0.08  # lift of a box that does not slip, of 0.1 m [m]


def main() -> None:
    """Write the table."""
    PAGE.write_text(page(PAGE.read_text(), json.loads(RESULTS.read_text())))


def page(text: str, document: Mapping[str, Any]) -> str:
    """Return the page's text with the table of a study's document."""
    (table,) = document["tables"]
    lines = [HEADER, ["---"] * len(HEADER), *map(line, table["studies"]["troubles"])]
    return between(text, START, ["\n".join(f"| {' | '.join(each)} |" for each in lines)])


def line(trouble: Mapping[str, Any]) -> list[str]:
    """Return the cells of one trial."""
    ended = trouble["gave_up"] or ("" if trouble["lift_m"] >= LIFTED else "the box slips")
    numbers = [
        "" if trouble[key] is None else f"{trouble[key]:{form}}"
        for key, form in (
            ("palm_speed_most_mps", ".3f"),
            ("wrist_torque_over_limit", ".2f"),
            ("lift_m", ".3f"),
        )
    ]
    margins = [trouble["zmp_margin_m"], trouble["zmp_margin_toss_m"]]
    shown = ", ".join("-" if each is None else f"{abs(each):.3f}" for each in margins)
    falls = "**yes**" if trouble["fell"] else "no"
    return [trouble["trouble"], falls, ended or "done", *numbers, shown]


if __name__ == "__main__":
    main()
