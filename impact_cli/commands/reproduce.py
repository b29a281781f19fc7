# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `reproduce`: published numbers next to the project's own."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from typing import Any

from impact_cli.command_names import COMMANDS
from impact_cli.commands.simulate import cores
from impact_cli.number_options import count, seed
from impact_cli.progress import Progress
from impact_robots.exceptions import UsageError

TABLES = {
    "iim": "inverse inertia, contact models, detection: H1 to H9",
    "flex": "flexible joints: H10 to H14",
    "rs": "predictions by a nonsmooth simulator: H15 to H19",
    "qp": "impact-aware control: H20 to H24",
}
FOREIGN = "foreign"
_EPILOG = """example:
  impact reproduce
  impact reproduce flex --json
  impact reproduce foreign

tables:
""" + "".join(f"  {name:<5} {text}\n" for name, text in TABLES.items())
_EPILOG += f"""
  {FOREIGN:<5} how true an analysis is of arms that are not ours (some minutes; only by name)

Exit status: 0 every claim that can be had is reproduced, 1 one differs (of {FOREIGN}: a sentence of
a report is false), 2 wrong usage.
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the command's parser to what ``ArgumentParser.add_subparsers`` returned."""
    parser = subparsers.add_parser(
        "reproduce",
        help=COMMANDS["reproduce"],
        description="Recompute what the papers claim, from their tables, from models and by"
        " simulation: published, ours, difference, verdict.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "table",
        metavar="TABLE",
        nargs="?",
        choices=(*TABLES, FOREIGN),
        help="one table (default: all)",
    )
    add("--seed", type=seed, default=0, help="of everything that is drawn (default: 0)")
    add("--setups", type=count, metavar="N", help=f"of {FOREIGN}, to draw (default: 50)")
    add("--jobs", type=count, metavar="N", help=f"processes of {FOREIGN} (default: cores)")
    add("--json", action="store_true", help="one JSON document on standard output")
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Recompute and print; the studies are imported late because they load much."""
    if arguments.table == FOREIGN:
        return _run_foreign(arguments)
    if arguments.setups or arguments.jobs:
        raise UsageError(f"--setups, --jobs: expected table {FOREIGN}, got {arguments.table}")
    from impact_analysis.reproduce.printing import counts, summary, table_text
    from impact_analysis.reproduce.row import DIFFERS
    from impact_analysis.reproduce.tables import TABLES as MAKERS

    names = [arguments.table] if arguments.table else list(MAKERS)
    tables = []
    for index, name in enumerate(names):
        report, close = _progress(f"[{index + 1}/{len(names)}] {name}")
        tables.append(MAKERS[name](arguments.seed, report))
        close("done")
        if not arguments.json:
            print(table_text(tables[-1]) + "\n", flush=True)
    counted = counts(tables)
    if arguments.json:
        verdicts = {verdict.replace(" ", "_"): count for verdict, count in counted.items()}
        document = {"seed": arguments.seed, "verdicts": verdicts}
        print(json.dumps(document | {"tables": [table.as_json() for table in tables]}, indent=2))
    else:
        print(summary(tables))
    return 1 if counted[DIFFERS] else 0


def _run_foreign(arguments: argparse.Namespace) -> int:
    """Run the study of arms that are not ours, and print it."""
    from impact_analysis.reproduce.foreign import foreign_study as study
    from impact_analysis.reproduce.printing import study_text
    from impact_cli.reports.predict_report import finite

    report, close = _progress(FOREIGN)
    results = study.run(
        arguments.setups or study.SETUPS, arguments.seed, arguments.jobs or cores(), report
    )
    close("done")
    found = study.as_json(results, arguments.seed)
    if arguments.json:
        print(json.dumps(finite(found), indent=2, allow_nan=False))
    else:
        print("\n\n".join(study_text(each) for each in study.tables(results)))
        print(
            f"\n{found['found']} of {found['hits']} hits found; the true inertia is best in"
            f" {found['best_is_true_inertia']} of {found['setups']} set-ups;"
            f" {found['false_sentences']} of {found['sentences']} sentences false"
        )
        for result in results:
            for sentence in result.false_sentences:
                print(f"false in set-up {result.seed}: {sentence}")
    return 1 if found["false_sentences"] else 0


def _progress(label: str) -> tuple[Callable[[float, str], None], Callable[[str], None]]:
    """Return how to report progress and its end: a bar on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        return (lambda *_: None), (lambda *_: None)
    progress = Progress(label)
    return progress.update, progress.close
