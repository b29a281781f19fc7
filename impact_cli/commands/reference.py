# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `reference`: writes references of reference spreading from a demonstration."""

from __future__ import annotations

import argparse
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from impact_analysis.demonstration.cut import StillArmError
from impact_analysis.demonstration.demonstration import TURN, demonstration
from impact_analysis.demonstration.recorded_motion import recorded_motion
from impact_analysis.demonstration.smooth_side import SPACING
from impact_analysis.detection.detect_run import detect
from impact_analysis.present.plain import json_text
from impact_bags.exceptions import AnalysisError
from impact_bags.new_files import write_file
from impact_bags.open_recording import open_recording, recording_name
from impact_bags.reading.cell_topics import cell_topics
from impact_cli.command_names import COMMANDS
from impact_cli.options.detect_options import (
    add_detector_options,
    add_recorded_robot_options,
    add_reference_options,
)
from impact_cli.options.detection_settings import (
    detector_parameters,
    model_torque,
    topic_choice,
    with_reference,
)
from impact_cli.options.number_options import count, positive
from impact_cli.options.outputs import refuse_inputs
from impact_cli.recorded_robot import recorded_robot
from impact_detector.parameters import session_for
from impact_detector.signals.sample import ACCELERATION, JointSample, from_seconds
from impact_qp.references import references_text
from impact_robots.exceptions import ImpactError, UsageError
from impact_robots.task.box_task import ARM_JOINTS

if TYPE_CHECKING:
    from impact_analysis.demonstration.demonstration import Demonstration
    from impact_bags.reading.recording import Recording
    from impact_detector.signals.model_torque import ModelTorque
    from impact_robots import Robot

