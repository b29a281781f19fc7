# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Simulated hits per second, and whether a hit costs the same in large campaigns as in small ones.

The hits are those of ``impact simulate iim_wall_cfg1 --record``: approach, detector, controller,
the contact, a passive hit for the truth, and a bag each. Every campaign must give the same numbers.
``cost_growth`` is the time of the processor per hit of the larger of two campaigns, with rows in
Parquet files and one bag in 1,000 kept, over that of the smaller. The bookkeeping alone (rows,
files, what is finished) is measured without hits, for up to 100,000 trials. Run it with
``./impact bench campaigns`` (some ten minutes), or with ``--quick`` for a few hits.
"""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
import resource
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from impact_cli.command_line import run as run_command
from impact_sim.scenarios import load_scenario
from impact_trials.campaign import run_campaign, run_trial, table_columns, trials_of
from impact_trials.parted_folder import PartedFolder
from impact_trials.processes import Workers
from impact_trials.trial import Trial

SCENARIO = "iim_wall_cfg1"
HITS, FEW = 1000, 60
SIZES, SMALL = (200, 2000), (20, 60)  # of the campaigns whose cost per hit is compared
KEPT = 1000  # one bag in so many
KEPT_ROWS, FEW_ROWS = (1000, 100_000), (1000, 5000)  # of the bookkeeping alone
DRAWN = 997  # different rows
TASKS = 2000  # without work, for what a task costs
MILLION = 1e6
CORES = (2, 100, 1000)  # of a cluster


class Taken(NamedTuple):
    """What something took."""

    wall: float  # [s]
    processor: float  # of this process and those that it waited for [s]


class Bookkeeping(NamedTuple):
    """What a campaign takes beside its hits."""

    processor: float  # per trial [s]
    memory: float  # largest of the process, above that at the start [MB]
    files: float  # written [MB]


def measure(quick: bool = False) -> dict[str, float]:
    """Return all figures; quick: of fewer hits."""
    trials = trials_of([load_scenario(SCENARIO)], FEW if quick else HITS, 0)
    run_trial(trials[0])  # what is compiled is there
    alone, rows = _campaign(trials, jobs=1)
    pair, same = _campaign(trials, jobs=2)
    if rows != same:
        raise RuntimeError("another number of processes gave other numbers")
    start, task = _overhead()
    hit, hits = alone.processor / len(trials), len(trials)
    figures = {
        "hits": float(hits),
        "hits_per_s": hits / pair.wall,
        "a hit, processor time, one process [s]": hit,
        "a hit, processor time, two processes [s]": pair.processor / hits,
        "hits a second, one process": hits / alone.wall,
        "hits a second, two processes": hits / pair.wall,
        "two processes / one": alone.wall / pair.wall,
        "a process to start, processor time [s]": start,
        "a task beside its work, processor time [ms]": 1e3 * task,
    }
    for cores in CORES:
        hours = (MILLION * (hit + task) / cores + start) / 3600.0
        figures[f"1e6 hits on {cores} such cores [h]"] = hours
    return figures | _growth(SMALL if quick else SIZES) | _kept(FEW_ROWS if quick else KEPT_ROWS)


def _campaign(trials: Any, *, jobs: int) -> tuple[Taken, list[dict[str, Any]]]:
    """Run a recorded campaign; return what it took, and the rows of its table."""
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:

        def work() -> None:
            rows.extend(each.row for each in run_campaign(trials, Path(folder), jobs))

        return _taken(work), rows


def _growth(sizes: tuple[int, int]) -> dict[str, float]:
    """Return the cost of a hit in campaigns of two sizes, two processes each, and its growth.

    Without the start of the processes, which would make hits of the smaller one look dear.
    """
    start = _parted(2)  # mostly the start of two processes
    costs = {size: (_parted(size) - start) / (size - 2) for size in sizes}
    figures = {f"a hit of {n}, rows in Parquet [s]": cost for n, cost in costs.items()}
    return figures | {"cost_growth": costs[sizes[1]] / costs[sizes[0]]}


def _parted(size: int) -> float:
    """Return the processor time of a campaign with rows in Parquet files [s]."""
    with tempfile.TemporaryDirectory() as folder:
        asked = ["simulate", SCENARIO, "--trials", str(size), "--record", f"{folder}/wall"]
        asked += ["--parquet", "--keep-bags", str(KEPT), "--jobs", "2"]
        return _taken(partial(_silent, asked)).processor


def _silent(asked: list[str]) -> None:
    """Run a command without its output."""
    with contextlib.redirect_stdout(io.StringIO()):
        if run_command(asked) != 0:
            raise RuntimeError(f"impact {' '.join(asked)} failed")


def _kept(sizes: tuple[int, int]) -> dict[str, float]:
    """Return what the bookkeeping of so many trials takes, without hits."""
    figures = {}
    row = run_trial(trials_of([load_scenario(SCENARIO)], 1, 0)[0]).row
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for size in sizes:
            taken = Bookkeeping(*pool.apply(_book, (size, row)))
            figures |= {
                f"bookkeeping of {size} trials, processor time of each [ms]": 1e3 * taken.processor,
                f"bookkeeping of {size} trials, memory [MB]": taken.memory,
                f"bookkeeping of {size} trials, files [MB]": taken.files,
            }
    return figures


def _book(count: int, row: dict[str, Any]) -> Bookkeeping:
    """Store so many rows."""
    columns = table_columns([load_scenario(SCENARIO)])
    random = np.random.default_rng(0)
    drawn = [
        {
            key: value * random.uniform() if isinstance(value, float) else value
            for key, value in each
        }
        for each in [row.items()] * DRAWN
    ]
    with tempfile.TemporaryDirectory() as place:

        def store(name: str, some: int) -> None:
            folder = PartedFolder(Path(place) / name, columns, "{}\n", [SCENARIO], some)
            with folder:
                for number in range(some):
                    if not folder.has(number):
                        folder.add(drawn[number % DRAWN] | {"trial": number, "seed": number})

        store("first", 1000)  # what is loaded once
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        taken = _taken(lambda: store("all", count))
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        size = sum(each.stat().st_size for each in (Path(place) / "all").rglob("*"))
    return Bookkeeping(taken.processor / count, (after - before) / 1024.0, size * 1e-6)


def _overhead() -> tuple[float, float]:
    """Return the processor time of a worker's start, and of a task without work [s]."""
    start = _taken(lambda: _nothing(1))
    many = _taken(lambda: _nothing(TASKS))
    return start.processor, (many.processor - start.processor) / (TASKS - 1)


def _nothing(tasks: int) -> None:
    """Have tasks without work done, each with a trial's description, by one worker."""
    trial = trials_of([load_scenario(SCENARIO)], 1, 0)[0]
    with Workers(1, "bench") as workers:
        list(workers.on_processes(_named, [(trial,)] * tasks))


def _named(trial: Trial[Any]) -> str:
    return trial.name


def _taken(work: Callable[[], None]) -> Taken:
    """Return what some work takes, with the processes that it waits for."""
    wall, processor = time.perf_counter(), _processor()
    work()
    return Taken(time.perf_counter() - wall, _processor() - processor)


def _processor() -> float:
    """Return the processor time so far of this process and its finished children [s]."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(os.times()[:2]) + children.ru_utime + children.ru_stime
