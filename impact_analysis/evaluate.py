# SPDX-License-Identifier: Apache-2.0
"""The command `evaluate`: impact models against measured impacts."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from impact_analysis.evaluate_report import as_json, as_text
from impact_analysis.evaluate_run import FEWEST, ImpactEvaluation, evaluate
from impact_analysis.planar_impact_file import COLUMNS, PlanarImpactFile
from impact_analysis.planar_impacts import PlanarDataset
from impact_analysis.progress import Progress
from impact_robots.exceptions import ImpactError

_EPILOG = f"""example:
  impact evaluate ellipse_impacts.csv
  impact evaluate ellipse_impacts.csv --seed 3 --json

Models are fitted to one random half of the impacts and judged on the other.
A data set is a CSV of planar impacts, one a row, at least {FEWEST} of them, SI units, with the
columns {", ".join(COLUMNS[:5])},
{", ".join(COLUMNS[5:8])} and the contact rows
{", ".join(COLUMNS[8:])} (the last usually with its sign turned: which
signs the levers have is found from the data, said, and refused where it is not clear).
Exit status: 0 done, 1 failed, 2 wrong usage, or a file that cannot be read.
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the command's parser to what ``ArgumentParser.add_subparsers`` returned."""
    parser = subparsers.add_parser(
        "evaluate",
        help="compare impact models on measured impacts",
        description="Fit impact models to half of measured impacts, judge them on the other half.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("dataset", metavar="DATASET", type=Path, help="CSV of measured impacts")
    parser.add_argument(
        "--seed",
        type=_seed,
        default=0,
        metavar="N",
        help="of the random halves and of the intervals (default: 0)",
    )
    parser.add_argument(
        "--inertia-ratio",
        type=_inertia_ratio,
        metavar="M2",
        help="I/m of the body [m^2], where it is known (default: estimated from the fit data)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    parser.set_defaults(run=run)
    return parser


def run(args: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    try:
        dataset = PlanarImpactFile(args.dataset).read()
    except ImpactError as error:
        return _fail(error, 2)
    try:
        found = _evaluate(dataset, args.seed, args.inertia_ratio)
    except ImpactError as error:
        return _fail(error, 1)
    print(as_json(found) if args.json else as_text(found))
    return 0


def _evaluate(dataset: PlanarDataset, seed: int, inertia: float | None) -> ImpactEvaluation:
    """Evaluate, with a bar where somebody can see it."""
    if not sys.stderr.isatty():
        return evaluate(dataset, seed, inertia=inertia)
    bar = Progress("evaluate")
    found = evaluate(dataset, seed, progress=bar.update, inertia=inertia)
    bar.close("done")
    return found


def _seed(text: str) -> int:
    """Return a seed."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number, at least 0, got {text!r}")
    return int(text)


def _inertia_ratio(text: str) -> float:
    """Return an inertia per mass [m^2]."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not 0.0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a number above 0 in m^2, got {text!r}")
    return value


def _fail(message: object, status: int) -> int:
    """Print one line on standard error and return the status."""
    print(f"impact evaluate: {' '.join(str(message).split())}", file=sys.stderr)
    return status
