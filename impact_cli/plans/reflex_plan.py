# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`plan --reflex`: collision thresholds for a hit, and what still stops the arm."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from impact_analysis.analyze.settings import AnalysisSettings
from impact_analysis.franka.observed_hits import OBSERVER, RecordedPeaks, observed_hits
from impact_analysis.present.plain import json_text
from impact_bags.new_files import write_file
from impact_bags.open_recording import recording_paths
from impact_bags.reading.arm_estimate import TORQUES
from impact_cli.options.impact_options import check_positions, read_impact, read_robot, sized
from impact_cli.options.number_options import number
from impact_cli.plans.case_file import read_cases
from impact_cli.plans.reflex_case import LISTED, reflex_cases
from impact_cli.plans.task_plan import fill_options, given_task
from impact_cli.recorded_robot import recorded_robot
from impact_cli.reports.reflex_report import (
    ReflexPlan,
    reflex_document,
    reflex_text,
    reflex_yaml,
)
from impact_drivers.franka.arm.collision_behavior import LOW_FORCE, LOW_TORQUE
from impact_predictor.reflex.predicted import thresholds_by_prediction
from impact_predictor.reflex.stopping_push import stopping_push
from impact_predictor.reflex.thresholds import Thresholds, check_range, thresholds_by_hits
from impact_robots.dynamics import ArmDynamics
from impact_robots.exceptions import UsageError
from impact_robots.robot import Robot
from impact_robots.task.hit_task import HitTask
from impact_robots.validation import positive

EPILOG = f"""\
--reflex BAG... --speed V: collision thresholds of a Panda or FR3 for a hit at V [m/s], scaled from
recorded gentle hits (a quarter as fast or more), and the pushes that still stop the arm. Loads are
the arm's own estimate ({TORQUES}), else they are
observed by joint torques. --yaml writes the thresholds for the node franka, and --arm of `hit`.
--reflex --speed V --stiffness K: predicted without recordings; K at most 1e6 N/m.
--reflex --case FILE computes thresholds of given hits again (doc/franka.md).
"""
STANDARD_OUTPUT = "-"
VENDOR = Thresholds(np.array(LOW_TORQUE), np.array(LOW_FORCE))
ALONG = "a push along the upper arm loads no joint: at the elbow only pushes across it stop the arm"
FRAME = "the axes of the arm's force thresholds are not confirmed: those of the base are assumed"
PEOPLE = (
    "while they are raised, smaller pushes than these do not stop the arm; a trip ends the push"
)
PEOPLE += ", not the first peak"
SAME = "valid for the recorded pose, surface, controller and load only"
GUESSED = f"observed by {OBSERVER} from the measured torques: the arm's own filter is not published"
GUESSED += f"; record {TORQUES}"
PREDICTED = (
    "predicted for a frozen torque-controlled arm, without a filter; a recorded hit says more"
)


def add_reflex_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of :func:`reflex_plan`; the epilog describes them."""
    add, hidden = parser.add_argument, argparse.SUPPRESS
    add("--reflex", type=Path, nargs="*", metavar="BAG", help=hidden)
    add("--speed", dest="hit_speed", type=number, metavar="V", help=hidden)


def reflex_plan(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Print collision thresholds; return the exit status.

    Raises:
        UsageError: options that do not go together.
        ImpactError: a case or recording that does not fit, an unsuitable arm, or thresholds that
            would not protect it.
    """
    if arguments.case is not None:
        if arguments.reflex:
            raise UsageError("--reflex: expected no recordings beside --case")
        print(json_text(reflex_cases(read_cases(arguments.case, LISTED), read_robot(arguments))))
        return 0
    plan = _planned(arguments, parser)
    if arguments.yaml is not None and arguments.yaml != STANDARD_OUTPUT:
        write_file(Path(arguments.yaml), reflex_yaml(plan))
    if arguments.json:
        print(json_text(reflex_document(plan)))
    elif arguments.yaml == STANDARD_OUTPUT:
        print(reflex_yaml(plan), end="")
    else:
        print(reflex_text(plan))
    return 0


def _planned(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> ReflexPlan:
    if arguments.reflex:
        arguments.robot = recorded_robot(arguments.robot, arguments.reflex[0])
    task, speed = given_task(arguments), arguments.hit_speed
    if task is not None and not isinstance(task, HitTask):
        raise UsageError("--task: expected a hit with --reflex")
    if task is not None:
        fill_options(arguments, parser, task)
        speed = task.speed if speed is None else speed
    if speed is None:
        raise UsageError("--reflex: expected --speed V, or a task with a speed")
    positive(speed, "--speed")
    if arguments.reflex:
        said = arguments.normal is not parser.get_default("normal")
        return _by_recordings(arguments, speed, arguments.normal if said else None)
    return _by_prediction(arguments, speed)


def _by_recordings(
    arguments: argparse.Namespace, speed: float, normal: tuple[float, ...] | None
) -> ReflexPlan:
    """Return the plan by recorded hits."""
    x, y, z = sized(normal or (0.0, 0.0, 1.0), 3, "--normal").tolist()
    settings = AnalysisSettings(
        robot=arguments.robot,
        urdf=arguments.urdf or "",
        payload=arguments.payload,
        normal=None if normal is None else (x, y, z),
    )
    robot = read_robot(arguments)
    _refuse_other_arms(robot)
    paths = [path for given in arguments.reflex for path in recording_paths(given)]
    hits = [hit for path in paths for hit in observed_hits(path, settings)]
    thresholds = thresholds_by_hits([each.observed for each in hits], speed, VENDOR)
    given = arguments.q
    q = _fastest(hits).q if given is None else sized(given, robot.dof, "--q")
    if given is not None:
        check_positions(robot, q)
    guessed = any(each.torque_by == OBSERVER for each in hits)
    warnings = [PEOPLE, ALONG, FRAME, SAME, *([GUESSED] if guessed else [])]
    state = ArmDynamics(robot)(q, np.zeros(robot.nv)).robot_state
    plan = ReflexPlan(robot, state, speed, VENDOR, thresholds, hits, warnings)
    return _checked(plan)


def _fastest(hits: Sequence[RecordedPeaks]) -> RecordedPeaks:
    return max(hits, key=lambda hit: hit.observed.speed)


def _by_prediction(arguments: argparse.Namespace, speed: float) -> ReflexPlan:
    """Return the plan without recordings."""
    _refuse_other_arms(read_robot(arguments))
    impact = read_impact(arguments)
    state = impact.state.robot_state
    thresholds = thresholds_by_prediction(impact.robot, impact.state, impact.surface, speed, VENDOR)
    warnings = [PEOPLE, ALONG, FRAME, PREDICTED]
    return _checked(ReflexPlan(impact.robot, state, speed, VENDOR, thresholds, [], warnings))


def _refuse_other_arms(robot: Robot) -> None:
    """Refuse arms that are no Panda or FR3.

    Raises:
        ImpactError: it has other links or joints.
    """
    robot.require("plan")
    still = ArmDynamics(robot)(np.zeros(robot.dof), np.zeros(robot.nv))
    stopping_push(robot, still.robot_state, VENDOR.torque)


def _checked(plan: ReflexPlan) -> ReflexPlan:
    """Return a plan whose thresholds leave every joint within its range.

    Raises:
        PredictionError: one does not.
    """
    room = plan.robot.limits.torque_range - np.abs(plan.state.g)
    check_range(plan.thresholds.torque, plan.vendor.torque, room)
    return plan
