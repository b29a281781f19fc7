# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Hits with the arm at an address, after confirmation by the operator."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from impact_analysis.franka.loop_record import measured
from impact_bags.exceptions import RecordingError
from impact_cli.franka.fci_report import tell
from impact_cli.franka.fci_run import FciRun, ending, recorded_run
from impact_cli.franka.hit_questions import SLOWEST_FIRST, SPEED_CAP, Questions, checked_distance
from impact_cli.progress import Progress
from impact_drivers.exceptions import DriverError
from impact_drivers.franka.arm.arm_state import ArmState
from impact_drivers.franka.arm.fr3_model import load_fr3
from impact_drivers.franka.arm.libfranka_arm import LibfrankaArm, is_on_this_machine, libfranka
from impact_drivers.franka.arm.settings import ArmSettings, read_settings
from impact_drivers.franka.hit_need import hit_need
from impact_drivers.franka.hit_process import HitJob, run_hit
from impact_drivers.franka.loop.loop import MOVED
from impact_qp.control.plan import Plan
from impact_qp.limits import Contact
from impact_robots.dynamics import ArmDynamics
from impact_robots.exceptions import UsageError
from impact_robots.robot import Robot


def hit_with_an_arm(arguments: argparse.Namespace, make_folder: Callable[[], Path]) -> int:
    """Hit with the arm at an address, after the operator has confirmed each hit.

    Args:
        arguments: of the command line.
        make_folder: makes the output folder, once something will be written into it.

    Returns:
        the exit status.

    Raises:
        ImpactError: no libfranka, no arm, or no impact.
    """
    libfranka()  # raises if it is missing
    settings = ArmSettings() if arguments.arm is None else read_settings(arguments.arm)
    questions, robot = Questions(), load_fr3(arguments.robot)
    if not arguments.unattended:
        questions.require_terminal()
    elif arguments.distance is None:
        raise UsageError("--unattended: expected --distance too")
    if not 0 < arguments.speed <= SPEED_CAP:
        raise UsageError(f"--speed: expected above 0 to {SPEED_CAP:g} m/s, got {arguments.speed:g}")
    is_fake = is_on_this_machine(arguments.address)
    settings = replace(
        settings,
        raise_thresholds=settings.raise_thresholds or arguments.raise_thresholds,
        realtime=settings.realtime and not is_fake,
    )
    stands = _look(arguments, settings, questions).q
    plan = _plan_in_front(arguments, stands, robot, questions)
    clear = "Is the workspace clear of people, and is the emergency stop within reach?"
    agreed: Iterable[str] = ()
    if arguments.unattended or questions.agrees(clear):
        agreed = _agreed(arguments, plan, questions)
    folder: Path | None = None
    runs, stopped = [], False
    for controller in agreed:
        folder = folder or make_folder()
        job = HitJob(
            arguments.address,
            replace(plan, impact_limits=controller),
            settings,
            dry_run=arguments.dry_run,
            robot=arguments.robot,
            alone=not is_fake,
        )
        job = with_thresholds(job, stands, robot, arguments, questions)
        _refuse_moved(stands, _look(arguments, settings, questions).q)
        runs.append(_hit_at_an_arm(job, folder, robot))
        if stopped := bool(runs[-1].outcome.fault or runs[-1].outcome.refusal):
            break  # the operator has to check the arm first
        stands = _look(arguments, settings, questions).q
    if folder is None:
        print("Nothing was computed." if arguments.dry_run else "Nothing was hit.")
        return 1
    tell(runs, folder, json_only=arguments.json)
    return int(stopped)


def _look(arguments: argparse.Namespace, settings: ArmSettings, questions: Questions) -> ArmState:
    """Return the arm's state; errors of the arm are cleared after confirmation.

    Raises:
        DriverError: no arm, or its errors are not to be cleared.
    """
    arm = LibfrankaArm(arguments.address, realtime=settings.realtime)
    state = arm.look()
    if not state.errors:
        return state
    errors = ", ".join(state.errors)
    question = f"The arm has stopped itself ({errors}). Clear these errors?"
    if arguments.unattended or not questions.agrees(question):
        raise DriverError(
            f"arm: expected no errors, got {errors}; without --unattended hit asks to clear them"
        )
    arm.recover()
    return arm.look()


def _refuse_moved(before: np.ndarray, now: np.ndarray) -> None:
    """Refuse an arm that was moved while questions were asked: the surface is elsewhere then.

    Args:
        before: joint positions for which it was planned, shape (7,) [rad].
        now: present ones.

    Raises:
        DriverError: they differ.
    """
    if not (away := float(np.abs(now - before).max())) <= MOVED:
        raise DriverError(
            f"the arm was moved by {away:.3g} rad since the distance to the surface was asked for;"
            " begin again"
        )


def _agreed(arguments: argparse.Namespace, plan: Plan, questions: Questions) -> Iterator[str]:
    """Yield the confirmed controllers; each question is asked before its hit."""
    for controller in [arguments.impact_limits] if arguments.impact_limits else SLOWEST_FIRST:
        what = f"under {controller} at up to {plan.speed:g} m/s"
        question = f"Hit the surface {what}?"
        if arguments.dry_run:
            question = f"Compute a hit {what}, and send zeros: the arm holds itself?"
        if arguments.unattended or questions.agrees(question):
            yield controller


def with_thresholds(
    job: HitJob,
    q: np.ndarray,
    robot: Robot,
    arguments: argparse.Namespace,
    questions: Questions,
) -> HitJob:
    """Return the hit, with raised collision thresholds if needed and confirmed; no dry run.

    Args:
        job: of the hit.
        q: joint positions of the arm, shape (7,) [rad].
        robot: the arm.
        arguments: of the command line.
        questions: to the operator.
    """
    if job.dry_run:
        return job
    need, settings = hit_need(robot, job.plan, q), job.settings
    needed = settings.raised_for(need)
    if not needed.is_above(settings.low_thresholds):
        return job
    if not settings.raise_thresholds and not arguments.unattended:
        question = (
            f"The hit needs collision thresholds of {needed}; below them the arm does not stop for"
            f" a person either. They are {settings.low_thresholds} now. Raise them for this hit?"
        )
        settings = replace(settings, raise_thresholds=questions.agrees(question))
    return replace(job, settings=settings, need=need if settings.raise_thresholds else None)


def _hit_at_an_arm(job: HitJob, folder: Path, robot: Robot) -> FciRun:
    """Hit once, and record the hit whatever its result.

    Raises:
        DriverError: there was no impact.
    """
    progress = Progress(job.plan.impact_limits)
    outcome = run_hit(job, time.time_ns)
    progress.close("; ".join([ending(outcome), *outcome.notes]))
    try:
        return recorded_run(job, outcome, measured(outcome, None), robot, folder)
    except RecordingError as error:
        raise DriverError(str(error)) from None


def _plan_in_front(
    arguments: argparse.Namespace, q: np.ndarray, robot: Robot, questions: Questions
) -> Plan:
    """Return the plan to hit a surface normal to the tool's axis, in front of its tip at ``q``."""
    position = ArmDynamics(robot).position(q)
    axis = ArmDynamics(robot)(q, np.zeros(robot.dof)).rotation[:, 2]
    if arguments.distance is None:
        distance = questions.distance(position, axis)
    else:
        distance = checked_distance(arguments.distance, "--distance")
    contact = Contact(position + distance * axis, -axis)
    return Plan(contact, speed=arguments.speed, retract_speed=SPEED_CAP)
