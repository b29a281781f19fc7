# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `demo`: one impact under four controllers, over real DDS."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from impact_analysis.demo.evaluation import Evaluation, evaluate_run
from impact_analysis.demo.table import sentence, table
from impact_bags.exceptions import RecordingError
from impact_bags.reading.run_record import RunRecord, read_run
from impact_cli.command_names import COMMANDS
from impact_cli.demo.demo_here import Settings, must_run_here, run_here, shown_gap
from impact_cli.demo.demo_scenario import (
    HAMMER_NAIL,
    LEARN_WALL,
    VIEW,
    demo_scenario,
    refuse_options,
    refuse_with_box,
)
from impact_cli.demo.demo_viewer import Viewer, demo_viewer
from impact_cli.ending import end_runs
from impact_cli.new_folder import new_folder
from impact_cli.options.number_options import seed
from impact_cli.options.view_options import add_view_options
from impact_cli.progress import Progress
from impact_qp.arms.plans import OBJECT_MAP_CHOICES
from impact_qp.limits import Contact
from impact_robots.description.loader import load_robot
from impact_robots.exceptions import UsageError
from impact_robots.robot import Robot
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_sim.humanoid.grab_scenario import GrabScenario
from impact_sim.scenarios import Scenario, load_scenario

FCI_OPTIONS = ("dry_run", "arm")  # refused without --fci
CONTROLLERS = ("unaware", "robust", "existential", "joint_load")
_EPILOG = """example:
  impact demo
  impact demo --out my_demo --json
  impact demo --view
  impact demo --fci
  impact demo --scenario rs_grab_catfood_late
  impact demo --scenario rs_grab_catfood_late --object-map mujoco
  impact demo --scenario qp_hrp4_grab
  impact demo --scenario learn_wall
  impact demo --scenario hammer_nail
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the command's parser to what ``ArgumentParser.add_subparsers`` returned."""
    parser = subparsers.add_parser(
        "demo",
        help=COMMANDS["demo"],
        description="A simulated Panda hits a wall four times, over DDS (without ROS 2: in this"
        " process, with the same figures): unaware of the impact; at the highest speed that is"
        " safe for every announced impulse (robust) or for at least one of them (existential),"
        " both as published; and at the highest speed that is safe for the joint torques"
        " (joint_load). Scenarios rs_*: one or two arms push or grab a box in five modes: by"
        " reference spreading (rs), without ramping in the velocity feedback (no_gamma), switching"
        " at a fixed time (timed), with one reference through the impact (continuous), by velocity"
        " fields without a clock (time_invariant); always in this process. Scenarios qp_hrp4_*: a"
        " humanoid grabs boxes as planned, and faster"
        " (robust, existential, unaware). Scenario learn_wall: the arm hits an unknown wall five"
        " times, learns it from the joint torques, and hits faster. Scenario hammer_nail: the arm"
        " drives a nail with a rigid hammer, at the published bound and at that of the joint"
        " torques, with one whose handle gives, and learning that. Prints a table; writes it,"
        " pictures and one recording per run into a folder.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--out", type=Path, metavar="DIR", help="folder to make (default: impact_output/demo_TIME)")
    add(
        "--scenario",
        type=demo_scenario,
        default="qp_panda_demo",
        metavar="NAME|FILE",
        help="scenario: a wall (qp_panda_*, default qp_panda_demo), a wall to learn (learn_wall),"
        " a nail (hammer_nail), a box (rs_*, qp_hrp4_* or a YAML of that form); impact scenarios"
        " lists them",
    )
    add(
        "--object-map",
        choices=OBJECT_MAP_CHOICES,
        help="of scenarios rs_*: impact map of the references (default: usual, points for a push,"
        " locked for a grab)",
    )
    add("--seed", type=seed, default=0, help="seed of the sensor noise (default: 0)")
    add(
        "--realtime",
        action="store_true",
        help="run against the wall clock at 1 kHz and report missed cycles",
    )
    add("--json", action="store_true", help="print one JSON document instead of the table")
    add("--view", action="store_true", help="show the runs in 3-D in the browser until Ctrl-C")
    add_view_options(add)
    add_fci_options(parser)
    parser.set_defaults(run=run)
    return parser


