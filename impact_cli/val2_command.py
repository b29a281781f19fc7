# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`impact reproduce val2`: its options, and how it is run, stopped and resumed."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from impact_cli.cores import cores
from impact_cli.number_options import count
from impact_cli.stopped_study import resumable, with_origin

if TYPE_CHECKING:
    from impact_analysis.reproduce.row import Claims

VAL2 = "val2"
OUT = Path("val2_study")


def add_val2_options(add: Callable[..., Any]) -> None:
    """Add the options that the study brings; other studies have some of them, too."""
    trials = f"of {VAL2}, at each level (default: 5); of hrp4, of each scenario (default: 20)"
    add("--trials", type=count, metavar="N", help=trials)
    add(
        "--out",
        type=Path,
        metavar="DIR",
        help=f"of load, learn and {VAL2}: what is finished (default: TABLE_study)",
    )
    add(
        "--resume",
        action="store_true",
        help=f"of load, learn and {VAL2}: go on with what DIR holds",
    )
    add("--dask", metavar="ADDRESS", help=f"of {VAL2}: scheduler of a Dask cluster to use instead")


def val2_table(arguments: argparse.Namespace, report: Callable[[float, str], None]) -> Claims:
    """Return the table of the study.

    Raises:
        SystemExit: Ctrl-C; how to go on has been said.
        ImpactError: a trial failed, or the folder cannot be used.
    """
    from impact_analysis.reproduce.validation import val2_report, val2_study
    from impact_analysis.reproduce.validation.val2_folder import FinishedTrials

    folder, seed = arguments.out or OUT, arguments.seed
    trials, jobs = arguments.trials or val2_study.TRIALS, arguments.jobs or cores()
    finished = FinishedTrials(folder, seed, resume=arguments.resume)
    with resumable(finished, "trials"):
        found = val2_study.run(trials, seed, jobs, report, finished, arguments.dask or "")
    return with_origin(val2_report.table(found), finished)
