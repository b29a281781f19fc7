# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `evaluate`: compares impact models with measured impacts."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from impact_analysis.planar.evaluate_run import FEWEST, ImpactEvaluation, evaluate
from impact_analysis.planar.planar_impact_file import COLUMNS, PlanarImpactFile
from impact_analysis.planar.planar_impacts import PlanarDataset
from impact_cli.command_names import COMMANDS
from impact_cli.landing_evaluate import LANDING, ROBOT, are_landings, landing_evaluation
from impact_cli.progress import Progress
from impact_cli.reports.evaluate_report import as_json, as_text
from impact_cli.toss_evaluate import are_tosses, toss_evaluations
from impact_robots.exceptions import ImpactError, UsageError
from impact_ros.standard_streams import failed

_EPILOG = f"""example:
  impact evaluate ellipse_impacts.csv
  impact evaluate ellipse_impacts.csv --seed 3 --json
  impact evaluate --fit monday.csv --test tuesday.csv
  impact evaluate cassie_landing_*.npz
  impact evaluate --fit cube_tosses_even.npz --test cube_tosses_odd.npz

Models are fitted to one random half of the impacts and tested on the other; with --fit
and --test, fitted to all impacts of one file and tested on all of the other
(at least {FEWEST // 2} each).
A data set is a CSV of planar impacts, one a row, at least {FEWEST} of them, SI units, with the
columns {", ".join(COLUMNS[:5])},
{", ".join(COLUMNS[5:8])} and the contact rows
{", ".join(COLUMNS[8:])} (the last often with the opposite sign: the
signs of the levers are determined from the data and printed; ambiguous data are refused).
Recorded landings of a legged robot, {LANDING} files, are accepted too: impact maps are
compared with the velocity jumps of the legs, simulations with the records; nothing is fitted.
Tosses of a convex body are accepted too, or impacts cut out of them (.npz, arrays toss, quaternion
and others; the body in a YAML): one file is halved by the parity of half the toss's number, and
each half is tested with what was fitted to the other.
Exit status: 0 done, 1 failed, 2 wrong usage, or a file that cannot be read.
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the command's parser to what ``ArgumentParser.add_subparsers`` returned."""
    parser = subparsers.add_parser(
        "evaluate",
        help=COMMANDS["evaluate"],
        description="Fit impact models to some measured impacts, test them on others.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "dataset",
        metavar="DATASET",
        type=Path,
        nargs="*",
        help="CSV of measured impacts, recorded landings, or tosses",
    )
    parser.add_argument("--fit", type=Path, metavar="FILE", help="impacts or tosses to fit")
    parser.add_argument("--test", type=Path, metavar="FILE", help="impacts or tosses to test on")
    parser.add_argument(
        "--seed",
        type=_seed,
        default=0,
        metavar="N",
        help="seed of the random halves and of the intervals (default: 0)",
    )
    parser.add_argument(
        "--inertia-ratio",
        type=_inertia_ratio,
        metavar="M2",
        help="I/m of the body [m^2] if known (default: estimated from the data of the fit)",
    )
    parser.add_argument(
        "--robot", metavar="NAME", help=f"robot of the landings, or its YAML (default: {ROBOT})"
    )
    parser.add_argument(
        "--body", type=Path, metavar="FILE", help="YAML of the tossed body (default: the cube)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    parser.set_defaults(run=run)
    return parser


def run(args: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    try:
        if are_tosses([*args.dataset, *(file for file in (args.fit, args.test) if file)]):
            return _run_tosses(args)
        if args.body is not None:
            raise UsageError("--body: expected tosses (.npz)")
        if are_landings(args.dataset):
            return _run_landings(args)
        if args.robot is not None:
            raise UsageError(f"--robot: expected recorded landings ({LANDING})")
        files = _files(args)
        datasets = [PlanarImpactFile(file).read() for file in files]
    except ImpactError as error:
        return failed("impact evaluate", error, 2)
    try:
        found = _evaluate(datasets, args.seed, args.inertia_ratio)
    except ImpactError as error:
        return failed("impact evaluate", error, 1)
    print(as_json(found) if args.json else as_text(found))
    return 0


def _run_landings(args: argparse.Namespace) -> int:
    """Evaluate recorded landings and return the exit status."""
    try:
        for option in ("fit", "test", "inertia_ratio"):
            if getattr(args, option) is not None:
                name = option.replace("_", "-")
                raise UsageError(f"--{name}: expected a CSV of impacts, got recorded landings")
        found = landing_evaluation(args.dataset, args.robot or ROBOT, args.seed)
    except ImpactError as error:
        return failed("impact evaluate", error, 2 if error.is_wrong_input else 1)
    from impact_cli.reports import landing_report  # loads slowly

    print(landing_report.as_json(found) if args.json else landing_report.as_text(found))
    return 0


def _run_tosses(args: argparse.Namespace) -> int:
    """Evaluate tosses and return the exit status."""
    try:
        found = toss_evaluations(args, _files(args))
    except ImpactError as error:
        return failed("impact evaluate", error, 2 if error.is_wrong_input else 1)
    from impact_cli.reports import toss_report  # loads slowly

    print(toss_report.as_json(found) if args.json else toss_report.as_text(found))
    return 0


def _files(args: argparse.Namespace) -> list[Path]:
    """Return the file to halve, or the one to fit and the one to test on.

    Raises:
        UsageError: neither form is given, both are mixed, several files to halve, or the same file
            twice.
    """
    pair = [file for file in (args.fit, args.test) if file is not None]
    if len(args.dataset) > 1:
        raise UsageError(f"expected one file, got {len(args.dataset)}; two: --fit and --test")
    if args.dataset and not pair:
        return list(args.dataset)
    if args.dataset:
        raise UsageError("expected DATASET, or --fit and --test, got both")
    if not pair:
        raise UsageError("the following arguments are required: DATASET, or --fit and --test")
    if len(pair) == 1:
        missing = "--test" if args.test is None else "--fit"
        raise UsageError(f"expected --fit and --test together, {missing} is missing")
    if pair[0].resolve() == pair[1].resolve():
        raise UsageError("expected two files for --fit and --test, got one; to halve it: DATASET")
    return pair


def _evaluate(datasets: list[PlanarDataset], seed: int, inertia: float | None) -> ImpactEvaluation:
    """Evaluate, with a progress bar on a terminal."""
    dataset, test = datasets[0], datasets[1] if len(datasets) > 1 else None
    if not sys.stderr.isatty():
        return evaluate(dataset, seed, inertia=inertia, test=test)
    bar = Progress("evaluate")
    found = evaluate(dataset, seed, progress=bar.update, inertia=inertia, test=test)
    bar.close("done")
    return found


def _seed(text: str) -> int:
    """Return a seed."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number, at least 0, got {text!r}")
    return int(text)


LARGEST_RATIO = 1e9  # [m^2]


def _inertia_ratio(text: str) -> float:
    """Return an inertia per mass [m^2]."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not 0.0 < value < LARGEST_RATIO:
        raise argparse.ArgumentTypeError(f"expected a number above 0 in m^2, got {text!r}")
    return value
