# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Many trials, on as many processes as one likes: the same numbers in the same order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from pathlib import Path

from rosbags.typesys.store import Typestore

from impact_bags import impact_typestore
from impact_bags.exceptions import AnalysisError
from impact_robots.exceptions import ImpactError
from impact_robots.loader import load_robot
from impact_sim.scenarios import Scenario
from impact_trials.free_motion_trial import run_free_motion
from impact_trials.impact_trial import run_impact
from impact_trials.lockstep import Cycle
from impact_trials.processes import StoppedError, Workers, check_stopped, result_of
from impact_trials.trial import Trial, TrialResult
from impact_trials.trial_bag import TrialBag

_types: Typestore | None = None  # of a worker: made once


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
            return run(trial, lambda *_: check_stopped())
        with _bag(trial, folder) as bag:

            def record(cycle: Cycle, event: bool) -> None:
                check_stopped()
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


def run_campaign(
    trials: Sequence[Trial],
    folder: Path | None,
    jobs: int,
    keep: Callable[[TrialResult], None] = lambda result: None,
) -> Generator[TrialResult, None, None]:
    """Yield the results in the order of the trials.

    Args:
        trials: what to run.
        folder: for the recordings; None: nothing is recorded.
        jobs: processes at work, at least 1; with 1 it is this one.
        keep: when it ends early, gets the results of trials that other processes had finished.

    Raises:
        AnalysisError: a trial failed, or a process died.
    """
    jobs = min(jobs, len(trials))
    if jobs < 2:
        yield from (run_trial(trial, folder) for trial in trials)
        return
    futures: deque[Future[TrialResult]] = deque()
    try:
        with Workers(jobs) as workers:
            futures.extend(workers.submit(run_trial, [(trial, folder) for trial in trials]))
            while futures:
                result = result_of(futures[0], "simulate")
                futures.popleft()
                yield result
    finally:
        for future in futures:
            if future.done() and not future.cancelled() and future.exception() is None:
                keep(future.result())
