# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Report of hits through libfranka: a table, pictures, one JSON document."""

from __future__ import annotations

from pathlib import Path

from impact_analysis.demo.evaluation import Evaluation
from impact_analysis.demo.table import sentence, table
from impact_cli.ending import end_runs
from impact_cli.franka.fci_run import FciRun


def tell(runs: list[FciRun], folder: Path, *, json_only: bool) -> None:
    """Write and print the figures.

    Args:
        runs: the hits.
        folder: to write into.
        json_only: print only the JSON document.
    """
    found = [(run.record, run.evaluation) for run in runs if run.evaluation is not None]
    if found and all(len(record.force.time) for record, _ in found):
        from impact_analysis.demo.plots import write_plots  # slow to load

        write_plots(found, folder)
    end_runs(
        folder / "table.json",
        {"runs": [run.as_json() for run in runs]},
        lambda: _text(runs, [evaluation for _, evaluation in found]),
        as_json=json_only,
        where="Table and recordings: {0}; to look at them: impact view {0}",
    )


def _text(runs: list[FciRun], evaluations: list[Evaluation]) -> tuple[str, str]:
    """Return the table with what each loop took, and the summary."""
    lines = []
    for run in runs:
        dry = f"zeros were sent, {run.computed:.1f} N.m computed; " * (run.evaluation is None)
        lines.append(f"{run.controller}: {dry}{run.outcome.times.line()}")
    if not evaluations:
        return "\n".join(lines), ""
    stops = [", ".join(run.outcome.reflexes) or "no" for run in runs]
    figures = table(evaluations, {"the arm stopped itself": stops})
    return "\n".join(["", figures, "", *lines]), sentence(evaluations)
