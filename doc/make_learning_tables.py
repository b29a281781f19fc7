# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of doc/learning.md from what the study has found, doc/results/learn.json.

Example:
    ./impact reproduce learn --json > doc/results/learn.json
    ./impact shell -- python doc/make_learning_tables.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from make_joint_load_figures import between, promises

HERE = Path(__file__).parent
PAGE, RESULTS = HERE / "learning.md", HERE / "results" / "learn.json"
START = "<!-- tables: written by make_learning_tables.py -->\n"


def main() -> None:
    """Write the tables."""
    PAGE.write_text(page(PAGE.read_text(), json.loads(RESULTS.read_text())))


def page(text: str, document: dict[str, Any]) -> str:
    """Return the page's text with the tables of a study's document."""
    (table,) = document["tables"]
    parts = [promises(table["rows"]), cases(table["studies"]["learn_cases"])]
    return between(text, START, parts)


def cases(found: list[dict[str, Any]]) -> str:
    """Return one line a case: speeds by hit, loads, hits above a limit, contradictions, ranges."""
    hits = [hit["hit"] for hit in found[0]["speed_share"]]
    header = ["case", "truths", f"speed at hit {', '.join(map(str, hits))}: median/5 %"]
    header += ["highest load", "above a limit", "contradictions", "inside"]
    lines = [header, ["---"] * len(header)]
    for each in found:
        speeds = [f"{hit['median']:.2f}/{hit['percentile_5']:.2f}" for hit in each["speed_share"]]
        load, over = f"{each['highest_load']:.2f}", str(each["over_limit"])
        if each["highest_load_at_exchange"] is not None:
            load += f"; first on another wall {each['highest_load_at_exchange']:.1f}"
            over += f"; {each['over_limit_at_exchange']} first ones"
        line = [each["case"], str(each["truths"]), ", ".join(speeds), load]
        line += [f"{over} of {each['hits']}", str(each["contradictions"])]
        lines.append([*line, f"{each['wall_in_interval']:.0%}, {each['joints_in_interval']:.0%}"])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    main()
