# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `analyze`: writes a report of recorded impacts."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from impact_analysis.analyze.comparing.identify import CONTACT, ESTIMATES
from impact_analysis.analyze.page.documents import DOCUMENT, REPORT, write
from impact_analysis.analyze.reading.normals_file import read_normals
from impact_analysis.analyze.run import MARK, PARTS, analyze_into
from impact_analysis.analyze.settings import AnalysisSettings
from impact_analysis.detection.threshold_file import read_thresholds
from impact_analysis.present.plain import json_text
from impact_bags.folder_lock import made_and_locked
from impact_bags.new_files import write_file
from impact_cli.command_names import COMMANDS
from impact_cli.options.cluster_option import add_cluster_option
from impact_cli.options.detect_options import add_joint_state_topics, add_recorded_robot_options
from impact_cli.options.impact_options import PAYLOAD
from impact_cli.options.number_options import bounds, count, numbers
from impact_cli.progress import Progress
from impact_cli.recorded_robot import recorded_robot
from impact_detector.estimators.gross_methods import GROSS_METHODS, RELEASE
from impact_predictor.laws.friction_law import FRICTION_LAWS
from impact_robots.exceptions import UsageError
from impact_trials.processes import cores

if TYPE_CHECKING:
    from impact_analysis.analyze.result import Analysis
    from impact_analysis.learning.recorded_hits import RecordedLearning