def add_fci_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a Franka Research 3."""
    add = parser.add_argument_group("through libfranka, without ROS").add_argument
    add(
        "--fci",
        nargs="?",
        const=True,
        default=False,
        type=_not_here,
        metavar="",
        help="hit with a fake Franka Research 3 through libfranka, robust and joint_load; for a"
        " real one: impact hit",
    )
    add("--dry-run", action="store_true", help="compute torques, but send zeros to the arm")
    add("--arm", type=Path, metavar="FILE", help="YAML of the arm's load and collision behaviour")


def _not_here(address: str) -> bool:
    """Refuse the address of an arm.

    Raises:
        ArgumentTypeError: always; names the command that moves an arm.
    """
    raise argparse.ArgumentTypeError(f"to move an arm use: impact hit {address}")


def run(arguments: argparse.Namespace) -> int:
    """Run the demo and return the exit status."""
    if (demo := _other_demo(arguments)) is not None:
        return demo(arguments, lambda: new_folder(arguments.out, "demo"))
    for name in FCI_OPTIONS:
        if getattr(arguments, name) not in (None, False):
            raise UsageError(f"--{name.replace('_', '-')}: only with --fci")
    with demo_viewer(arguments, load_scenario(arguments.scenario).robot) as viewer:
        status = _run(arguments, viewer)
        viewer.watch()
    return status


def _other_demo(arguments: argparse.Namespace) -> Callable[..., int] | None:
    """Return what runs another demo than a wall's, each needs what the others do not.

    Raises:
        UsageError: an option would do nothing there.
    """
    spreads = isinstance(arguments.scenario, SpreadingScenario)
    if arguments.object_map is not None and not spreads:
        raise UsageError("--object-map: only with arms and a box, as in rs_grab_safe")
    if spreads:
        refuse_with_box(arguments, FCI_OPTIONS)
        from impact_cli.demo.spreading_demo import run_spreading_demo as demo
    elif isinstance(arguments.scenario, GrabScenario):
        refuse_with_box(arguments, FCI_OPTIONS)
        from impact_cli.demo.grab_demo import run_grab_demo as demo
    elif arguments.scenario == LEARN_WALL:
        refuse_options(arguments, FCI_OPTIONS, f"not with {LEARN_WALL}")
        from impact_cli.demo.learning_demo import run_learning_demo as demo
    elif arguments.scenario == HAMMER_NAIL:
        refuse_options(arguments, FCI_OPTIONS, f"not with {HAMMER_NAIL}", tuple(VIEW))
        from impact_cli.demo.hammer_demo import run_hammer_demo as demo
    elif arguments.fci:
        if arguments.view:
            raise UsageError("--view: not with --fci; impact view shows its recordings")
        from impact_cli.demo.fci_demo import run_fci_demo as demo
    else:
        return None
    return demo


def _run(arguments: argparse.Namespace, viewer: Viewer) -> int:
    """Run the demo, shown by a viewer, and return the exit status."""
    started = time.monotonic()
    scenario = load_scenario(arguments.scenario)
    robot, folder = load_robot(scenario.robot), new_folder(arguments.out, "demo")
    simulate = run_here if must_run_here(arguments.realtime) else _simulate
    results, missed = [], []
    for index, controller in enumerate(CONTROLLERS):
        label = f"[{index + 1}/{len(CONTROLLERS)}] {controller}"
        viewer.begin(controller)
        settings = arguments.seed, arguments.realtime, viewer.tap
        missed.append(simulate(scenario, controller, folder / controller, settings, label))
        results.append(_evaluate(scenario, controller, folder / controller, robot))
    evaluations = [evaluation for _, evaluation in results]
    if arguments.realtime:
        _warn_of_faults([record.fault for record, _ in results])
    _draw(results, folder)
    late = [{"missed_cycles": each} if arguments.realtime else {} for each in missed]
    runs = [each.as_json() | more for each, more in zip(evaluations, late, strict=True)]
    end_runs(
        folder / "table.json",
        {"runs": runs},
        lambda: _text(evaluations, missed if arguments.realtime else None),
        as_json=arguments.json,
        started=started,
    )
    return 0


def _simulate(
    scenario: Scenario, controller: str, folder: Path, settings: Settings, label: str
) -> int:
    """Run one experiment over DDS and return the cycles that were missed.

    Raises:
        ImpactError: the experiment failed.
    """
    from impact_bags.reading.run_record import Run
    from impact_bringup.experiments.experiment import run_experiment

    seed, realtime, tap = settings
    progress = Progress(label)
    experiment = Run(
        scenario,
        controller,
        folder,
        seed=seed,
        realtime=realtime,
        progress=shown_gap(progress, scenario),
        tap=tap,
    )
    report = run_experiment(experiment)
    note = f", {report.missed_cycles} missed cycles" if realtime else ""
    progress.close(f"done, {report.simulated_seconds:.2f} s simulated{note}")
    return report.missed_cycles


def announced_contact(scenario: Scenario, robot: Robot) -> Contact:
    """Return the contact that is announced to the controller."""
    return Contact(
        scenario.surface_point(robot),
        scenario.normal,
        scenario.friction,
        scenario.restitution,
        scenario.peak_factor,
        scenario.impact_duration,
        scenario.stiffness,
    )


def _evaluate(
    scenario: Scenario, controller: str, folder: Path, robot: Robot
) -> tuple[RunRecord, Evaluation]:
    """Evaluate the recording of one experiment.

    Raises:
        RecordingError: there was no impact; gives the reason if the controller stopped before it.
    """
    record = read_run(folder / "bag", robot)
    contact = announced_contact(scenario, robot)
    try:
        return record, evaluate_run(record, robot, contact, controller)
    except RecordingError as error:
        if not record.fault:
            raise
        raise RecordingError(f"{controller}: the controller stopped: {record.fault}") from error


def _warn_of_faults(faults: list[str]) -> None:
    """Print which controllers stopped on their own after the contact."""
    for controller, fault in zip(CONTROLLERS, faults, strict=True):
        if fault:
            print(f"{controller}: the controller stopped: {fault}", file=sys.stderr)


def _draw(results: list[tuple[RunRecord, Evaluation]], folder: Path) -> None:
    """Write the pictures; imported late because drawing is slow to load."""
    from impact_analysis.demo.plots import write_plots

    write_plots(results, folder)


def _text(evaluations: list[Evaluation], missed: list[int] | None) -> tuple[str, str]:
    """Return the table and its summary."""
    figures = f"\n{table(evaluations)}"
    if missed is not None:
        each = zip(evaluations, missed, strict=True)
        cycles = ", ".join(f"{e.controller} {count}" for e, count in each)
        figures += f"\nmissed cycles of 1 ms: {cycles}"
    return figures, sentence(evaluations)
