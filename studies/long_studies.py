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
from studies.demonstrations import demonstration_report, demonstration_study
from studies.engines import engine_report, engine_study, reference_report, reference_trials
from studies.fields import field_report, field_study
from studies.foreign import foreign_study
from studies.foreign.foreign_setup import SetupResult
from studies.hammer import hammer_report, hammer_study
from studies.humanoid_grabs import grab_report, grab_study, load_rows, push_report, push_study
from studies.humanoid_grabs import load_study as humanoid_loads
from studies.humanoid_grabs.load_study import DrawnLoad
from studies.humanoid_grabs.push_study import PushOutcome
from studies.joint_loads import grab_loads, load_report, load_study
from studies.learned_walls import learn_report, learn_study
from studies.learned_walls.learn_run import LearnRun
from studies.people import people_report, people_study
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


def _resumed(
    arguments: argparse.Namespace,
    report: Report,
    study: Any,
    kind: type[Any],
    count: int,
    what: str,
) -> tuple[Any, StudyFolder[Any]]:
    """Return what a study found, and the folder that keeps it.

    Args:
        arguments: of the command.
        report: takes the progress.
        study: module with ``STUDY``, its name, and ``run``.
        kind: of what is finished.
        count: of what it draws.
        what: it makes, in the plural.

    Raises:
        SystemExit: Ctrl-C.
        ImpactError: a piece failed, or the folder cannot be used.
    """
    folder, seed = arguments.out or Path(f"{study.STUDY}_study"), arguments.seed
    kept = StudyFolder(folder, study.STUDY, kind, seed, resume=arguments.resume)
    with resumable(kept, what):
        return study.run(count, seed, arguments.jobs or cores(), report, kept), kept


def load_table(arguments: argparse.Namespace, report: Report) -> ClaimTable:
    """Return the table of joint loads.

    Raises:
        SystemExit: Ctrl-C.
        ImpactError: a process died, or the folder cannot be used.
    """
    poses, kind = arguments.poses or load_study.POSES, load_study.PoseResult
    found, kept = _resumed(arguments, report, load_study, kind, poses, "poses")
    if arguments.grabs:
        folder, of = kept.folder / grab_loads.STUDY, grab_loads.DrawnGrab
        inside = {"out": folder, "resume": arguments.resume and folder.exists()}
        own = argparse.Namespace(**{**vars(arguments), **inside})
        drawn, _ = _resumed(own, report, grab_loads, of, arguments.grabs, "grabs")
        found = found._replace(grabs=drawn)
    return _with_origin(load_report.table(found), kept)


def learn_table(arguments: argparse.Namespace, report: Report) -> ClaimTable:
    """Return the table of walls and joints that are learned from hits.

    Raises:
        SystemExit: Ctrl-C.
        ImpactError: a run failed, or the folder cannot be used.
    """
    count = arguments.truths or learn_study.TRUTHS
    found, kept = _resumed(arguments, report, learn_study, LearnRun, count, "walls")
    return _with_origin(learn_report.table(found), kept)


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
        found = val2_study.run(trials, seed, jobs, report, finished)
    return _with_origin(val2_report.table(found), finished)


def hrp4_table(arguments: argparse.Namespace, report: Report) -> ClaimTable:
    """Return the table of a humanoid's grabs, pushes and joint loads; of one alone by ``--only``.

    Raises:
        SystemExit: Ctrl-C.
        ImpactError: a process died, or the folder cannot be used.
    """
    trials, jobs = arguments.trials or grab_study.TRIALS, arguments.jobs or cores()
    if arguments.only == load_rows.STUDY:
        return load_rows.alone(_loads(arguments, jobs, report))
    pushes = _pushes(arguments, jobs, report)
    if arguments.only == push_study.STUDY:
        return push_report.alone(pushes)
    loads = _loads(arguments, jobs, report)
    found = grab_study.run(trials, arguments.seed, jobs, report)
    table = push_report.with_balance(grab_report.table(found), pushes)
    return load_rows.with_loads(table, loads)