_EPILOG = """example:
  impact simulate flex_exp_type1 flex_exp_type2 --trials 5 --record trials
  impact analyze trials --out results
  impact analyze bag --robot panda --normal=-1,0,0 --friction 0.1 --out results --json
  impact analyze bag --learn --out results

Writes report.html, analysis.json, impacts.csv, predictions.csv, comparison.csv and ranking.csv into
the folder, and joints.yaml if the hits narrow the joint ranges of the robot's YAML. The normal is
read from the announcements of impact_qp if they were recorded.
Exit status: 0 done, 1 no recording could be read or the analysis failed, 2 wrong usage.
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the command's parser to what ``ArgumentParser.add_subparsers`` returned."""
    parser = subparsers.add_parser(
        "analyze",
        help=COMMANDS["analyze"],
        description="Find the impacts in a CSV, a bag (MCAP, sqlite3) or a folder of these, compare"
        " every impact model with them, identify friction, restitution and contact, and write a"
        " report.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for add_options in (_add_inputs, _add_surface, _add_models, _add_topics, _add_work):
        add_options(parser.add_argument)
    parser.set_defaults(run=run)
    return parser


def _add_inputs(add: Callable[..., Any]) -> None:
    """Add the options of recordings, results and arm; ``add``: the parser's ``add_argument``."""
    add("file", metavar="FILE", type=Path, help="CSV, bag, or folder of these")
    add("--out", type=Path, required=True, metavar="DIR", help="folder for report and results")
    add_recorded_robot_options(add)
    add("--payload", type=bounds, metavar="KG", help=PAYLOAD)


def _add_surface(add: Callable[..., Any]) -> None:
    """Add the options of the surface and of the detection thresholds."""
    add("--normal", type=numbers, metavar="X,Y,Z", help="outward normal of the surface, base axes")
    add(
        "--normals",
        type=read_normals,
        default={},
        metavar="CSV",
        help="one normal per recording: recording,normal_x,normal_y,normal_z; --normal for others",
    )
    add(
        "--thresholds",
        type=read_thresholds,
        default={},
        metavar="YAML",
        help="detection thresholds of your arm, from detect --learn -o (default: the Panda's)",
    )
    add(
        "--wrench-normal",
        type=numbers,
        metavar="X,Y,Z",
        help="the normal in the axes of the force sensor (default: those are base axes)",
    )


def _add_models(add: Callable[..., Any]) -> None:
    """Add the options of assumed values and of identification methods."""
    assume = "assumed {}, a number or low,high (default: identified from the impacts)"
    add("--friction", type=bounds, metavar="MU", help=assume.format("friction"))
    add("--restitution", type=bounds, metavar="E", help=assume.format("restitution"))
    add("--law", choices=FRICTION_LAWS, default="coulomb", help="friction law (default: coulomb)")
    add(
        "--method",
        choices=GROSS_METHODS,
        default=RELEASE,
        help="how the gross velocity is computed (default: release; as published: polynomial)",
    )
    add(
        "--friction-estimate",
        choices=ESTIMATES,
        default=CONTACT,
        help="ratio of the impulses of contacts that slide, or what explains all joint velocities"
        " best (default: contact; as published: velocities)",
    )
    add(
        "--restitution-estimate",
        choices=ESTIMATES,
        default=CONTACT,
        help="mean over the impacts of the restitution at the contact point, or the value that"
        " fits all joint velocities best (default: contact; as published: velocities)",
    )


def _add_topics(add: Callable[..., Any]) -> None:
    """Add the options that name the topics of a bag."""
    add_joint_state_topics(add)
    add(
        "--wrench-topic",
        default="",
        metavar="TOPIC",
        help="forces in the bag (default: the topic with the highest rate)",
    )
    add(
        "--object-topic",
        default="",
        metavar="TOPIC",
        help="pose or velocity of the object that is hit (default: a topic with box or object in"
        " its name)",
    )


def _add_work(add: Callable[..., Any]) -> None:
    """Add the options of parallel work and of output."""
    add("--jobs", type=count, default=cores(), metavar="N", help="processes (default: cores)")
    add_cluster_option(add)
    add(
        "--learn",
        action="store_true",
        help="learn wall and joints from all hits together, as impact learn does; takes some tenths"
        " of a second per hit; writes learned/wall.yaml and learned/joints.yaml",
    )
    add("--resume", action="store_true", help="continue in DIR: skip finished recordings")
    add("--json", action="store_true", help="one JSON document on standard output")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    out, arguments.robot = arguments.out, recorded_robot(arguments.robot, arguments.file)
    known = vars(arguments)  # but for what only an analysis finds, such as a payload's centre
    names = [each.name for each in fields(AnalysisSettings) if each.name in known]
    settings = {name: known[name] for name in names}
    AnalysisSettings(**settings).load_robot()  # wrong settings fail before anything is made
    _check_out(out, resume=arguments.resume)
    with made_and_locked(out, "--out"):
        _check_out(out, resume=arguments.resume)  # nobody else changes it from here on
        return _analyze(arguments, settings)


def _analyze(arguments: argparse.Namespace, settings: dict[str, Any]) -> int:
    """Analyse into a folder that is ours, and return the exit status."""
    started, out = time.monotonic(), arguments.out
    bar = Progress("analyze")
    begun = time.monotonic()

    def progress(share: float, note: str) -> None:
        spent = time.monotonic() - begun
        left = f", {spent / share - spent:.0f} s left" if share > 0.05 else ""
        bar.update(share, note + left)

    try:
        analysis = analyze_into(
            arguments.file,
            out=out,
            jobs=arguments.jobs,
            resume=arguments.resume,
            progress=progress,
            **settings,
        )
    except KeyboardInterrupt:
        finished = sum(1 for _ in (out / PARTS).glob("*.json")) if out.is_dir() else 0
        print(
            f"\nimpact analyze: stopped; {finished} recordings are finished,"
            f" continue with --resume --out {out}",
            file=sys.stderr,
        )
        return 130
    document = write(analysis, out)
    learned = _learn(arguments.file, analysis, out) if arguments.learn else None
    if learned is not None:
        document["learned"] = learned.as_json()
        write_file(out / DOCUMENT, json_text(document) + "\n")
    bar.close(f"{len(analysis.impacts)} impacts")
    if arguments.json:
        print(json_text(document))
    else:
        print("\n".join([*analysis.answer, *[f"! {text}" for text in analysis.warnings[:10]]]))
        if len(analysis.warnings) > 10:
            print(f"! and {len(analysis.warnings) - 10} more warnings, see the report")
        if learned is not None:
            print("\n".join(learned.lines()))
        print(f"Report: {out / REPORT}. Took {time.monotonic() - started:.0f} s.")
    return 0 if any(not each.error for each in analysis.recordings) else 1


def _learn(path: Path, analysis: Analysis, out: Path) -> RecordedLearning:
    """Learn wall and joints from all hits, and write what came out."""
    from impact_analysis.learning.recorded_hits import learn_analysis, write_learned  # slow

    learned = learn_analysis(path, analysis)
    write_learned(learned, out)
    return learned


def _check_out(out: Path, *, resume: bool) -> None:
    """Refuse to overwrite anything but an earlier analysis."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"--out: expected a folder, {out} is a file")
    known = (out / MARK).is_file()
    if out.is_dir() and any(out.iterdir()) and not known:
        raise UsageError(f"--out: expected an empty folder, or one of an analysis, got {out}")
    if resume and not known:
        raise UsageError(f"--resume: expected the folder of an analysis, got {out}")
