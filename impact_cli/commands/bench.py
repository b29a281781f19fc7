# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `bench`: computation times, compared in one run, and rates of failed checks."""

from __future__ import annotations

import argparse
import inspect
import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from impact_analysis.present.plain import json_text
from impact_analysis.present.table import aligned
from impact_bags.exceptions import AnalysisError
from impact_cli.command_names import COMMANDS
from impact_robots.exceptions import UsageError

_FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"
_EPILOG = """example:
  impact bench predictor --json
  impact bench adversary --quick
  impact bench adversary --out adversary --json

Times depend on this machine and its load; ratios are easier to compare between machines. With them
comes how often something takes the core for more than 1 us, before and after: beyond some 1,000 a
second the host of a virtual machine does, and ratios to compiled code are larger.
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the command's parser to what ``ArgumentParser.add_subparsers`` returned."""
    parser = subparsers.add_parser(
        "bench",
        help=COMMANDS["bench"],
        description="Measure the computation time of a part of the suite and of its fixed costs.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", metavar="NAME", help="name of a file in benchmarks/")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    parser.add_argument("--quick", action="store_true", help="run a shorter form (adversary)")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="save each part when it is finished (adversary)"
    )
    parser.add_argument("--resume", action="store_true", help="continue the run saved in --out")
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Measure, and print the figures; return 1 if a check failed."""
    measure = _benchmark(arguments.name).measure
    options = _options(arguments, measure)
    interruptions = import_module("side_by_side").interruptions
    before = interruptions()
    figures = measure(**options)
    if "failed" in figures:
        return _print_counts(figures, arguments.json)
    machine = {
        "cores": len(os.sched_getaffinity(0)),
        "interruptions before [1/s]": before,
        "interruptions after [1/s]": interruptions(),
    }
    if arguments.json:
        document = {"benchmark": arguments.name, "machine": machine, "figures": figures}
        print(json_text(document))
        return 0
    rows = {f"machine, {name}": value for name, value in machine.items()} | figures
    print(*aligned([(name, f"{value:,.2f}") for name, value in rows.items()]), sep="\n")
    return 0


def _options(arguments: argparse.Namespace, measure: Callable[..., Any]) -> dict[str, Any]:
    """Return the keyword arguments of the benchmark.

    Raises:
        UsageError: it has no short form, or cannot be resumed.
    """
    missing = {"quick": "has no short form", "out": "keeps nothing", "resume": "keeps nothing"}
    options = {name: getattr(arguments, name) for name in missing if getattr(arguments, name)}
    for name in options:
        if name not in inspect.signature(measure).parameters:
            raise UsageError(f"--{name}: benchmark {arguments.name} {missing[name]}")
    if options.get("resume") and "out" not in options:
        raise UsageError("--resume: expected --out DIR, the folder to go on with")
    return options


def _print_counts(counts: dict[str, Any], as_json: bool) -> int:
    """Print the numbers of trials and failures by name; return 1 if anything failed."""
    tried, failed = counts["tried"], counts["failed"]
    if as_json:
        print(json_text(counts))
    else:
        rows = ((name, f"{count:,}", f"{failed[name]:,}") for name, count in tried.items())
        print(*aligned([("", "tried", "failed"), *rows]), sep="\n")
    return int(any(failed.values()))


def _benchmark(name: str) -> Any:
    """Return the module ``benchmarks/NAME.py``.

    Raises:
        AnalysisError: this is no checkout.
        UsageError: there is no such benchmark.
    """
    if not _FOLDER.is_dir():
        raise AnalysisError("bench: the benchmarks are in a checkout of the project, not here")
    sys.path.insert(0, str(_FOLDER))  # benchmarks share their helpers
    choices = benchmark_names()
    if name not in choices:
        raise UsageError(f"benchmark: expected one of {', '.join(choices)}, got {name!r}")
    return import_module(name)


def benchmark_names() -> list[str]:
    """Return the names of all benchmarks, none outside a checkout."""
    return [path.stem for path in sorted(_FOLDER.glob("*.py")) if _measures(path)]


def _measures(path: Path) -> bool:
    """Return whether a file is a benchmark and no helper."""
    return "\ndef measure(" in path.read_text()
