# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The demo of a humanoid's grab: as planned, and faster under three controllers, over DDS."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from impact_analysis.demo.grab_evaluation import GrabRun, evaluate_grab
from impact_analysis.demo.grab_table import grab_sentence, grab_table
from impact_bags import impact_typestore
from impact_bags.writing.writer import Tap
from impact_cli.demo.demo_here import must_run_here
from impact_cli.demo.demo_viewer import demo_viewer
from impact_cli.ending import end_scenario
from impact_cli.progress import Progress
from impact_sim.humanoid.grab_scenario import GrabScenario
from impact_trials.grab.grab_bag import GrabBag
from impact_trials.grab.grab_cycle import GrabCycle
from impact_trials.grab.grab_notes import GrabNotes, Record
from impact_trials.grab.grab_trial import GrabTrial
from impact_trials.grab.haste import MODES, scenario_of_mode
from impact_trials.grab.outcome import GrabOutcome

USUAL = 14.0  # typical duration of a trial with one box, for the progress bar [s]
Simulated = tuple[GrabOutcome, GrabNotes]
Simulate = Callable[[GrabScenario, int, Path, Record, Tap | None], Simulated]


def run_grab_demo(arguments: argparse.Namespace, new_folder: Callable[[], Path]) -> int:
    """Run a scenario in all modes and return the exit status.

    Args:
        arguments: of the demo: the scenario itself, seed, json, options of the viewer.
        new_folder: makes the folder for what is written.

    Raises:
        ImpactError: the folder cannot be made, the box is out of reach, or no palm touched it.
    """
    with demo_viewer(arguments, arguments.scenario.robot) as viewer:
        started, folder = time.monotonic(), new_folder()
        here = _runs_here(arguments.scenario)
        simulate = run_grab_here if here else run_grab_over_dds
        runs = []
        for index, mode in enumerate(MODES):
            viewer.begin(mode)
            progress = Progress(f"[{index + 1}/{len(MODES)}] {mode}")
            asked = scenario_of_mode(arguments.scenario, mode)
            settings = arguments.seed, folder / mode, viewer.tap
            runs.append(_run(simulate, asked, mode, settings, progress))
        evaluations = [run.evaluation for run in runs]
        _draw(runs, folder)
        end_scenario(
            arguments,
            folder,
            evaluations,
            lambda: (grab_table(evaluations), grab_sentence(evaluations)),
            started,
        )
        viewer.watch()
    return 0


def _runs_here(scenario: GrabScenario) -> bool:
    """Return whether it runs in this process: without ROS 2, or by torques (not in the nodes)."""
    if scenario.interface == "torque":
        return True
    return must_run_here(realtime=False, experiment="impact_bringup.experiments.grab_experiment")


def _run(
    simulate: Simulate,
    scenario: GrabScenario,
    mode: str,
    settings: tuple[int, Path, Tap | None],
    progress: Progress,
) -> GrabRun:
    """Run, record and evaluate one mode."""
    longest, cycles = USUAL * len(scenario.box_masses), list[GrabCycle]()
    seed, folder, tap = settings

    def record(cycle: GrabCycle) -> None:
        cycles.append(cycle)
        progress.update(cycle.time / longest, f"{cycle.time:.2f} s simulated")

    outcome, notes = simulate(scenario, seed, folder, record, tap)
    progress.close(f"done, {cycles[-1].time:.2f} s simulated")
    if outcome.failure:
        print(f"{mode}: failed: {outcome.failure}", file=sys.stderr)
    return GrabRun(evaluate_grab(scenario, mode, outcome), notes, cycles)


def run_grab_here(
    scenario: GrabScenario, seed: int, folder: Path, record: Record, tap: Tap | None
) -> Simulated:
    """Run one grab in this process, and record it; arguments as of :func:`run_grab_over_dds`."""
    folder.mkdir()
    with GrabBag(folder / "bag", scenario, impact_typestore(), tap=tap) as bag:

        def both(cycle: GrabCycle) -> None:
            bag.add(cycle)
            record(cycle)

        trial = GrabTrial(scenario, seed=seed, record=both)
        return trial.run(), trial.notes


def run_grab_over_dds(
    scenario: GrabScenario, seed: int, folder: Path, record: Record, tap: Tap | None
) -> Simulated:
    """Run one grab, simulator and controller in processes of their own, and record it.

    Args:
        scenario: of the grab.
        seed: of noise and of varied quantities.
        folder: new folder for the recording and the logs.
        record: called with each cycle.
        tap: called with each recorded message.

    Raises:
        ImpactError: the experiment failed.
    """
    from impact_bags.reading.run_record import Run
    from impact_bringup.experiments.grab_experiment import grab_over_dds

    made: list[GrabNotes] = []

    def attend(plant: Any) -> None:
        notes = GrabNotes(plant.stage, record)
        made.append(notes)
        plant.on_cycle = notes.note_message

    grab_over_dds(Run(scenario, "", folder, seed=seed, tap=tap), attend)
    (notes,) = made
    return notes.outcome(), notes


def _draw(runs: list[GrabRun], folder: Path) -> None:
    """Write the pictures; imported late because drawing is slow to load."""
    from impact_analysis.demo.grab_plots import write_grab_plots

    write_grab_plots(runs, folder)