def _loads(arguments: argparse.Namespace, jobs: int, report: Report) -> list[DrawnLoad]:
    """Return the joint loads of a humanoid's drawn grabs."""
    count = arguments.grabs or humanoid_loads.GRABS
    return humanoid_loads.run(count, arguments.seed, jobs, report)


def _pushes(arguments: argparse.Namespace, jobs: int, report: Report) -> list[PushOutcome]:
    """Return what became of drawn pushes of a humanoid, kept where ``--out`` says."""
    count, seed, study = arguments.pushes or push_study.PUSHES, arguments.seed, push_study.STUDY
    if arguments.out is None:
        return push_study.run(count, seed, jobs, report)
    finished = StudyFolder(arguments.out, study, PushOutcome, seed, resume=arguments.resume)
    with resumable(finished, "pushes"):
        return push_study.run(count, seed, jobs, report, finished)


def fields_table(arguments: argparse.Namespace, report: Report) -> ClaimTable:
    """Return the table of velocity fields beside references in time.

    Raises:
        SystemExit: Ctrl-C.
        ImpactError: a trial failed, or the folder cannot be used.
    """
    count = arguments.trials or field_study.SEEDS
    found, kept = _resumed(arguments, report, field_study, field_study.FieldTrial, count, "trials")
    return _with_origin(field_report.table(found), kept)


def people_table(arguments: argparse.Namespace, report: Report) -> ClaimTable:
    """Return the table of contacts with people at the planned speed, and of touches.

    Raises:
        SystemExit: Ctrl-C.
        ImpactError: a contact failed, or the folder cannot be used.
    """
    count = arguments.contacts or people_study.CONTACTS
    found, kept = _resumed(
        arguments, report, people_study, people_study.PeopleContact, count, "contacts"
    )
    return _with_origin(people_report.table(found), kept)


def hammer_table(arguments: argparse.Namespace, report: Report) -> ClaimTable:
    """Return the table of strikes with a tool.

    Raises:
        SystemExit: Ctrl-C.
        ImpactError: a part failed, or the folder cannot be used.
    """
    count = arguments.setups or hammer_study.SETUPS
    found, kept = _resumed(arguments, report, hammer_study, hammer_study.HammerPart, count, "parts")
    return _with_origin(hammer_report.table(found), kept)


def engines_table(arguments: argparse.Namespace, report: Report) -> ClaimTable:
    """Return the table of the map beside engines, and with ``--trials`` that of references.

    Raises:
        UsageError: DART is not installed.
        ImpactError: a process died, a trial failed, or the map found no solution.
    """
    impacts, jobs = arguments.setups or engine_study.IMPACTS, arguments.jobs or cores()
    table = engine_report.table(engine_study.run(impacts, arguments.seed, jobs, report))
    if not arguments.trials:
        return table
    trials = reference_trials.run(arguments.trials, arguments.seed, jobs, report)
    return reference_report.with_references(table, trials)


def demonstrations_table(arguments: argparse.Namespace, report: Report) -> ClaimTable:
    """Return the table of references from demonstrations.

    Raises:
        ImpactError: a process died, or a trial failed.
    """
    seeds, jobs = arguments.trials or demonstration_study.SEEDS, arguments.jobs or cores()
    found = demonstration_study.run(seeds, arguments.seed, jobs, report)
    return demonstration_report.table(found)


def foreign_results(arguments: argparse.Namespace, report: Report) -> list[SetupResult]:
    """Return what became of the set-ups of arms that are not ours, kept where ``--out`` says.

    Raises:
        SystemExit: Ctrl-C.
        ImpactError: a process died, or the folder cannot be used.
    """
    setups, seed, family = arguments.setups, arguments.seed, arguments.family
    jobs = arguments.jobs or cores()
    if arguments.out is None:
        return foreign_study.run(setups, seed, jobs, report, family)
    finished = StudyFolder(arguments.out, "foreign", SetupResult, seed, resume=arguments.resume)
    with resumable(finished, "set-ups"):
        return foreign_study.run(setups, seed, jobs, report, family, finished)


def _with_origin(table: ClaimTable, finished: StudyFolder[Any]) -> ClaimTable:
    """Return a study's table with where its figures come from, all sessions together."""
    return replace(table, summary={**finished.origin(), **table.summary})
