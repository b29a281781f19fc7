# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `detect`: finds the impacts in a recording."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from impact_analysis.detection.detect_run import DetectionResult, detect
from impact_analysis.detection.event_plot import MOST, Traces
from impact_analysis.detection.event_plot import draw as draw_events
from impact_analysis.detection.learn_run import FreeMotionSource, learn
from impact_analysis.detection.score_run import EVERYTHING, judge_trials, scores
from impact_bags.exceptions import RecordingError
from impact_bags.new_files import write_file
from impact_bags.open_recording import open_recording, recording_paths
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
from impact_cli.options.outputs import refuse_inputs
from impact_cli.progress import Progress
from impact_cli.recorded_robot import recorded_robot
from impact_cli.reports.detect_report import as_json, as_text
from impact_cli.reports.learn_report import as_yaml, learn_json, learn_text, node_parameters
from impact_cli.reports.score_report import draw, score_json, score_text
from impact_detector.detectors.detector_kind import DETECTORS, detection_joints
from impact_detector.parameters import DetectorParameters, session_for
from impact_detector.signals.sample import FUSED
from impact_robots import ImpactError, Robot
from impact_robots.exceptions import UsageError, WriteError
from impact_ros.standard_streams import failed
from impact_trials.truth.trial_table import read_trials

