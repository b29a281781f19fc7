# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `reproduce`: published numbers next to the project's own."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from impact_analysis.present.plain import json_text
from impact_cli.command_names import COMMANDS
from impact_cli.options.cluster_option import HELP, add_cluster_option
from impact_cli.options.number_options import count, seed
from impact_cli.progress import Progress
from impact_robots.exceptions import UsageError

if TYPE_CHECKING:
    from studies.row import ClaimTable

TABLES = {
    "iim": "inverse inertia, contact models, detection: H1 to H9",
    "flex": "flexible joints: H10 to H14",
    "rs": "predictions by a nonsmooth simulator: H15 to H19",
    "qp": "impact-aware control: H20 to H24",
}
FOREIGN, LOAD, LEARN, HRP4, VAL2 = "foreign", "load", "learn", "hrp4", "val2"
PEOPLE, HAMMER, FIELDS, ENGINES = "people", "hammer", "fields", "engines"
DEMONSTRATIONS = "demonstrations"
RESUMABLE = FOREIGN, LOAD, LEARN, HRP4, VAL2, PEOPLE, HAMMER, FIELDS
STUDIES = (*RESUMABLE, ENGINES, DEMONSTRATIONS)  # made only by name
_EPILOG = """example:
  impact reproduce
  impact reproduce flex --json
  impact reproduce foreign
  impact reproduce load --poses 20 --jobs 2
  impact reproduce load --poses 1 --grabs 60
  impact reproduce learn --truths 20 --out walls
  impact reproduce hrp4 --trials 2 --jobs 2
  impact reproduce hrp4 --only balance --out pushes
  impact reproduce hrp4 --only joint_loads --grabs 10
  impact reproduce val2 --trials 1 --out quick
  impact reproduce people --contacts 50
  impact reproduce hammer --setups 4 --out quick
  impact reproduce engines --setups 40 --json
  impact reproduce engines --setups 1 --trials 1
  impact reproduce fields --trials 1 --out fields
  impact reproduce demonstrations --trials 1 --json

tables:
""" + "".join(f"  {name:<5} {text}\n" for name, text in TABLES.items())
_EPILOG += f"""
  {FOREIGN:<5} how true an analysis is of arms that are not ours (some minutes; only by name)
  {LOAD:<5} joint loads: model, limit, published formula: L1 to L7 (some minutes; only by name)
  {LEARN:<5} walls and joints learned from hits: W1 to W6 (40 minutes of one core; only by name)
  {HRP4:<5} HRP-4 grabs boxes, and what makes it fall: H23, G1 to G9 (30 minutes; only by name)
  {VAL2:<5} net feedback of 450 simulated pushes and grabs: V1 to V6 (10 minutes; only by name)
  {PEOPLE:<5} contacts with people and touches: P1 to P5 (15 minutes of one core; only by name)
  {FIELDS:<5} velocity fields beside references in time: F1 to F4 (40 minutes; only by name)
  {HAMMER:<5} strikes with a tool: S1 to S8 (45 minutes of one core; only by name)
  {ENGINES:<5} impacts beside MuJoCo and DART: E1 to E5, E6 and E7 by --trials (5 minutes; by name)
  {DEMONSTRATIONS} references from a hand's demonstrations: D1 to D5 (2 minutes; only by name)

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
        choices=(*TABLES, *STUDIES),
        help="one table (default: iim, flex, rs and qp)",
    )
    add("--seed", type=seed, default=0, help="of everything that is drawn (default: 0)")
    setups = f"of {FOREIGN}, to draw (default: 30 of a family); of {HAMMER} (default: 100); of"
    setups += f" {ENGINES}, pushes and grabs (default: 500)"
    add("--setups", type=count, metavar="N", help=setups)
    add("--family", metavar="NAME", help=f"of {FOREIGN}, of disturbances (default: all in turn)")
    add("--poses", type=count, metavar="N", help=f"of {LOAD}, to draw (default: 200)")
    grabs = f"of {LOAD}, of two arms, to draw for L7 (default: none); of {HRP4}, with flexible"
    grabs += " joints (default: 50)"
    add("--grabs", type=count, metavar="N", help=grabs)
    truths = f"of {LEARN}, walls to draw; of each other case one in five (default: 120)"
    add("--truths", type=count, metavar="N", help=truths)
    drawn = f"of {PEOPLE}, with people and touches each (default: 1000)"
    add("--contacts", type=count, metavar="N", help=drawn)
    jobs = f"processes of {', '.join(STUDIES)} (default: cores)"
    add("--jobs", type=count, metavar="N", help=jobs)
    trials = f"of {VAL2}, at each level (default: 5); of {HRP4}, of each scenario (default: 20); of"
    trials += f" {FIELDS}, seeds of each case (default: 10); of {ENGINES}, seeds of each rs_*"
    trials += f" with references by each map (default: none); of {DEMONSTRATIONS} (default: 5)"
    add("--trials", type=count, metavar="N", help=trials)
    add("--pushes", type=count, metavar="N", help=f"of {HRP4}, to draw (default: 200)")
    only = f"of {HRP4}, one part: pushes, or grabs with flexible joints; some 10 minutes"
    add("--only", choices=("balance", "joint_loads"), help=only)
    add(
        "--out",
        type=Path,
        metavar="DIR",
        help=f"of {', '.join(RESUMABLE)}: what is finished (default: TABLE_study;"
        f" {FOREIGN}, {HRP4}: nothing is kept; of {HRP4} only pushes are)",
    )
    add(
        "--resume",
        action="store_true",
        help=f"of {', '.join(RESUMABLE)}: go on with what DIR holds",
    )
    add_cluster_option(add, f"{HELP} (of {', '.join(STUDIES)})")
    add("--json", action="store_true", help="one JSON document on standard output")
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Recompute and print; the studies are imported late because they load much."""
    _check(arguments)
    if arguments.table == FOREIGN:
        return _run_foreign(arguments)
    from studies.origin import origin
    from studies.printing import counts, summary, table_text
    from studies.row import DIFFERS

    tables, start = [], time.monotonic()
    made_by_name = arguments.table in STUDIES
    for table in (_study if made_by_name else _tables)(arguments):
        tables.append(table)
        if not arguments.json:
            print(table_text(table) + "\n", flush=True)
    counted = counts(tables)
    if arguments.json:
        verdicts = {verdict.replace(" ", "_"): count for verdict, count in counted.items()}
        document: dict[str, Any] = {"seed": arguments.seed} | origin(time.monotonic() - start)
        document |= {"verdicts": verdicts}
        for table in tables:
            document |= table.summary
        document |= {"tables": [table.as_json() for table in tables]}
        print(json_text(document))
    else:
        print(summary(tables))
    return 1 if counted[DIFFERS] else 0


