# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The whole study: its runs, and their parallel execution."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from studies.learned_walls.learn_run import LearnRun, LearnTask, run_task
from studies.learned_walls.learn_truth import KINDS
from studies.study_folder import StudyFolder

STUDY = "learn"
TRUTHS = 120  # of the first case; of others one in five


class LearnStudy(NamedTuple):
    """What was found."""

    seed: int
    runs: list[LearnRun]

    def of(self, kind: str) -> list[LearnRun]:
        """Return the runs of a case."""
        return [run for run in self.runs if run.kind == kind]


def tasks(truths: int, seed: int) -> list[LearnTask]:
    """Return the runs; with more truths those of fewer stay as they are."""
    counts = [max(1, truths // kind.share) for kind in KINDS]
    found = [LearnTask(k, n, seed) for k, count in enumerate(counts) for n in range(count)]
    return sorted(found, key=lambda task: (task.number / counts[task.kind], task.kind))


def run(
    truths: int,
    seed: int,
    jobs: int,
    progress: Callable[[float, str], None],
    finished: StudyFolder[LearnRun],
) -> LearnStudy:
    """Return what was found; who makes the runs changes nothing.

    Args:
        truths: of the first case.
        seed: of everything that is drawn.
        jobs: processes; with 1 it is this one.
        progress: called with the fraction done and a note.
        finished: runs that need not be made; gets the others.

    Raises:
        ImpactError: a run failed, or a process died.
    """
    work = {task.key: (task,) for task in tasks(truths, seed)}
    return LearnStudy(seed, finished.completed(run_task, work, jobs, progress, "walls"))
