# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `learn`: a simulated arm learns a wall and its joints from its own hits."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from impact_cli.command_names import COMMANDS
from impact_cli.learn_output import document_of, end_learned, learned_status
from impact_cli.new_folder import new_folder
from impact_cli.options.number_options import count, seed

HITS = 5
_EPILOG = """examples:
  impact learn
  impact learn --wall-unknown --hits 8 --out my_wall
  impact learn --scenario qp_panda_robust --wall-unknown --json

The speed of the first hit is safe for every wall and joint within the announced ranges; later hits
use the ranges learned so far. share: speed over the speed with perfect knowledge; load: largest
joint torque (change or range) over its limit; then three standard deviations of the estimate of the
wall. The folder gets learn.json, learn.png, and the learned ranges: wall.yaml, joints.yaml.
Exit status: 0 done, 1 no hit, or one above a limit, 2 wrong usage.
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the command's parser to what ``ArgumentParser.add_subparsers`` returned."""
    parser = subparsers.add_parser(
        "learn",
        help=COMMANDS["learn"],
        description="A simulated arm hits the wall of a scenario again and again, learns wall and"
        " joints from its joint torques, and hits faster. In this process, without ROS.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "--scenario",
        default="qp_panda_demo",
        metavar="NAME|FILE",
        help="scenario with a wall (default: qp_panda_demo); impact scenarios lists them",
    )
    add(
        "--wall-unknown",
        action="store_true",
        help="announce wide ranges: stiffness 1e4 to 1e7 N/m, restitution 0.02 to 0.6, friction 0"
        " to 0.5 (default: the scenario's ranges)",
    )
    add("--hits", type=count, default=HITS, metavar="N", help=f"number of hits (default: {HITS})")
    add("--seed", type=seed, default=0, metavar="N", help="seed of the sensor noise (default: 0)")
    add(
        "--out", type=Path, metavar="DIR", help="folder to make (default: impact_output/learn_TIME)"
    )
    add("--json", action="store_true", help="one JSON document on standard output")
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Let the arm hit and learn; 1 if a hit was above a limit, or there was none."""
    from impact_analysis.learning.learned_scenario import LearnedScenario
    from impact_analysis.learning.learned_table import header, hit_entry, hit_line
    from impact_sim.scenario_choice import find
    from impact_sim.scenarios import Scenario

    scenario = find(arguments.scenario, Scenario)
    learner = LearnedScenario(scenario, wall_unknown=arguments.wall_unknown, seed=arguments.seed)
    folder, entries = new_folder(arguments.out, "learn"), []
    if not arguments.json:
        print(header(), flush=True)
    for step in learner.steps(arguments.hits):
        entries.append(hit_entry(step, learner))
        if not arguments.json:
            print(hit_line(len(entries), entries[-1]), flush=True)
            if step.problem:
                print(f"No further hit: {step.problem}.", flush=True)
    document = document_of(learner, entries, arguments.wall_unknown, folder)
    end_learned(document, learner, step.learned.known.narrowed, as_json=arguments.json)
    return learned_status(entries)
