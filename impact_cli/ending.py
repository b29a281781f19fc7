# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""How runs end: a table and its summary, or one JSON document, and the output folder."""

from __future__ import annotations

import argparse
import textwrap
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from impact_analysis.present.plain import json_text
from impact_bags.new_files import write_file


def end_scenario(
    arguments: argparse.Namespace,
    folder: Path,
    evaluations: Sequence[Any],
    text: Callable[[], tuple[str, str]],
    started: float,
) -> None:
    """End the runs of one scenario with boxes; the scenario's title heads the table.

    Args:
        arguments: of the demo: the scenario itself, seed, json.
        folder: output folder.
        evaluations: of the runs.
        text: returns the table and its summary.
        started: start time, monotonic clock [s].

    Raises:
        WriteError: the document cannot be written.
    """
    scenario, runs = arguments.scenario, [each.as_json() for each in evaluations]
    document = {"scenario": scenario.name, "seed": arguments.seed, "runs": runs}

    def headed() -> tuple[str, str]:
        table, sentence = text()
        return f"\n{scenario.name}: {scenario.title}\n\n{table}", sentence

    end_runs(folder / "table.json", document, headed, as_json=arguments.json, started=started)


def end_runs(
    file: Path,
    document: dict[str, Any],
    text: Callable[[], tuple[str, str]],
    *,
    as_json: bool,
    where: str = "Table, pictures and recordings: {0}; to look at them: impact view {0}",
    started: float | None = None,
) -> None:
    """Write the document, and print it or a text.

    Args:
        file: path of the document, in the output folder.
        document: the runs as JSON; the output folder is added.
        text: returns the table and its summary.
        as_json: print the document, not the text.
        where: last line of the text, with the folder as {0}.
        started: start time, monotonic clock [s]; None: no time is printed.

    Raises:
        WriteError: the document cannot be written.
    """
    written = json_text(document | {"output_dir": str(file.parent)})
    write_file(file, written + "\n")
    if as_json:
        print(written)
        return
    table, sentence = text()
    if sentence:
        table += "\n\n" + textwrap.fill(sentence[0].upper() + sentence[1:], 88)
    print(f"{table}\n\n{where.format(file.parent)}")
    if started is not None:
        print(f"Took {time.monotonic() - started:.0f} s.")
