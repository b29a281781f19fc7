# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The study of strikes: drawn truths in the closed loop, nails to their depth, best poses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple

from studies.hammer import nail_counts, optimum, struck_truth
from studies.hammer.nail_counts import NailCount
from studies.hammer.optimum import JudgedOptimum
from studies.hammer.struck_truth import StruckSetup
from studies.study_folder import StudyFolder

STUDY = "hammer"
SETUPS = 100  # that are struck, as two truths each
EVERY = 10  # set-up's best pose is looked for
SETUP, NAIL, OPTIMUM = "set-up", "nail", "optimum"


class HammerPart(NamedTuple):
    """One part of the study: one of the three."""

    key: str  # kind and number
    setup: StruckSetup | None
    nail: NailCount | None
    optimum: JudgedOptimum | None


class HammerFound(NamedTuple):
    """All parts."""

    setups: list[StruckSetup]
    nails: list[NailCount]
    optima: list[JudgedOptimum]


def run(
    setups: int,
    seed: int,
    jobs: int,
    progress: Callable[[float, str], None],
    finished: StudyFolder[HammerPart],
) -> HammerFound:
    """Return what was found; who computes it changes nothing but the planner's times.

    Args:
        setups: that are struck; with more, those of fewer stay as they are.
        seed: of everything that is drawn.
        jobs: processes; with 1 it is this one.
        progress: called with the fraction done and a note.
        finished: parts that need not be computed; gets the others.

    Raises:
        ImpactError: a part failed, or a process died.
    """
    work = {f"{kind} {number}": (seed, kind, number) for kind, number in _parts(setups)}
    all_of = finished.completed(made, work, jobs, progress, "set-ups, nails and poses")
    return HammerFound(
        [each.setup for each in all_of if each.setup is not None],
        [each.nail for each in all_of if each.nail is not None],
        [each.optimum for each in all_of if each.optimum is not None],
    )


def _parts(setups: int) -> Iterator[tuple[str, int]]:
    """Yield kinds and numbers of all parts, those first that take longest."""
    yield from ((OPTIMUM, number) for number in range(-(-setups // EVERY)))
    yield from ((NAIL, number) for number in range(len(_nails())))
    yield from ((SETUP, number) for number in range(setups))


def _nails() -> list[tuple[float, str]]:
    return list(product(nail_counts.RESISTANCES, nail_counts.RUNS))


def made(seed: int, kind: str, number: int) -> HammerPart:
    """Compute a part."""
    key = f"{kind} {number}"
    if kind == SETUP:
        return HammerPart(key, struck_truth.struck_setup(seed, number), None, None)
    if kind == NAIL:
        return HammerPart(key, None, nail_counts.nail_count(*_nails()[number]), None)
    return HammerPart(key, None, None, optimum.optimum(seed, number))
