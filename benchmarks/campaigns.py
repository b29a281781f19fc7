# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Simulated hits per hour of campaigns, on one and two processes, and the overhead of a task.

The hits are those of ``impact simulate iim_wall_cfg1 --record``: approach, detector, controller,
the contact, a passive hit for the truth, and a bag each. Every campaign must give the same numbers.
Run it with ``./impact bench campaigns`` (1,000 hits, about a quarter of an hour), or with
``--quick`` for 60.
"""

from __future__ import annotations

import os
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from impact_sim.scenarios import load_scenario
from impact_trials.campaign import run_campaign, run_trial, trials_of
from impact_trials.processes import Workers
from impact_trials.trial import Trial

SCENARIO = "iim_wall_cfg1"
HITS, FEW = 1000, 60
TASKS = 2000  # without work, for what a task costs
MILLION = 1e6
CORES = (2, 100, 1000)  # of a cluster


class Taken(NamedTuple):
    """What something took."""

    wall: float  # [s]
    processor: float  # of this process and those that it waited for [s]


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
    return figures


def _campaign(trials: list[Trial[Any]], *, jobs: int) -> tuple[Taken, list[dict[str, Any]]]:
    """Run a recorded campaign; return what it took, and the rows of its table."""
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:

        def work() -> None:
            rows.extend(each.row for each in run_campaign(trials, Path(folder), jobs))

        return _taken(work), rows


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
