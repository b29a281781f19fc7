# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The demo through libfranka: against a fake FR3 here, or an arm at an address."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from impact_analysis.demo.loop_record import (
    MeasuredRows,
    evaluate_hit,
    measured,
    record_of,
    write_bag,
)
from impact_cli.fci_questions import Questions, checked_distance
from impact_cli.progress import Progress
from impact_cli.reports.fci_report import FciRun, tell
from impact_drivers.fake_fr3.fake_process import FakeProcess
from impact_drivers.fake_fr3.fake_setup import FakeSetup
from impact_drivers.franka.fr3_model import NAME, load_fr3
from impact_drivers.franka.hit_process import HitJob, HitOutcome, run_hit
from impact_drivers.franka.libfranka_arm import LibfrankaArm, libfranka
from impact_drivers.franka.settings import ArmSettings, read_settings
from impact_qp.control.plan import Plan
from impact_qp.limits import Contact
from impact_qp.parameters import ControllerParameters
from impact_robots.dynamics import ArmDynamics
from impact_robots.exceptions import UsageError
from impact_robots.robot import Robot
from impact_ros.parameters import from_values
from impact_sim.simulation import START_NS

SPEED_CAP = 0.1  # at a real arm [m/s]
SLOWEST_FIRST = ("robust", "joint_load", "existential", "unaware")  # at a real arm


def start_of_lockstep() -> int:
    """Return the stamp of the first state of a fake arm, as everywhere in the suite [ns]."""
    return START_NS


def run_fci_demo(
    arguments: argparse.Namespace, controllers: tuple[str, ...], make_folder: Callable[[], Path]
) -> int:
    """Run the demo and return the exit status.

    Args:
        arguments: of the command line.
        controllers: that hit a fake arm's surface.
        make_folder: makes the output folder, once something will be written into it.

    Raises:
        ImpactError: no libfranka, no arm, or no impact.
    """
    _check(arguments)
    libfranka()  # or it says what is missing
    settings = ArmSettings() if arguments.arm is None else read_settings(arguments.arm)
    if arguments.fci:
        return _at_an_arm(arguments, settings, make_folder)
    folder = make_folder()
    runs = [
        _fake_run(arguments, controller, settings, folder, f"[{i + 1}/{len(controllers)}]")
        for i, controller in enumerate(controllers)
    ]
    tell(runs, folder, arguments)
    return 0


def _check(arguments: argparse.Namespace) -> None:
    """Refuse options that would do nothing.

    Raises:
        UsageError: names one.
    """
    if arguments.realtime:
        raise UsageError("--realtime: not with --fci, where the arm sets the pace")
    at_an_arm = {
        "--distance": arguments.distance is not None,
        "--unattended": arguments.unattended,
        "--robot": arguments.robot != NAME,
    }
    for name, given in at_an_arm.items():
        if given and not arguments.fci:
            raise UsageError(f"{name}: only with --fci ADDRESS")


def _fake_run(
    arguments: argparse.Namespace,
    controller: str,
    settings: ArmSettings,
    folder: Path,
    label: str,
) -> FciRun:
    """Hit with a fake arm of its own."""
    setup = FakeSetup(arguments.scenario, seed=arguments.seed)
    robot, scenario = setup.load_robot(), setup.load_scenario()
    values = scenario.controller_parameters(robot) | {"impact_limits": controller}
    plan = from_values(ControllerParameters, values).plan()
    settings = replace(settings, realtime=False)
    job = HitJob("", plan, settings, scenario.detection_threshold, arguments.dry_run)
    progress = Progress(f"{label} {controller}")
    with FakeProcess(setup) as fake:
        outcome = run_hit(replace(job, address=fake.address), start_of_lockstep)
        rows = measured(outcome, fake.log)
    progress.close(_ending(outcome))
    write_bag(folder / controller / "bag", outcome, rows, robot)
    return _evaluated(arguments, controller, outcome, rows, robot, plan.contact)


def _at_an_arm(
    arguments: argparse.Namespace, settings: ArmSettings, make_folder: Callable[[], Path]
) -> int:
    """Hit with the arm at an address, once somebody has agreed to each hit."""
    questions, robot = Questions(), load_fr3(arguments.robot)
    if not arguments.unattended:
        questions.require_terminal()
    elif arguments.distance is None:
        raise UsageError("--unattended: expected --distance too")
    plan = _plan_in_front(arguments, settings, robot, questions)
    clear = "Is the arm's reach clear of people, and does somebody hold the stop button?"
    agreed: Iterable[str] = ()
    if arguments.unattended or questions.agrees(clear):
        agreed = _agreed(arguments, plan, questions)
    folder: Path | None = None
    runs = []
    for controller in agreed:
        folder = folder or make_folder()
        runs.append(_hit_at_an_arm(arguments, controller, plan, settings, folder, robot))
    if folder is None:
        print("Nothing was hit.")
        return 1
    tell(runs, folder, arguments)
    return 0


def _agreed(arguments: argparse.Namespace, plan: Plan, questions: Questions) -> Iterator[str]:
    """Yield the controllers that may hit, each asked for when its turn has come."""
    for controller in SLOWEST_FIRST:
        question = f"Hit the surface under {controller} at up to {plan.speed:g} m/s?"
        if arguments.unattended or questions.agrees(question):
            yield controller


def _hit_at_an_arm(
    arguments: argparse.Namespace,
    controller: str,
    plan: Plan,
    settings: ArmSettings,
    folder: Path,
    robot: Robot,
) -> FciRun:
    """Hit once, and record it whatever came of it."""
    own = replace(plan, impact_limits=controller)
    job = HitJob(
        arguments.fci,
        own,
        settings,
        dry_run=arguments.dry_run,
        robot=arguments.robot,
        alone=True,
    )
    progress = Progress(controller)
    outcome = run_hit(job, time.time_ns)
    progress.close("; ".join([_ending(outcome), *outcome.notes]))
    rows = measured(outcome, None)
    write_bag(folder / controller / "bag", outcome, rows, robot)
    return _evaluated(arguments, controller, outcome, rows, robot, plan.contact)


def _evaluated(
    arguments: argparse.Namespace,
    controller: str,
    outcome: HitOutcome,
    rows: MeasuredRows,
    robot: Robot,
    contact: Contact,
) -> FciRun:
    """Return a run with its figures; a dry run has none, as it hits nothing.

    Raises:
        RecordingError: there was no impact; says why.
    """
    record = record_of(outcome, rows)
    if arguments.dry_run:
        return FciRun(controller, outcome, record, None)
    evaluation = evaluate_hit(outcome, record, robot, contact, controller)
    return FciRun(controller, outcome, record, evaluation)


def _plan_in_front(
    arguments: argparse.Namespace, settings: ArmSettings, robot: Robot, questions: Questions
) -> Plan:
    """Return the plan to hit a surface across the tool's axis, in front of its tip."""
    state = LibfrankaArm(arguments.fci, realtime=settings.realtime).look()
    position = ArmDynamics(robot).position(state.q)
    axis = ArmDynamics(robot)(state.q, np.zeros(robot.dof)).rotation[:, 2]
    if arguments.distance is None:
        distance = questions.distance(position, axis)
    else:
        distance = checked_distance(arguments.distance, "--distance")
    contact = Contact(position + distance * axis, -axis)
    return Plan(contact, speed=SPEED_CAP, retract_speed=SPEED_CAP)


def _ending(outcome: HitOutcome) -> str:
    """Return how a hit ended, in one line."""
    return outcome.refusal or outcome.fault or "done"
