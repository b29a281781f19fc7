# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`impact reproduce learn`: how the study is run, stopped and resumed."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from impact_cli.cores import cores
from impact_cli.stopped_study import resumable, with_origin

if TYPE_CHECKING:
    from impact_analysis.reproduce.row import Claims

LEARN = "learn"
OUT = Path("learn_study")


def learn_table(arguments: argparse.Namespace, report: Callable[[float, str], None]) -> Claims:
    """Return the table of the study.

    Raises:
        SystemExit: Ctrl-C; how to go on has been said.
        ImpactError: a run failed, or the folder cannot be used.
    """
    from impact_analysis.reproduce.learned_walls import learn_report, learn_study
    from impact_analysis.reproduce.learned_walls.learn_run import LearnRun
    from impact_analysis.reproduce.study_folder import StudyFolder

    folder, seed = arguments.out or OUT, arguments.seed
    truths, jobs = arguments.truths or learn_study.TRUTHS, arguments.jobs or cores()
    finished = StudyFolder(folder, learn_study.STUDY, LearnRun, seed, resume=arguments.resume)
    with resumable(finished, "walls"):
        found = learn_study.run(truths, seed, jobs, report, finished)
    return with_origin(learn_report.table(found), finished)
