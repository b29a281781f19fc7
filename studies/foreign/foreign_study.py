# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""How true an analysis is of arms that are not ours: drawn set-ups, simulated independently."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from impact_analysis.present.table import Column, Table, texts
from impact_trials.processes import finished
from studies.foreign.foreign_sentences import MODEL
from studies.foreign.foreign_setup import Compared, SetupResult, run_setup

SETUPS, HITS = 50, 6  # hits of each
QUANTITIES = {
    "friction": "-",
    "restitution": "-",
    "impulse": "N.s",
    "mass": "kg",
    "velocity": "rad/s",
}


class Quality(NamedTuple):
    """How good the estimates of one quantity are, over all set-ups."""

    compared: int
    covered: float  # share of 95 % intervals that hold the truth
    error: float  # median of absolute errors
    width: float  # median of half the interval


def run(
    setups: int = SETUPS, seed: int = 0, jobs: int = 2, progress: Callable[..., None] = print
) -> list[SetupResult]:
    """Return what became of each set-up, in order.

    Args:
        setups: how many.
        seed: of the first one; the others follow.
        jobs: processes.
        progress: hears the share done and a note.
    """
    done: list[SetupResult] = []
    work = [(seed + k, HITS) for k in range(setups)]
    for result in finished(run_setup, work, jobs, "reproduce foreign"):
        done.append(result)
        progress(len(done) / setups, f"{len(done)} of {setups} set-ups")
    return sorted(done, key=lambda each: each.seed)


def quality(results: Sequence[SetupResult], quantity: str) -> Quality:
    """Return the quality of one of ``QUANTITIES``; NaN where nothing was compared."""
    all_of = [each for result in results for each in result.compared if each.quantity == quantity]
    if not all_of:
        return Quality(0, np.nan, np.nan, np.nan)
    return Quality(
        len(all_of),
        float(np.mean([each.covered for each in all_of])),
        float(np.median([abs(each.estimate - each.truth) for each in all_of])),
        float(np.median([0.5 * (each.high - each.low) for each in all_of])),
    )


def as_json(results: Sequence[SetupResult], seed: int) -> dict[str, Any]:
    """Return everything as plain values."""
    of_all = {name: quality(results, name) for name in QUANTITIES}
    return {
        "seed": seed,
        "setups": len(results),
        "hits": sum(each.hits for each in results),
        "found": sum(each.found for each in results),
        "best_is_true_inertia": sum(each.best_inertia == MODEL for each in results),
        "false_sentences": sum(len(each.false_sentences) for each in results),
        "sentences": sum(each.sentences for each in results),
        "coverage": {name: each.covered for name, each in of_all.items()},
        "median_error": {name: each.error for name, each in of_all.items()},
        "median_half_width": {name: each.width for name, each in of_all.items()},
        "of_setups": [_entry(each) for each in results],
    }


def _entry(result: SetupResult) -> dict[str, Any]:
    return {
        "seed": result.seed,
        "hits": result.hits,
        "found": result.found,
        "best_inertia": result.best_inertia,
        "false_sentences": result.false_sentences,
        "compared": [each._asdict() | {"covered": each.covered} for each in result.compared],
    }


def tables(results: Sequence[SetupResult]) -> list[Table]:
    """Return the study as tables: of all quantities, and of the set-ups."""
    return [_of_quantities(results), _of_setups(results)]


def _of_quantities(results: Sequence[SetupResult]) -> Table:
    lines = []
    for name, unit in QUANTITIES.items():
        each = quality(results, name)
        numbers = [f"{value:.3g}" for value in (each.error, each.width)]
        lines.append(
            [f"{name} [{unit}]", str(each.compared), *numbers, f"{100 * each.covered:.0f} %"]
        )
    return Table(
        "foreign_quantities",
        "Estimates and 95 % intervals of arms that are not ours; median error, median half width",
        texts("quantity", "compared", "error", "+-", "covered"),
        lines,
        [],
    )


def _of_setups(results: Sequence[SetupResult]) -> Table:
    return Table(
        "foreign_setups",
        "Each set-up: one arm, two motions, three repetitions; intervals that hold the truth of"
        " all (! where it does not)",
        (
            Column("", "set-up", of="seed"),
            Column("", "found", text="{0.found}/{0.hits}".format),
            Column("", "friction: truth, estimate, interval", text=partial(_cell, "friction")),
            Column("", "restitution", text=partial(_cell, "restitution")),
            Column("", "impulse", text=partial(_share, "impulse")),
            Column("", "mass", text=partial(_share, "mass")),
            Column("", "velocities", text=partial(_share, "velocity")),
            Column("", "best inertia", of="best_inertia"),
            Column("", "false sentences", of=lambda result: len(result.false_sentences)),
        ),
        results,
        [],
    )


def _cell(quantity: str, result: SetupResult) -> str:
    found = [each for each in result.compared if each.quantity == quantity]
    return _compared_text(found[0]) if found else "-"


def _compared_text(each: Compared) -> str:
    mark = " " if each.covered else "!"
    return f"{each.truth:.2f} {each.estimate:.2f} [{each.low:.2f}, {each.high:.2f}]{mark}"


def _share(quantity: str, result: SetupResult) -> str:
    found = [each.covered for each in result.compared if each.quantity == quantity]
    return f"{sum(found)}/{len(found)}"
