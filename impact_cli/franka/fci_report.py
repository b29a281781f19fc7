# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Report of hits through libfranka: a table, pictures, one JSON document."""

from __future__ import annotations

import textwrap
from pathlib import Path

from impact_analysis.demo.table import sentence, table
from impact_analysis.present.plain import json_text
from impact_bags.new_files import write_file
from impact_cli.franka.fci_run import FciRun

WIDTH = 88  # of text


def tell(runs: list[FciRun], folder: Path, *, json_only: bool) -> None:
    """Write and print the figures.

    Args:
        runs: the hits.
        folder: to write into.
        json_only: print only the JSON document.
    """
    report = {"runs": [run.as_json() for run in runs], "output_dir": str(folder)}
    write_file(folder / "table.json", json_text(report) + "\n")
    found = [(run.record, run.evaluation) for run in runs if run.evaluation is not None]
    if found and all(len(record.force.time) for record, _ in found):
        from impact_analysis.demo.plots import write_plots  # slow to load

        write_plots(found, folder)
    if json_only:
        print(json_text(report))
        return
    if found:
        evaluations = [evaluation for _, evaluation in found]
        stops = [", ".join(run.outcome.reflexes) or "no" for run in runs]
        print("\n" + table(evaluations, {"the arm stopped itself": stops}))
        print("\n" + textwrap.fill(sentence(evaluations), WIDTH) + "\n")
    for run in runs:
        dry = (
            f"zeros were sent, {run.computed:.1f} N.m computed; " if run.evaluation is None else ""
        )
        print(f"{run.controller}: {dry}{run.outcome.times.line()}")
    print(f"\nTable and recordings: {folder}; to look at them: impact view {folder}")
