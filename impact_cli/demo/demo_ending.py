# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Output of a demo that ran in this process: its table as text and as JSON."""

from __future__ import annotations

import argparse
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from impact_analysis.present.plain import json_text
from impact_bags.new_files import write_file


def end_demo(
    arguments: argparse.Namespace,
    runs: list[dict[str, Any]],
    folder: Path,
    started: float,
    text: Callable[[], tuple[str, str]],
) -> None:
    """Write the document, and print it or the table.

    Args:
        arguments: of the demo: the scenario itself, seed, json.
        runs: entries of the document.
        folder: output folder.
        started: start time, monotonic clock [s].
        text: returns the table and its summary.

    Raises:
        WriteError: the document cannot be written.
    """
    scenario = arguments.scenario
    about = {"scenario": scenario.name, "seed": arguments.seed}
    document = json_text(about | {"runs": runs, "output_dir": str(folder)})
    write_file(folder / "table.json", document + "\n")
    if arguments.json:
        print(document)
        return
    table, sentence = text()
    print(f"\n{scenario.name}: {scenario.title}\n\n{table}\n")
    print(textwrap.fill(sentence, 88))
    print(f"\nTable, pictures and recordings: {folder}")
    print(f"Took {time.monotonic() - started:.0f} s.")
