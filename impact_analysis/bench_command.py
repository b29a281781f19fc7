# SPDX-License-Identifier: Apache-2.0
"""The command `bench`: how long things take, as ratios measured side by side."""

from __future__ import annotations

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from impact_analysis.exceptions import AnalysisError, UsageError

_FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"
_EPILOG = """example:
  impact bench predictor --json

Times are of this machine at this moment; ratios travel better.
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the command's parser to what ``ArgumentParser.add_subparsers`` returned."""
    parser = subparsers.add_parser(
        "bench",
        help="how long things take",
        description="Measure a part of the suite beside what it cannot do without.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", metavar="NAME", help="of a file in benchmarks/")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Measure, and print the figures."""
    figures = _benchmark(arguments.name).measure()
    if arguments.json:
        print(json.dumps({"benchmark": arguments.name, "figures": figures}, indent=2))
        return 0
    width = max(len(name) for name in figures)
    for name, value in figures.items():
        print(f"{name:<{width}}  {value:12,.2f}")
    return 0


def _benchmark(name: str) -> Any:
    """Return the module ``benchmarks/NAME.py``.

    Raises:
        AnalysisError: this is no checkout.
        UsageError: there is no such benchmark.
    """
    if not _FOLDER.is_dir():
        raise AnalysisError("bench: the benchmarks are in a checkout of the project, not here")
    sys.path.insert(0, str(_FOLDER))  # benchmarks share their helpers
    choices = [path.stem for path in sorted(_FOLDER.glob("*.py")) if _measures(path)]
    if name not in choices:
        raise UsageError(f"benchmark: expected one of {', '.join(choices)}, got {name!r}")
    return import_module(name)


def _measures(path: Path) -> bool:
    """Return whether a file is a benchmark and no helper."""
    return "\ndef measure(" in path.read_text()