_EPILOG = """example:
  impact detect panda_free_motion.csv
  impact detect demo_output --json
  impact detect demo_output --detectors fused,torque_error --plot events.png
  impact detect trials --score --plot operating_points.png
  impact detect free_motion_bag --learn --output thresholds.yaml

A CSV has the columns time_s, q1_rad.., dq1_radps.. and, if they were recorded, the torques
tau1_nm.. and the reference torque tau_ref1_nm.., SI units, one row per measurement, separated by
commas. Other columns are ignored.
The intact part of a damaged or unfinished recording is read; the output lists what is lost.
Compressed recordings are unpacked up to a size limit, which IMPACT_UNPACK_MB raises.
Exit status: 0 done, 1 failed (with --score: the first detector missed an impact or reported a false
one), 2 wrong usage, or a file that cannot be read.
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the command's parser.

    Args:
        subparsers: the result of ``ArgumentParser.add_subparsers``.
    """
    parser = subparsers.add_parser(
        "detect",
        help=COMMANDS["detect"],
        description="Find the impacts in a CSV, a bag (MCAP, sqlite3) or a folder of bags.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("file", metavar="FILE", type=Path, help="CSV, bag, or folder of these")
    add_recorded_robot_options(add)
    add_detector_options(add)
    add_reference_options(add)
    add(
        "--score",
        action="store_true",
        help="FILE is a folder of `impact simulate --record`: score all detectors, or those of"
        " --detectors, against the simulated truth",
    )
    add(
        "--plot",
        type=Path,
        metavar="PNG",
        help="draw statistics around each event; with --score, detection rate over false alarms",
    )
    add(
        "--learn",
        action="store_true",
        help="FILE is free motion of your robot: propose thresholds for all detectors, or for"
        " those of --detectors",
    )
    add("-o", "--output", type=Path, metavar="YAML", help="with --learn: parameters for the node")
    add("--json", action="store_true", help="one JSON document on standard output")
    parser.set_defaults(run=run)
    return parser


def run(args: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    args.robot = recorded_robot(args.robot, args.file)
    if args.learn or args.output:
        return _learn(args)
    if args.score:
        return _score(args)
    args.detectors = args.detectors or (FUSED,)
    try:
        parameters = detector_parameters(args)
        robot = parameters.load_robot()
        session_for(parameters, robot)  # every setting is checked before a file is opened
        model = model_torque(args, robot)
        paths = recording_paths(args.file)
        recordings = [open_recording(path, robot, topic_choice(args)) for path in paths]
        settings = [with_reference(parameters, item, args.reference) for item in recordings]
    except ImpactError as error:
        return failed("impact detect", error, 2)
    traces = [Traces(recording.name) for recording in recordings]
    try:
        results = [
            detect(recording, setting, robot, model, collected if args.plot else None)
            for recording, setting, collected in zip(recordings, settings, traces, strict=True)
        ]
        if args.plot:
            _draw(traces, args.plot)
    except ImpactError as error:
        return failed("impact detect", error, _status(error))
    return _report(args, results, robot, parameters)


def _draw(collected: list[Traces], path: Path) -> None:
    """Draw the first events of all recordings."""
    found = [trace for traces in collected for trace in traces.found]
    left_out = len(found[MOST:]) + sum(traces.left_out for traces in collected)
    draw_events(found[:MOST], path)
    if left_out:
        print(
            f"impact detect: --plot: the first {MOST} events, {left_out} left out", file=sys.stderr
        )


def _learn(args: argparse.Namespace) -> int:
    """Propose thresholds from free motion; 1 if no detector could be judged."""
    if not args.learn:
        raise UsageError("--output: expected --learn with it")
    for option in ("score", "plot", "joint_friction", "no_tool"):
        if getattr(args, option):
            raise UsageError(f"--{option.replace('_', '-')}: not with --learn")
    refuse_inputs("--output", args.output, [args.robot])
    args.detectors = args.detectors or tuple(DETECTORS)
    try:
        parameters = detector_parameters(args)
        robot = parameters.load_robot()
        session_for(parameters, robot)  # every setting is checked before a file is opened
        recordings = [
            open_recording(path, robot, topic_choice(args)) for path in recording_paths(args.file)
        ]
        sources = [
            FreeMotionSource(
                recording,
                with_reference(parameters, recording, args.reference),
                comparable=recording.has_reference or args.reference == "model",
            )
            for recording in recordings
        ]
    except ImpactError as error:
        return failed("impact detect", error, 2)
    try:
        results, motion = learn(sources, parameters, robot)
    except ImpactError as error:
        return failed("impact detect", error, _status(error))
    reference = "model" if args.reference == "model" else "desired"
    found = node_parameters(results, replace(parameters, reference=reference))
    joints = [index + 1 for index in detection_joints(robot, parameters.joints)]
    status = _write(args.output, as_yaml(found)) if args.output and found else 0
    if args.json:
        setting = {"file": str(args.file), "robot": robot.name, "joints": joints}
        print(learn_json(results, motion, found, setting))
    else:
        setting_text = f"{args.file}: {robot.name}, joints {', '.join(map(str, joints))}"
        print(learn_text(results, motion, found, setting_text))
    if not found:
        return failed("impact detect", f"{args.file}: no detector could be judged", 1)
    return status


def _write(path: Path, text: str) -> int:
    """Write a file and return the exit status."""
    try:
        write_file(path, text)
    except WriteError as error:
        return failed("impact detect", f"--output: {error}", 1)
    return 0


def _score(args: argparse.Namespace) -> int:
    """Judge detectors by recorded trials whose truth is known; 1 if one missed an impact."""
    args.detectors = args.detectors or tuple(DETECTORS)
    try:
        parameters = replace(detector_parameters(args), reference="desired")
        robot = parameters.load_robot()
        session_for(parameters, robot)  # every setting is checked before a file is opened
        trials = read_trials(args.file, robot.dof)
    except ImpactError as error:
        raise UsageError(str(error)) from None
    bar = Progress(f"{len(trials)} trials")
    results = judge_trials(
        trials,
        parameters,
        own_thresholds=args.threshold is None and "threshold" not in args.thresholds,
        progress=lambda done, total: bar.update(done / total, f"{done}"),
    )
    bar.close("judged")
    found = scores(results)
    if args.plot:
        draw(results, args.plot)
    print(score_json(found, results) if args.json else score_text(found))
    first = next(score for score in found if score.kind == EVERYTHING)
    return 0 if first.found == first.hits and not first.false_alarms else 1


def _report(
    args: argparse.Namespace,
    results: list[DetectionResult],
    robot: Robot,
    parameters: DetectorParameters,
) -> int:
    """Print the results; fail if a file had no sample that could be judged."""
    joints = [index + 1 for index in detection_joints(robot, parameters.joints)]
    if args.json:
        folder = str(args.file) if args.file.is_dir() and len(results) > 1 else None
        print(as_json(results, folder, {"robot": robot.name, "joints": joints}))
    else:
        setting = f"{robot.name}, joints {', '.join(map(str, joints))}"
        print("\n".join(as_text(result, setting) for result in results))
    empty = [result.name for result in results if not result.judged]
    if empty:
        why = {text for result in results for text in result.troubles.values()}
        why |= {result.unusable for result in results if result.unusable}
        read = [result for result in results if result.samples and not result.unusable]
        if read and not any(result.torques for result in read):
            why.add("torques missing")
        reason = "; ".join(sorted(why)) or "too few samples"
        return failed(
            "impact detect", f"{', '.join(empty)}: no sample could be judged ({reason})", 1
        )
    return 0


def _status(error: ImpactError) -> int:
    """Return the exit status: 2 for a file that cannot be read, 1 for work that failed."""
    return 2 if isinstance(error, RecordingError) else 1
