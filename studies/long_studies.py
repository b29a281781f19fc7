# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The studies that take minutes: how each is run, stopped with Ctrl-C and resumed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from impact_cli.__main__ import INTERRUPTED
from impact_trials.processes import cores
from studies.humanoid_grabs import grab_report, grab_study
from studies.joint_loads import load_report, load_study
from studies.learned_walls import learn_report, learn_study
from studies.learned_walls.learn_run import LearnRun
from studies.row import ClaimTable
from studies.study_folder import StudyFolder
from studies.validation import val2_report, val2_study
from studies.validation.val2_folder import FinishedTrials

Report = Callable[[float, str], None]  # takes the progress, 0 to 1, and a text


@contextmanager
def resumable(finished: StudyFolder[Any], what: str, command: str = "reproduce") -> Iterator[None]:
    """Keep what is finished within; Ctrl-C says how to go on.

    Args:
        finished: the study's folder.
        what: it holds, in the plural.
        command: that is run.

    Raises:
        SystemExit: Ctrl-C.
    """
    try:
        with finished:
            yield
    except KeyboardInterrupt:
        print(
            f"\nimpact {command}: stopped; {len(finished.trials)} {what} are finished,"
            f" go on with --resume --out {finished.folder}",
            file=sys.stderr,
        )
        raise SystemExit(INTERRUPTED) from None


def load_table(arguments: argparse.Namespace, report: Report) -> ClaimTable:
    """Return the table of joint loads.

    Raises:
        SystemExit: Ctrl-C.
        ImpactError: a process died, or the folder cannot be used.
    """
    folder, seed = arguments.out or Path("load_study"), arguments.seed
    poses, jobs = arguments.poses or load_study.POSES, arguments.jobs or cores()
    kind = load_study.PoseResult
    finished = StudyFolder(folder, load_study.STUDY, kind, seed, resume=arguments.resume)
    with resumable(finished, "poses"):
        found = load_study.run(poses, seed, jobs, report, finished)
    return _with_origin(load_report.table(found), finished)


def learn_table(arguments: argparse.Namespace, report: Report) -> ClaimTable:
    """Return the table of walls and joints that are learned from hits.

    Raises:
        SystemExit: Ctrl-C.
        ImpactError: a run failed, or the folder cannot be used.
    """
    folder, seed = arguments.out or Path("learn_study"), arguments.seed
    truths, jobs = arguments.truths or learn_study.TRUTHS, arguments.jobs or cores()
    finished = StudyFolder(folder, learn_study.STUDY, LearnRun, seed, resume=arguments.resume)
    with resumable(finished, "walls"):
        found = learn_study.run(truths, seed, jobs, report, finished)
    return _with_origin(learn_report.table(found), finished)


def val2_table(arguments: argparse.Namespace, report: Report) -> ClaimTable:
    """Return the table of net feedback in simulated pushes and grabs.

    Raises:
        SystemExit: Ctrl-C.
        ImpactError: a trial failed, or the folder cannot be used.
    """
    folder, seed = arguments.out or Path("val2_study"), arguments.seed
    trials, jobs = arguments.trials or val2_study.TRIALS, arguments.jobs or cores()
    finished = FinishedTrials(folder, seed, resume=arguments.resume)
    with resumable(finished, "trials"):
        found = val2_study.run(trials, seed, jobs, report, finished, arguments.dask or "")
    return _with_origin(val2_report.table(found), finished)


def hrp4_table(arguments: argparse.Namespace, report: Report) -> ClaimTable:
    """Return the table of a humanoid's grabs."""
    trials, jobs = arguments.trials or grab_study.TRIALS, arguments.jobs or cores()
    return grab_report.table(grab_study.run(trials, arguments.seed, jobs, report))


def _with_origin(table: ClaimTable, finished: StudyFolder[Any]) -> ClaimTable:
    """Return a study's table with where its figures come from, all sessions together."""
    return replace(table, summary={**finished.origin(), **table.summary})
