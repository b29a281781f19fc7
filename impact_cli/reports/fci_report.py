# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the demo through libfranka tells: a table, pictures, one JSON document."""

from __future__ import annotations

import argparse
import json
import textwrap
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from impact_analysis.demo.evaluation import Evaluation
from impact_analysis.demo.table import sentence, table
from impact_bags.new_files import write_file
from impact_bags.run_record import RunRecord
from impact_drivers.franka.hit_process import HitOutcome

WIDTH = 88  # of text


@dataclass(frozen=True)
class FciRun:
    """One controller's hit."""

    controller: str
    outcome: HitOutcome
    record: RunRecord
    evaluation: Evaluation | None  # none: of a dry run

    def as_json(self) -> dict:
        """Return the figures, with the keys of the other demo and what only an arm can tell."""
        times, found = self.outcome.times, self.evaluation
        return ({"controller": self.controller} if found is None else found.as_json()) | {
            "largest_computed_torque_nm": self.computed,
            "reflexes": list(self.outcome.reflexes),
            "stopped_by": self.outcome.fault or None,
            "loop_p50_us": times.p50,
            "loop_p99_us": times.p99,
            "states_skipped": times.skipped,
            "success_rate": None if np.isnan(times.success_rate) else times.success_rate,
        }

    @property
    def computed(self) -> float:
        """Largest torque that the controller answered with, without gravity [N.m]."""
        answers = [cycle.answer for cycle in self.outcome.controlled if cycle.answer is not None]
        return max((float(np.abs(each.driver_torque).max()) for each in answers), default=0.0)


def tell(runs: list[FciRun], folder: Path, arguments: argparse.Namespace) -> None:
    """Write and print the figures."""
    report = {"runs": [run.as_json() for run in runs], "output_dir": str(folder)}
    write_file(folder / "table.json", json.dumps(report, indent=2) + "\n")
    found = [(run.record, run.evaluation) for run in runs if run.evaluation is not None]
    if found and not arguments.fci:
        from impact_analysis.demo.plots import write_plots  # slow to load

        write_plots(found, folder)
    if arguments.json:
        print(json.dumps(report, indent=2))
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
    print(f"\nTable and recordings: {folder}")