def _check(arguments: argparse.Namespace) -> None:
    """Refuse an option of another table."""
    options: dict[str, tuple[str, ...]] = {
        "setups": (FOREIGN, HAMMER, ENGINES),
        "family": (FOREIGN,),
        "poses": (LOAD,),
        "grabs": (LOAD, HRP4),
        "truths": (LEARN,),
        "contacts": (PEOPLE,),
        "jobs": STUDIES,
        "trials": (HRP4, VAL2, FIELDS, ENGINES, DEMONSTRATIONS),
        "pushes": (HRP4,),
        "only": (HRP4,),
        "dask": STUDIES,
        "out": RESUMABLE,
        "resume": RESUMABLE,
    }
    if arguments.table in (FOREIGN, HRP4) and arguments.resume and arguments.out is None:
        raise UsageError("--resume: expected --out DIR, the folder of the study, got none")
    for option, tables in options.items():
        if getattr(arguments, option) and arguments.table not in tables:
            expected = " or ".join(tables)
            raise UsageError(f"--{option}: expected table {expected}, got {arguments.table}")


def _tables(arguments: argparse.Namespace) -> Iterator[ClaimTable]:
    """Yield the tables of the papers, as they are made."""
    from studies.tables import TABLES as MAKERS

    names = [arguments.table] if arguments.table else list(MAKERS)
    for index, name in enumerate(names):
        report, close = _progress(f"[{index + 1}/{len(names)}] {name}")
        table = MAKERS[name](arguments.seed, report)
        close("done")
        yield table


def _study(arguments: argparse.Namespace) -> Iterator[ClaimTable]:
    """Yield the table of a study, which is made by name only."""
    from studies import long_studies

    makers = {
        LOAD: long_studies.load_table,
        VAL2: long_studies.val2_table,
        LEARN: long_studies.learn_table,
        HRP4: long_studies.hrp4_table,
        PEOPLE: long_studies.people_table,
        HAMMER: long_studies.hammer_table,
        ENGINES: long_studies.engines_table,
        FIELDS: long_studies.fields_table,
        DEMONSTRATIONS: long_studies.demonstrations_table,
    }
    report, close = _progress(arguments.table)
    table = makers[arguments.table](arguments, report)
    close("done")
    yield table


def _run_foreign(arguments: argparse.Namespace) -> int:
    """Run the study of arms that are not ours, and print it."""
    from studies.foreign import foreign_study as study
    from studies.long_studies import foreign_results
    from studies.printing import WIDTH

    report, close = _progress(FOREIGN)
    results = foreign_results(arguments, report)
    close("done")
    found = study.as_json(results, arguments.seed)
    if arguments.json:
        print(json_text(found))
    else:
        print("\n\n".join(each.text(WIDTH) for each in study.tables(results)))
        print(
            f"\n{found['found']} of {found['hits']} hits found; the true inertia is best in"
            f" {found['best_is_true_inertia']} of {found['set_ups']} set-ups;"
            f" {found['false_sentences']} of {found['sentences_that_can_be_false']} sentences that"
            " can be false are"
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
