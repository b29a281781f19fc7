# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The demo of reference spreading: the same impact in five modes, in this process."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rosbags.typesys.store import Typestore

from impact_analysis.demo.spreading_evaluation import (
    MODES,
    SpreadingEvaluation,
    evaluate_spreading,
)
from impact_analysis.demo.spreading_table import spreading_sentence, spreading_table
from impact_bags import impact_typestore
from impact_cli.ending import end_scenario
from impact_cli.progress import Progress
from impact_qp.arms.plans import USUAL_MAP, SpreadChoice
from impact_qp.spreading import Variant
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_trials.in_process.spreading_trial import SpreadingRun, spread
from impact_trials.recording.cell_bag import CellBag

HERE = "in this process, not over DDS (launch/cell.launch.py starts the nodes)"
Runs = list[tuple[SpreadingRun, SpreadingEvaluation]]


def run_spreading_demo(arguments: argparse.Namespace, new_folder: Callable[[], Path]) -> int:
    """Run a scenario with a box in all modes and return the exit status.

    Args:
        arguments: of the demo: the scenario itself, object_map, seed, json.
        new_folder: makes the folder for what is written.

    Raises:
        ImpactError: the folder cannot be made, or no plate touched the box.
    """
    started, scenario, folder = time.monotonic(), arguments.scenario, new_folder()
    print(f"demo: {scenario.name}: {HERE}", file=sys.stderr)
    object_map = arguments.object_map or USUAL_MAP
    runs = _runs(scenario, object_map, arguments.seed, folder)
    evaluations = [evaluation for _, evaluation in runs]
    _draw(scenario, runs, folder)
    end_scenario(
        arguments,
        folder,
        evaluations,
        lambda: (spreading_table(evaluations), spreading_sentence(evaluations)),
        started,
    )
    return 0


def _runs(scenario: SpreadingScenario, object_map: str, seed: int, folder: Path) -> Runs:
    """Run, record and evaluate all modes, one after the other."""
    types, runs = impact_typestore(), []
    for index, mode in enumerate(MODES):
        progress = Progress(f"[{index + 1}/{len(MODES)}] {mode}")
        choice = SpreadChoice(Variant(mode), object_map=object_map)
        run = _recorded(scenario, choice, seed, folder / mode / "bag", types, progress)
        progress.close(f"done, {run.log.times[-1]:.2f} s simulated")
        evaluation = evaluate_spreading(scenario, mode, run)
        if evaluation.stopped:
            print(f"{mode}: a controller stopped: {', '.join(evaluation.why)}", file=sys.stderr)
        runs.append((run, evaluation))
    return runs


def _recorded(
    scenario: SpreadingScenario,
    choice: SpreadChoice,
    seed: int,
    path: Path,
    types: Typestore,
    progress: Progress,
) -> SpreadingRun:
    """Run one mode and record it."""
    longest = scenario.run_up + scenario.after_contact
    path.parent.mkdir()
    with CellBag(path, scenario.cell, types) as bag:

        def record(*cycle: Any) -> None:
            bag.add(*cycle)
            now = cycle[0][0].measurement.time
            progress.update(now / longest, f"{now:.2f} s simulated")

        return spread(scenario, seed, choice, record=record)


def _draw(scenario: SpreadingScenario, runs: Runs, folder: Path) -> None:
    """Write the pictures; imported late because drawing is slow to load."""
    from impact_analysis.demo.spreading_plots import write_spreading_plots

    write_spreading_plots(scenario, runs, folder)
