# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`impact evaluate` of a tossed body."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from impact_cli.progress import Progress
from impact_robots.exceptions import UsageError

if TYPE_CHECKING:
    from impact_analysis.tosses.toss_evaluation import TossEvaluation


def are_tosses(files: Sequence[Path]) -> bool:
    """Return whether the files are of a tossed body.

    Raises:
        UsageError: some are and some are not.
    """
    if not any(file.suffix == ".npz" for file in files):
        return False
    from impact_analysis.tosses.toss_file import is_toss_file

    found = [is_toss_file(file) for file in files]
    if any(found) and not all(found):
        raise UsageError("expected files of one kind: tosses, landings or one CSV")
    return any(found)


def toss_evaluations(args: argparse.Namespace, files: Sequence[Path]) -> list[TossEvaluation]:
    """Evaluate, with a bar where somebody can see it.

    Args:
        args: of the command.
        files: one, whose halves judge each other, or two: to fit, to judge on.

    Raises:
        AnalysisError: a prediction is not a finite number.
        RecordingError: a file is none of tosses, or has too few of them.
        RobotError: the body's YAML is wrong.
        UsageError: an option that is of other files.
    """
    from impact_analysis.tosses.convex_body import CUBE, read_body
    from impact_analysis.tosses.toss_evaluation import evaluate_tosses
    from impact_analysis.tosses.toss_file import read_tosses
    from impact_analysis.tosses.toss_impacts import halves

    for option in ("robot", "inertia_ratio"):
        if getattr(args, option) is not None:
            name = option.replace("_", "-")
            raise UsageError(f"--{name}: expected other files, got tosses; their body: --body")
    body = read_body(args.body or CUBE)
    read = [read_tosses(file) for file in files]
    one, other = halves(read[0]) if len(read) == 1 else read
    pairs = [(one, other), (other, one)] if len(read) == 1 else [(one, other)]
    if not sys.stderr.isatty():
        return [evaluate_tosses(*pair, body, args.seed) for pair in pairs]
    bar, found = Progress("evaluate"), []
    for k, pair in enumerate(pairs):

        def update(fraction: float, note: str, k: int = k) -> None:
            bar.update((k + fraction) / len(pairs), note)

        found.append(evaluate_tosses(*pair, body, args.seed, update))
    bar.close("done")
    return found
