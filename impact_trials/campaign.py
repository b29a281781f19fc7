# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Many trials in parallel; numbers and order do not depend on the number of processes."""

from __future__ import annotations

import contextlib
import errno
import gc
import itertools
import shutil
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, overload

from rosbags.typesys.store import Typestore

from impact_bags import impact_typestore
from impact_bags.exceptions import AnalysisError
from impact_robots.cell import robot_named
from impact_robots.exceptions import ImpactError, WriteError
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_sim.scenario_choice import AnyScenario, robots_of
from impact_trials.in_process.free_motion_trial import run_free_motion
from impact_trials.in_process.impact_trial import run_impact
from impact_trials.in_process.spreading_trial import run_spreading
from impact_trials.processes import StoppedError, check_stopped, in_order
from impact_trials.recording.cell_bag import CellBag
from impact_trials.recording.trial_bag import TrialBag
from impact_trials.trial import Trial, TrialResult
from impact_trials.truth.cell_truth import BOX_COLUMNS, arm_columns
from impact_trials.truth.trial_truth import columns

LOOKED = 20  # cycles between checks for a stop request
_types: Typestore | None = None  # of a worker: made once


class Trials(Sequence[Trial[Any]]):
    """All trials of a campaign, made when they are asked for."""

    def __init__(self, scenarios: Sequence[AnyScenario], count: int, seed: int) -> None:
        """Name them; see :func:`trials_of`."""
        self._scenarios, self._count, self._seed = tuple(scenarios), count, seed

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._scenarios) * self._count

    @overload
    def __getitem__(self, index: int) -> Trial[Any]: ...

    @overload
    def __getitem__(self, index: slice) -> list[Trial[Any]]: ...

    def __getitem__(self, index: int | slice) -> Trial[Any] | list[Trial[Any]]:
        """Return the trial of a number from 0, or some."""
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        place = range(len(self))[index]
        scenario, number = divmod(place, self._count)
        return Trial(self._scenarios[scenario].of_trial(number), number, self._seed + place)


def trials_of(scenarios: Sequence[AnyScenario], count: int, seed: int) -> Trials:
    """Return ``count`` trials of each scenario, cycling through its speeds.

    Each trial has the next seed from ``seed`` on, so all have different noise.
    """
    return Trials(scenarios, count, seed)


def run_trial(trial: Trial[Any], folder: Path | None = None) -> TrialResult:
    """Run one trial, and record it into ``folder`` if there is one.

    Raises:
        AnalysisError: it failed; the text begins with its name.
    """
    cycles = itertools.count()

    def look() -> None:
        if next(cycles) % LOOKED == 0:
            check_stopped()

    try:
        with _uncollected():  # until the bag is written, when nothing of the trial is left
            if folder is None:
                return _run(trial, lambda *_: look())
            with _attempt(folder, trial.name) as place, _bag(trial, place) as bag:

                def record(*cycle: Any) -> None:
                    look()
                    bag.add(*cycle)

                result = _run(trial, record)
    except StoppedError:
        raise
    except ImpactError as error:
        raise AnalysisError(f"{trial.name}: {error}") from None
    return TrialResult(result.row | {"bag": trial.name}, result.detections)


@contextlib.contextmanager
def _attempt(folder: Path, name: str) -> Iterator[Path]:
    """Yield a folder to record into; afterwards the recording is moved to its place.

    A process that was killed may have left its attempt, and a slow one may come to an end after
    another process did the same: the first recording stays.

    Raises:
        WriteError: the disk refused.
    """
    try:
        place = Path(tempfile.mkdtemp(prefix=".attempt_", dir=folder))
    except OSError as error:
        raise WriteError.of(folder / name, error) from None
    try:
        yield place
        if not (folder / name).exists():
            (place / name).rename(folder / name)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise WriteError.of(folder / name, error) from None
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _run(trial: Trial[Any], record: Callable[..., None]) -> TrialResult:
    """Run a trial of any kind; ``record`` is called with the data of its bag."""
    if isinstance(trial.scenario, SpreadingScenario):
        return run_spreading(trial, record)
    return (run_free_motion if trial.scenario.motion else run_impact)(trial, record)


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Put off the collection of garbage, which would look at all cycles of a trial many times."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _bag(trial: Trial[Any], folder: Path) -> TrialBag | CellBag:
    """Return the recording of a trial; without a force topic for free motion."""
    global _types
    _types = _types or impact_typestore()
    path = folder / trial.name
    if isinstance(trial.scenario, SpreadingScenario):
        return CellBag(path, trial.scenario.cell, _types)
    robot = robot_named(trial.scenario.robot)
    return TrialBag(path, robot, _types, forces=not trial.scenario.motion)


def table_columns(scenarios: Sequence[AnyScenario]) -> tuple[str, ...]:
    """Return the columns of trials.csv for trials of these scenarios."""
    dof = max(robot_named(name).dof for each in scenarios for name in robots_of(each))
    boxes = [each for each in scenarios if isinstance(each, SpreadingScenario)]
    arms = dict.fromkeys(name for each in boxes for name in each.arm_names)
    extra = [column for name in arms for column in arm_columns(name, dof)]
    return (*columns(dof), *extra, *(BOX_COLUMNS if boxes else ()))


def is_recorded(trial: Trial[Any], keep_bags: int) -> bool:
    """Return whether a trial is recorded if one in ``keep_bags`` is."""
    return trial.number % keep_bags == 0


def run_campaign(
    trials: Iterable[Trial[Any]],
    folder: Path | None,
    jobs: int,
    keep: Callable[[TrialResult], None] = lambda result: None,
    *,
    keep_bags: int = 1,
) -> Generator[TrialResult, None, None]:
    """Yield the results in the order of the trials.

    Args:
        trials: what to run.
        folder: for the recordings; None: nothing is recorded.
        jobs: number of processes, at least 1; 1: only this process. Within
            :func:`~impact_trials.processes.on_cluster` a cluster is used, which needs access to the
            folder.
        keep: on an early end, called with the results of trials finished by other processes.
        keep_bags: one trial in so many is recorded: those of numbers 0, N, 2 N, ...

    Raises:
        AnalysisError: a trial failed, or a process died.
        UsageError: there is no such scheduler.
    """
    work = ((trial, folder if is_recorded(trial, keep_bags) else None) for trial in trials)
    yield from in_order(run_trial, work, jobs, "simulate", keep=keep)
