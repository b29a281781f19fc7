# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The whole study: its trials, their execution, and the line of each use case."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from impact_robots import load_robot
from studies.published import parameter
from studies.validation.net_line import NetLine, net_line
from studies.validation.val2_case import USE_CASES, CasePrediction, UseCase, prediction
from studies.validation.val2_folder import FinishedTrials
from studies.validation.val2_trial import ROBOT, Change, NetTask, NetTrial, run_task

TRIALS = 5  # at each level
CHANGED = (UseCase("push", "catfood", 2), UseCase("grab", "catfood", 1))
AS_ANNOUNCED = Change("as told")  # the first trials, for comparison
CHANGES = (  # tried at one trial a level, with the noise and the box of the first trials
    Change("table friction +0.02", support_friction=0.02),
    Change("box 5 % heavier", mass=1.05),
    Change("contacts 4 times stiffer", stiffness=4.0),
    Change("k_p 50", position_gain=50.0),
    Change("k_p 400", position_gain=400.0),
    Change("motor friction, learned", motor_friction=True, learned="all tasks"),
    Change("motor friction, position's learned", motor_friction=True, learned="position"),
    Change("motor friction, not learned", motor_friction=True),
)


class CaseResult(NamedTuple):
    """What was found of one use case."""

    use: UseCase
    prediction: CasePrediction
    trials: list[NetTrial]  # those that were not stopped
    stopped: int  # trials that were
    line: NetLine | None  # none: too few trials
    published: NetLine | None  # that of the contact points' feedback, as published


class ChangedRoot(NamedTuple):
    """The line of a use case under a change."""

    use: UseCase
    change: Change
    line: NetLine


class Val2Study(NamedTuple):
    """What was found."""

    seed: int
    cases: list[CaseResult]
    changes: list[ChangedRoot]


def levels() -> tuple[float, ...]:
    """Return the published levels, 80 to 120 % of the predicted velocity."""
    return parameter("rs.levels")


def tasks(trials: int, seed: int, uses: Sequence[UseCase] = USE_CASES) -> list[NetTask]:
    """Return the runs; with more trials those of fewer stay as they are."""
    found, count = [], len(levels())
    for use in uses:
        for number in range(trials):
            first = seed + (number * len(USE_CASES) + USE_CASES.index(use)) * count
            found += [NetTask(use, level, number, first + k) for k, level in enumerate(levels())]
    return found


def changed_tasks(seed: int) -> list[NetTask]:
    """Return the trials of the sensitivities, whose noise is that of the first trials."""
    first = [task for task in tasks(1, seed) if task.use in CHANGED]
    return [
        task._replace(change=change)
        for change in CHANGES
        for task in first
        if task.use.kind == "push" or not change.support_friction
    ]


def run(
    trials: int,
    seed: int,
    jobs: int,
    progress: Callable[[float, str], None],
    finished: FinishedTrials,
) -> Val2Study:
    """Return what was found; who runs the trials changes nothing.

    Args:
        trials: at each level of each use case.
        seed: of everything that is drawn.
        jobs: processes; with 1 it is this one.
        progress: called with the fraction done and a note.
        finished: trials that need not be run; gets the others.

    Raises:
        ImpactError: a trial failed, a process died, or there is no such scheduler.
    """
    wanted = [*tasks(trials, seed), *changed_tasks(seed)]
    work = {task.key: (task,) for task in wanted}
    finished.completed(run_task, work, jobs, progress, "trials")
    return study_of(wanted, finished.trials, seed)


def study_of(wanted: Sequence[NetTask], trials: dict[str, NetTrial], seed: int) -> Val2Study:
    """Return what trials tell, by use case and change."""
    robot, groups = load_robot(ROBOT), defaultdict[tuple[UseCase, Change], list[NetTrial]](list)
    for task in wanted:
        groups[task.use, task.change].append(trials[task.key])
        if task.use in CHANGED and task.change == Change() and task.number == 0:
            groups[task.use, AS_ANNOUNCED].append(trials[task.key])
    cases = [
        _case(use, prediction(use, robot), found)
        for (use, change), found in groups.items()
        if change == Change()
    ]
    lines = {key: _judged(_good(found)) for key, found in groups.items() if key[1] != Change()}
    changes = [ChangedRoot(*key, line) for key, line in lines.items() if line is not None]
    return Val2Study(seed, cases, sorted(changes, key=lambda each: CHANGED.index(each.use)))


def _case(use: UseCase, expected: CasePrediction, found: Sequence[NetTrial]) -> CaseResult:
    good = _good(found)
    published = _line(good, [trial.net for trial in good])
    return CaseResult(use, expected, good, len(found) - len(good), _judged(good), published)


def _good(trials: Sequence[NetTrial]) -> list[NetTrial]:
    """Return trials that were not stopped."""
    return [trial for trial in trials if not trial.stopped]


def _judged(trials: Sequence[NetTrial]) -> NetLine | None:
    return _line(trials, [trial.judged for trial in trials])


def _line(trials: Sequence[NetTrial], net: Sequence[float]) -> NetLine | None:
    """Return the line of trials, none of too few."""
    references = [trial.reference for trial in trials]
    if len(set(references)) < 3:
        return None
    return net_line(references, net)