_EPILOG = """example:
  impact reference demonstration --robot panda_plate
  impact reference demonstration --robot panda_plate --out shown.yaml
  impact reference grab --robot panda_plate --arm left --impact 2 --out left.yaml
  impact reference demonstration --robot panda_plate --time 4.812 --json

The arm begins at rest, hits once, and goes on; it is guided by hand, say. A task's own file names
what is written, one file an arm, and where and how fast the arm is, as is printed:

  like: rs_push_catfood_case2
  references: [shown.yaml]
  q_start: [[0.64, 0.89, 0.21, -1.2, -1.24, 0.84, -0.87]]
  v_minus: [[-0.08, -0.67, 0.04]]

Exit status: 0 done, 1 the recording is no demonstration of an impact (the line says why) or the
file cannot be written, 2 wrong usage, or a file that cannot be read.
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the command's parser to what ``ArgumentParser.add_subparsers`` returned."""
    parser = subparsers.add_parser(
        "reference",
        help=COMMANDS["reference"],
        description="Cut the recording of one arm at an impact, smooth the motion of the contact"
        " point on both sides, and write references that impact_spreading follows.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("file", metavar="FILE", type=Path, help="bag or CSV")
    add_recorded_robot_options(add)
    add("--arm", default="", metavar="NAME", help="namespace of the arm, of several in the bag")
    add("--impact", type=count, metavar="N", help="which impact, from 1 (default: the first)")
    add(
        "--time",
        type=positive,
        metavar="S",
        help="first contact after the first joint state [s]; no detector is used",
    )
    add(
        "--spacing",
        type=positive,
        default=SPACING,
        metavar="S",
        help="of the breakpoints of the smoothing splines: motions above 1/(2 S) Hz are left out"
        f" [s] (default: {SPACING:g})",
    )
    add(
        "--largest-turn",
        type=positive,
        default=TURN,
        metavar="DEG",
        help="of the contact frame over the motion; references have a constant orientation"
        f" [deg] (default: {TURN:g})",
    )
    add("-o", "--out", type=Path, metavar="YAML", help="file to write (default: none)")
    add("--force", action="store_true", help="overwrite an existing file")
    add("--json", action="store_true", help="one JSON document on standard output")
    add_detector_options(add, ACCELERATION)
    add_reference_options(add)
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    arguments.robot = recorded_robot(arguments.robot, arguments.file)
    _check(arguments)
    arguments.detectors = arguments.detectors or (ACCELERATION,)
    try:
        parameters = detector_parameters(arguments)
        robot = parameters.load_robot()
        session_for(parameters, robot)  # every setting is checked before a file is opened
        model = model_torque(arguments, robot)
    except ImpactError as error:
        raise UsageError(str(error)) from None
    if robot.dof != ARM_JOINTS or robot.base != "fixed":
        got = f"{robot.name} with {robot.dof} and a {robot.base} base"
        raise UsageError(f"--robot: expected an arm of {ARM_JOINTS} joints, got {got}")
    choice = topic_choice(arguments, _arm(arguments, robot))
    recording = open_recording(arguments.file, robot, choice)
    times, first = _impacts(arguments, robot, model, recording)
    number, found = _first_motion(arguments, robot, recording, times)
    if arguments.out is not None:
        name = recording_name(arguments.file)
        origin = f"Impact {number} of {name}, {robot.name}; by `impact reference`."
        write_file(arguments.out, references_text(found.reference, origin))
    since = [(time - first) * 1e-9 for time in times]
    (_print_json if arguments.json else _print_text)(arguments, robot, found, since, number)
    return 0


def _check(arguments: argparse.Namespace) -> None:
    """Refuse options that exclude one another, and a file that must not be written."""
    out = arguments.out
    if arguments.time is not None and arguments.impact is not None:
        raise UsageError("--impact: not with --time")
    if out is None:
        return
    if out.suffix not in (".yaml", ".yml"):
        raise UsageError(f"--out: expected a .yaml file, got {out}")
    if out.exists() and not arguments.force:
        raise UsageError(f"--out: {out} exists; to overwrite it: --force")
    refuse_inputs("--out", out, [arguments.robot, arguments.urdf])


def _arm(arguments: argparse.Namespace, robot: Robot) -> str:
    """Return the namespace of the arm, "" for the only one.

    Raises:
        UsageError: there are several and none is named, or there is none of that name.
    """
    cell = (
        cell_topics(arguments.file, joints=robot.joint_names) if arguments.file.exists() else None
    )
    arms = cell.arms if cell is not None and cell.many else ()
    if arguments.arm and arguments.arm not in arms:
        expected = f"one of {', '.join(arms)}" if arms else "a bag of several arms"
        raise UsageError(f"--arm: expected {expected}, got {arguments.arm!r}")
    if arms and not arguments.arm and not arguments.state_topic:
        raise UsageError(f"--arm: expected one of {', '.join(arms)}, got none")
    return str(arguments.arm)


def _first_motion(
    arguments: argparse.Namespace, robot: Robot, recording: Recording, times: list[int]
) -> tuple[int, Demonstration]:
    """Return the number of the impact that is meant, and its references.

    By default that is the first one before which the arm moves: the jerk of a hand that begins may
    be detected, too.

    Raises:
        AnalysisError: it is no demonstration; says why.
    """
    wanted = arguments.impact or (1 if arguments.time is not None else None)
    for number in [wanted] if wanted else range(1, len(times) + 1):
        at, later = times[number - 1], times[number:]
        try:
            return number, demonstration(
                recorded_motion(recording, robot, at),
                until=(later[0] - at) * 1e-9 if later else inf,
                spacing=arguments.spacing,
                turn=arguments.largest_turn,
            )
        except StillArmError:
            if wanted or not later:
                raise
    raise AnalysisError(f"{recording.name}: no impact")


def _impacts(
    arguments: argparse.Namespace, robot: Robot, model: ModelTorque, recording: Recording
) -> tuple[list[int], int]:
    """Return the first contacts [ns] and the first joint state's stamp [ns].

    Raises:
        AnalysisError: no impact was found, or fewer than asked for.
    """
    if arguments.time is not None:
        states = (each for each in recording.items(references=False))
        first = next((each.time for each in states if isinstance(each, JointSample)), None)
        if first is None:
            raise AnalysisError(f"{recording.name}: no joint states")
        return [first + from_seconds(arguments.time)], first
    settings = with_reference(detector_parameters(arguments), recording, arguments.reference)
    result = detect(recording, settings, robot, model)
    times, number = result.impact_times, arguments.impact or 1
    names = ", ".join(arguments.detectors)
    if not times:
        largest = result.largest
        most = "no sample could be judged"
        if largest is not None:
            most = f"largest statistic {largest.statistic:.3g} of {largest.threshold:.3g}"
        why = "; ".join(filter(None, [most, result.unusable, *result.troubles.values()]))
        raise AnalysisError(
            f"{recording.name}: no impact found by {names} ({why}); other --detectors, or --time"
        )
    if number > len(times):
        raise AnalysisError(
            f"--impact: expected at most {len(times)}, the impacts found by {names}, got {number}"
        )
    return times, result.first_time


def _print_json(
    arguments: argparse.Namespace,
    robot: Robot,
    found: Demonstration,
    since: list[float],
    number: int,
) -> None:
    document = {
        "file": str(arguments.file),
        "robot": robot.name,
        "contact_frame": robot.contact_frame,
        "arm": arguments.arm,
        "impacts_s": since,
        "impact": number,
        **found.as_json(),
        "written": None if arguments.out is None else str(arguments.out),
    }
    print(json_text(document))


def _print_text(
    arguments: argparse.Namespace,
    robot: Robot,
    found: Demonstration,
    since: list[float],
    number: int,
) -> None:
    found_by = "given" if arguments.time is not None else f"by {', '.join(arguments.detectors)}"
    which = f"impact {number} of {len(since)}, " if len(since) > 1 else ""
    out, velocity = arguments.out, found.reference.jump[0][:3]
    start, v_minus = (np.round(each, 4).tolist() for each in (found.start, velocity))
    print(f"{arguments.file}: {robot.name}, contact point {robot.contact_frame}")
    contact = f"first contact {since[number - 1]:.4f} s after the first joint state"
    print(f"{contact} ({which}{found_by})\n")
    print("\n".join(found.lines()))
    print(f"written: {out}" if out is not None else "nothing is written without --out")
    print("in a task's own file:")
    print(f"  references: [{out.name if out is not None else 'FILE'}]")
    print(f"  q_start: [{start}]\n  v_minus: [{v_minus}]")
