# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `simulate`: runs and records trials of named scenarios with the simulated truth."""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from impact_cli.__main__ import INTERRUPTED
from impact_cli.command_names import COMMANDS
from impact_cli.options.cluster_option import add_cluster_option
from impact_cli.options.number_options import count, seed
from impact_cli.progress import Progress
from impact_cli.reports.simulate_report import Row, as_json, as_text
from impact_robots.exceptions import UsageError
from impact_sim.scenario_choice import AnyScenario, find_scenario, simulated_names
from impact_trials.campaign_file import campaign_text
from impact_trials.parted_folder import PartedFolder
from impact_trials.processes import cores
from impact_trials.trial import Trial, TrialResult
from impact_trials.trial_folder import TrialFolder
from impact_trials.truth.trial_table import TABLE

_EPILOG = f"""example:
  impact simulate iim_wall_cfg1 iim_wall_cfg2 iim_wall_cfg3 --trials 50 --record wall
  impact simulate free_motion --trials 10 --json
  impact simulate rs_push_catfood_case2 --trials 5 --record push
  impact simulate --scenario mine.yaml

Scenarios: {", ".join(simulated_names())}.
Trial k of a scenario has its k-th reference speed, cyclically. Each trial has the next seed. The
same seed gives the same numbers for any number of processes, or on a cluster (--dask), whose
machines need access to the folder of --record. Repeat an interrupted call to continue it: the
folder holds the same bytes in the end, whatever --jobs or --dask.
Exit status: 0 done, 1 failed, 2 wrong usage.
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the command's parser to what ``ArgumentParser.add_subparsers`` returned."""
    parser = subparsers.add_parser(
        "simulate",
        help=COMMANDS["simulate"],
        description="Run trials of named scenarios: plant, detector and controller in one process,"
        " in the order of the nodes in lockstep. Prints a summary; records one bag per trial, and"
        " the simulated truth in trials.csv.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("scenarios", metavar="SCENARIO", nargs="*", help="named scenario, or its YAML")
    add("--scenario", action="append", default=[], metavar="SCENARIO", help="as SCENARIO")
    add("--trials", type=count, default=1, metavar="N", help="trials per scenario (default: 1)")
    add("--seed", type=seed, default=0, metavar="S", help="seed of the first trial (default: 0)")
    where = "folder for bags and trials.csv: new, or of the same call, which then continues"
    add("--record", type=Path, metavar="DIR", help=where)
    kept = "record one trial in N of each scenario, number 0, N, ... (default: 1, every trial)"
    add("--keep-bags", type=count, default=1, metavar="N", help=kept)
    rows = "rows in Parquet files, DIR/trials, instead of trials.csv: for very many trials"
    add("--parquet", action="store_true", help=rows)
    add("--jobs", type=count, default=cores(), metavar="N", help="processes (default: cores)")
    add_cluster_option(add)
    add("--json", action="store_true", help="one JSON document on standard output")
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Run the trials and return the exit status.

    Raises:
        ImpactError: an unknown scenario, a folder that is there already, or a trial that failed.
    """
    from impact_trials.campaign import trials_of  # loads slowly

    started = time.monotonic()
    if arguments.record is None and (arguments.parquet or arguments.keep_bags > 1):
        raise UsageError("simulate: --parquet and --keep-bags need --record DIR")
    scenarios = [find_scenario(name) for name in _named(arguments)]
    trials = trials_of(scenarios, arguments.trials, arguments.seed)
    folder = _folder(arguments, scenarios, trials)
    try:
        rows = _run(trials, arguments, folder)
    except KeyboardInterrupt:
        if folder is None:
            raise
        done = f"{folder.count} of {len(trials)} trials are finished"
        print(f"impact simulate: interrupted; {done}, repeat the call to continue", file=sys.stderr)
        return INTERRUPTED
    if arguments.json:
        print(as_json(rows, arguments.record, with_trials=not arguments.parquet))
        return 0
    print(as_text(rows))
    if arguments.record is not None:
        print(f"Recordings and {'trials/' if arguments.parquet else TABLE}: {arguments.record}")
    print(f"Took {time.monotonic() - started:.0f} s.")
    return 0


def _named(arguments: argparse.Namespace) -> list[str]:
    """Return the given scenarios, each once.

    Raises:
        UsageError: none, or two whose trials would have one name.
    """
    names = list(dict.fromkeys([*arguments.scenarios, *arguments.scenario]))
    if not names:
        raise UsageError("simulate: the following arguments are required: SCENARIO")
    stems = [Path(name).stem for name in names]
    if doubled := [stem for stem in stems if stems.count(stem) > 1]:
        raise UsageError(f"simulate: expected scenarios of different names, got {doubled[0]} twice")
    return names


def _folder(
    arguments: argparse.Namespace, scenarios: Sequence[AnyScenario], trials: Sequence[Trial[Any]]
) -> TrialFolder | None:
    """Return the folder to record into, None if nothing is to be recorded.

    Raises:
        UsageError: it cannot be used.
    """
    from impact_trials.campaign import table_columns  # loads slowly

    if arguments.record is None:
        return None
    columns, every, parquet = table_columns(scenarios), arguments.keep_bags, arguments.parquet
    campaign = campaign_text(
        scenarios, arguments.trials, arguments.seed, keep_bags=every, parquet=parquet
    )
    if parquet:
        names = [scenario.name for scenario in scenarios]
        shape = names, arguments.trials, every
        return PartedFolder(arguments.record, columns, campaign, *shape)
    names = [trial.name for trial in trials]
    return TrialFolder(arguments.record, columns, campaign, names)


def _run(
    trials: Sequence[Trial[Any]], arguments: argparse.Namespace, folder: TrialFolder | None
) -> Iterable[Row]:
    """Return the rows of all trials, written one by one where they are recorded."""
    from impact_trials.campaign import run_campaign  # loads slowly

    bar = Progress("simulate") if sys.stderr.isatty() else None
    rows: list[Row] = []  # of trials that are not recorded

    def take(result: TrialResult) -> None:
        if folder is None:
            rows.append(result.row)
        else:
            folder.add(result.row)

    with folder or contextlib.nullcontext():
        unfinished = None if folder is None else folder.unfinished
        left = (  # a trial that is finished is not made
            trials[index] for index in range(len(trials)) if folder is None or not folder.has(index)
        )
        done = 0 if folder is None else folder.count
        found = run_campaign(
            left,
            unfinished,
            arguments.jobs,
            keep=take,
            keep_bags=arguments.keep_bags,
        )
        with contextlib.closing(found) as results:
            for result in results:
                take(result)
                done += 1
                if bar is not None:
                    bar.update(done / len(trials), f"{done} of {len(trials)} trials")
    if bar is not None:
        bar.close(f"{done} trials")
    return rows if folder is None else folder.rows()
