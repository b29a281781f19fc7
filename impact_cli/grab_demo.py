# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The demo of a humanoid's grab: as planned, and in haste under three controllers, in process."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

from rosbags.typesys.store import Typestore

from impact_analysis.demo.grab_evaluation import GrabRun, evaluate_grab
from impact_analysis.demo.grab_table import grab_sentence, grab_table
from impact_bags import impact_typestore
from impact_cli.demo_ending import end_demo
from impact_cli.progress import Progress
from impact_robots.loader import load_robot
from impact_sim.humanoid.grab_scenario import GrabScenario
from impact_trials.grab.grab_bag import GrabBag
from impact_trials.grab.grab_cycle import GrabCycle
from impact_trials.grab.grab_trial import GrabTrial
from impact_trials.grab.haste import MODES, scenario_of_mode

HERE = "in this process, not over DDS: a humanoid has no node"
USUAL = 14.0  # of a trial with one box, for the bar [s]


def run_grab_demo(arguments: argparse.Namespace, new_folder: Callable[[], Path]) -> int:
    """Run a scenario in all modes and return the exit status.

    Args:
        arguments: of the demo: the scenario itself, seed, json.
        new_folder: makes the folder for what is written.

    Raises:
        ImpactError: the folder cannot be made, the box is out of reach, or no palm touched it.
    """
    started, folder = time.monotonic(), new_folder()
    print(f"demo: {arguments.scenario.name}: {HERE}", file=sys.stderr)
    runs = _runs(arguments.scenario, arguments.seed, folder)
    evaluations = [run.evaluation for run in runs]
    _draw(runs, folder)
    entries = [each.as_json() for each in evaluations]
    end_demo(
        arguments,
        entries,
        folder,
        started,
        lambda: (grab_table(evaluations), grab_sentence(evaluations)),
    )
    return 0


def _runs(scenario: GrabScenario, seed: int, folder: Path) -> list[GrabRun]:
    """Run, record and evaluate all modes, one after the other."""
    types, runs = impact_typestore(), []
    for index, mode in enumerate(MODES):
        progress = Progress(f"[{index + 1}/{len(MODES)}] {mode}")
        asked = scenario_of_mode(scenario, mode)
        run = _recorded(asked, mode, seed, folder / mode / "bag", types, progress)
        progress.close(f"done, {run.cycles[-1].time:.2f} s simulated")
        if run.evaluation.outcome.failure:
            print(f"{mode}: gave up: {run.evaluation.outcome.failure}", file=sys.stderr)
        runs.append(run)
    return runs


def _recorded(
    scenario: GrabScenario, mode: str, seed: int, path: Path, types: Typestore, progress: Progress
) -> GrabRun:
    """Run one mode and record it."""
    longest, cycles = USUAL * len(scenario.box_masses), list[GrabCycle]()
    path.parent.mkdir()
    with GrabBag(path, load_robot(scenario.robot), types) as bag:

        def record(cycle: GrabCycle) -> None:
            cycles.append(cycle)
            bag.add(cycle)
            progress.update(cycle.time / longest, f"{cycle.time:.2f} s simulated")

        trial = GrabTrial(scenario, seed=seed, record=record)
        return GrabRun(evaluate_grab(scenario, mode, trial.run()), trial, cycles)


def _draw(runs: list[GrabRun], folder: Path) -> None:
    """Write the pictures; imported late because drawing is slow to load."""
    from impact_analysis.demo.grab_plots import write_grab_plots

    write_grab_plots(runs, folder)
