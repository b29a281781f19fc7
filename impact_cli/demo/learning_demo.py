# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The demo `learn_wall`: an arm learns an unknown wall, and hits it faster."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from impact_cli.demo.demo_here import must_run_here
from impact_cli.learn_output import document_of, end_learned, learned_status
from impact_robots.exceptions import ImpactError
from impact_sim.scenarios import load_scenario

if TYPE_CHECKING:
    from impact_analysis.learning.learned_scenario import LearnedScenario
    from impact_predictor.learning.learning_box import LearningBox

WALL = "qp_panda_robust"  # the scenario that defines the wall
HITS = 5
Say = Callable[[dict[str, Any]], None]


def run_learning_demo(arguments: argparse.Namespace, new_folder: Callable[[], Path]) -> int:
    """Let the arm learn, over DDS where there is ROS 2, and return the exit status.

    Args:
        arguments: of the demo: seed, json.
        new_folder: makes the folder for what is written.

    Raises:
        ImpactError: the folder cannot be made, or the learner ended before its hits were made.
    """
    from impact_analysis.learning.learned_scenario import LearnedScenario
    from impact_analysis.learning.learned_table import header, hit_line

    started, here = time.monotonic(), must_run_here(realtime=False)
    learner = LearnedScenario(load_scenario(WALL), wall_unknown=True, seed=arguments.seed)
    folder, entries = new_folder(), list[dict[str, Any]]()

    def say(entry: dict[str, Any]) -> None:
        entries.append(entry)
        if not arguments.json:
            print(hit_line(len(entries), entry), flush=True)

    if not arguments.json:
        print(header(), flush=True)
    narrowed = (_here if here else _over_dds)(learner, folder, say)
    document = document_of(learner, entries, True, folder) | {"over_dds": not here}
    sentence, as_json = _sentence(entries), arguments.json
    end_learned(document, learner, narrowed, sentence, as_json=as_json, started=started)
    return learned_status(entries)


def _here(learner: LearnedScenario, folder: Path, say: Say) -> LearningBox:
    """Let the arm learn in this process; each hit starts from the same state."""
    from impact_analysis.learning.learned_table import hit_entry

    for step in learner.steps(HITS):
        say(hit_entry(step, learner))
    return step.learned.known.narrowed


def _over_dds(learner: LearnedScenario, folder: Path, say: Say) -> LearningBox:
    """Let the arm learn by a goal of the node; each hit starts from the last state."""
    from impact_analysis.learning.learned_table import goal_entry
    from impact_bags.reading.run_record import Run
    from impact_bringup.experiments.learning_experiment import learn_over_dds, learned_box

    run = Run(learner.scenario, "joint_load", folder / "run", seed=learner.seed)
    made = learn_over_dds(
        run,
        learner.box.surface,
        HITS,
        lambda feedback, truth: say(goal_entry(feedback, truth, learner)),
    )
    if not made.result.success:
        raise ImpactError(f"learn_surface: {made.result.message} (logs: {run.folder})")
    return learned_box(learner.box, made.result)


def _sentence(entries: list[dict[str, Any]]) -> str:
    first, last = entries[0], entries[-1]
    loads = [each["load_over_limit"] for each in entries if each["load_over_limit"] is not None]
    speeds = [each["contact_speed_mps"] for each in (first, last)]
    if None in speeds:
        return "An approach ended before its hit."
    return (
        f"The first hit, at the unknown wall: {speeds[0]:.3f} m/s; after {len(entries) - 1} hits:"
        f" {speeds[1]:.3f} m/s, {last['speed_share']:.0%} of the speed with perfect knowledge;"
        f" largest joint load: {max(loads):.2f} of its limit."
    )
