# SPDX-License-Identifier: Apache-2.0
"""Many trials, on as many processes as one likes: the same numbers in the same order."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.synchronize import Event
from pathlib import Path

from rosbags.typesys.store import Typestore

from impact_analysis.bags import impact_typestore
from impact_analysis.exceptions import AnalysisError
from impact_analysis.free_motion_trial import run_free_motion
from impact_analysis.impact_trial import run_impact
from impact_analysis.lockstep import Cycle
from impact_analysis.trial import Trial, TrialResult
from impact_analysis.trial_bag import TrialBag
from impact_robots.exceptions import ImpactError
from impact_robots.loader import load_robot
from impact_sim.scenarios import Scenario

_stop: Event | None = None  # of a worker: set when its campaign is over
_types: Typestore | None = None  # of a worker: made once


class StoppedError(AnalysisError):
    """The campaign was interrupted while this trial was running."""


def trials_of(scenarios: Sequence[Scenario], count: int, seed: int) -> list[Trial]:
    """Return ``count`` trials of each scenario, cycling through its speeds.

    Seeds count up from ``seed`` over all of them, so no two trials share their noise.
    """
    named = [(scenario, number) for scenario in scenarios for number in range(count)]
    return [
        Trial(scenario.of_trial(number), number, seed + index)
        for index, (scenario, number) in enumerate(named)
    ]


def run_trial(trial: Trial, folder: Path | None = None) -> TrialResult:
    """Run one trial, and record it into ``folder`` if there is one.

    Raises:
        AnalysisError: it failed; the text begins with its name.
    """
    run = run_free_motion if trial.scenario.motion else run_impact
    try:
        if folder is None:
            return run(trial, lambda cycle, _: _check(cycle))
        with _bag(trial, folder) as bag:

            def record(cycle: Cycle, event: bool) -> None:
                _check(cycle)
                bag.add(cycle, event)

            result = run(trial, record)
    except StoppedError:
        raise
    except ImpactError as error:
        raise AnalysisError(f"{trial.name}: {error}") from None
    return TrialResult(result.row | {"bag": trial.name}, result.detections)


def _bag(trial: Trial, folder: Path) -> TrialBag:
    """Return the recording of a trial; of a free motion without force, as there is none."""
    global _types
    _types = _types or impact_typestore()
    robot = load_robot(trial.scenario.robot)
    return TrialBag(folder / trial.name, robot, _types, forces=not trial.scenario.motion)


def _check(cycle: Cycle) -> None:
    """Give up when the campaign is over."""
    if _stop is not None and _stop.is_set():
        raise StoppedError(f"stopped at {cycle.measurement.time:.3f} s")


def run_campaign(trials: Sequence[Trial], folder: Path | None, jobs: int) -> Iterator[TrialResult]:
    """Yield the results in the order of the trials.

    Args:
        trials: what to run.
        folder: for the recordings; None: nothing is recorded.
        jobs: processes at work, at least 1; with 1 it is this one.

    Raises:
        AnalysisError: a trial failed, or a process died.
    """
    jobs = min(jobs, len(trials))
    if jobs < 2:
        yield from (run_trial(trial, folder) for trial in trials)
        return
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    pool = ProcessPoolExecutor(jobs, context, initializer=_begin, initargs=(stop,))
    try:
        with _interrupts_blocked():  # the processes inherit that: only this one is interrupted
            futures = [pool.submit(run_trial, trial, folder) for trial in trials]
        yield from map(_result, futures)
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)


def _result(future: Future[TrialResult]) -> TrialResult:
    """Wait for a result."""
    try:
        return future.result()
    except BrokenProcessPool:
        raise AnalysisError("simulate: a process died; was there enough memory?") from None


@contextlib.contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Let Ctrl-C wait."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(stop: Event) -> None:
    """Start a worker, which ends when its campaign does, or the campaign's process."""
    global _stop
    _stop = stop
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
