# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""How true an analysis is of arms that are not ours: drawn set-ups, simulated independently."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from impact_analysis.present.table import Column, Table, texts
from impact_robots.exceptions import UsageError
from impact_trials.processes import finished as in_any_order
from studies.foreign.disturbances import FAMILIES
from studies.foreign.foreign_sentences import LEFT_OUT, MODEL
from studies.foreign.foreign_setup import Compared, SetupResult, run_setup
from studies.study_folder import StudyFolder

SETUPS, HITS = 30, 4  # of each family, and of each of these
QUANTITIES = {
    "friction": "-",
    "restitution": "-",
    "impulse": "N.s",
    "mass": "kg",
    "velocity": "rad/s",
    "payload": "kg",
}


class Quality(NamedTuple):
    """How good the estimates of one quantity are, over all set-ups."""

    intervals: int
    with_number: float  # fraction of set-ups with at least one
    covered: float  # fraction of 95 % intervals that hold the truth
    error: float  # median of absolute errors
    width: float  # median of half the interval


def run(
    setups: int | None = None,
    seed: int = 0,
    jobs: int = 2,
    progress: Callable[..., None] = print,
    family: str | None = None,
    finished: StudyFolder[SetupResult] | None = None,
) -> list[SetupResult]:
    """Return what became of each set-up, in order.

    Args:
        setups: how many; families take turns; none: ``SETUPS`` of each.
        seed: of the first one; the others follow.
        jobs: processes.
        progress: hears the share done and a note.
        family: of ``FAMILIES``, whose set-ups alone are drawn; none: all.
        finished: set-ups that need not be run; gets the others.

    Raises:
        UsageError: there is no such family.
    """
    families = FAMILIES if family is None else (family,)
    if not set(families) <= set(FAMILIES):
        raise UsageError(f"--family: expected one of {', '.join(FAMILIES)}, got {family!r}")
    setups = setups or SETUPS * len(families)
    work = [
        (seed + len(FAMILIES) * turn + FAMILIES.index(name), HITS, name)
        for turn in range(ceil(setups / len(families)))
        for name in families
    ][:setups]
    known = {} if finished is None else finished.trials
    done = [each for each in known.values() if (each.seed, each.hits, each.family) in work]
    begun = {(each.seed, each.hits, each.family) for each in done}
    left = [each for each in work if each not in begun]
    for result in in_any_order(run_setup, left, jobs, "reproduce foreign"):
        done.append(result)
        if finished is not None:
            finished.add(result)
        progress(len(done) / setups, f"{len(done)} of {setups} set-ups")
    return sorted(done, key=lambda each: each.seed)


def quality(results: Sequence[SetupResult], quantity: str) -> Quality:
    """Return the quality of one of ``QUANTITIES``; NaN where nothing was compared."""
    of_setups = [
        [each for each in result.compared if each.quantity == quantity] for result in results
    ]
    all_of = [each for some in of_setups for each in some]
    if not all_of:
        return Quality(0, 0.0, np.nan, np.nan, np.nan)
    return Quality(
        len(all_of),
        float(np.mean([bool(some) for some in of_setups])),
        float(np.mean([each.covered for each in all_of])),
        float(np.median([abs(each.estimate - each.truth) for each in all_of])),
        float(np.median([0.5 * (each.high - each.low) for each in all_of])),
    )


def as_json(results: Sequence[SetupResult], seed: int) -> dict[str, Any]:
    """Return everything as plain values."""
    return {
        "seed": seed,
        **_summary(results),
        "left_out": {
            key: {"sentences": sum(each.left_out.get(key, 0) for each in results), "reason": reason}
            for key, reason in LEFT_OUT.items()
        },
        "families": {name: _summary(_of_family(results, name)) for name in _families(results)},
        "of_set_ups": [_entry(each) for each in results],
    }


def _summary(results: Sequence[SetupResult]) -> dict[str, Any]:
    """Return what some set-ups say together."""
    of_all = {name: quality(results, name) for name in QUANTITIES}
    return {
        "set_ups": len(results),
        "hits": sum(each.hits for each in results),
        "found": sum(each.found for each in results),
        "best_is_true_inertia": sum(each.best_inertia == MODEL for each in results),
        "false_sentences": sum(len(each.false_sentences) for each in results),
        "sentences_that_can_be_false": sum(each.sentences for each in results),
        "coverage": {name: each.covered for name, each in of_all.items()},
        "intervals": {name: each.intervals for name, each in of_all.items()},
        "share_with_a_number": {name: each.with_number for name, each in of_all.items()},
        "median_error": {name: each.error for name, each in of_all.items()},
        "median_half_width": {name: each.width for name, each in of_all.items()},
    }


def _families(results: Sequence[SetupResult]) -> list[str]:
    """Return the families that have set-ups, in order."""
    return [name for name in FAMILIES if _of_family(results, name)]


def _of_family(results: Sequence[SetupResult], family: str) -> list[SetupResult]:
    return [each for each in results if each.family == family]


def _entry(result: SetupResult) -> dict[str, Any]:
    return {
        "seed": result.seed,
        "family": result.family,
        "hits": result.hits,
        "found": result.found,
        "best_inertia": result.best_inertia,
        "false_sentences": result.false_sentences,
        "compared": [each._asdict() | {"covered": each.covered} for each in result.compared],
    }


def tables(results: Sequence[SetupResult]) -> list[Table]:
    """Return the study as tables: of all quantities, of the families, and of the set-ups."""
    return [_of_quantities(results), _of_families(results), _of_setups(results)]


def _of_quantities(results: Sequence[SetupResult]) -> Table:
    lines = []
    for name, unit in QUANTITIES.items():
        each = quality(results, name)
        numbers = [f"{value:.3g}" for value in (each.error, each.width)]
        lines.append(
            [
                f"{name} [{unit}]",
                str(each.intervals),
                f"{100 * each.with_number:.0f} %",
                *numbers,
                f"{100 * each.covered:.0f} %",
            ]
        )
    return Table(
        "foreign_quantities",
        "Estimates and 95 % intervals of arms that are not ours; median error, median half width",
        texts("quantity", "intervals", "set-ups with one", "error", "+-", "covered"),
        lines,
        [],
    )


def _of_families(results: Sequence[SetupResult]) -> Table:
    lines = []
    for name in _families(results):
        some = _of_family(results, name)
        found = f"{sum(each.found for each in some)}/{sum(each.hits for each in some)}"
        false = sum(len(each.false_sentences) for each in some)
        judged = sum(each.sentences for each in some)
        covered = [_covered(quality(some, quantity)) for quantity in QUANTITIES]
        lines.append([name, str(len(some)), found, *covered, f"{false}/{judged}"])
    return Table(
        "foreign_families",
        "Families of disturbance: intervals that hold the truth of all, in percent; set-ups with"
        " a number in percent; false sentences of those that can be false",
        texts("family", "set-ups", "found", *QUANTITIES, "false"),
        lines,
        [],
    )


def _covered(found: Quality) -> str:
    if not found.intervals:
        return "-"
    return f"{100 * found.covered:.0f} of {found.intervals}, {100 * found.with_number:.0f} %"


def _of_setups(results: Sequence[SetupResult]) -> Table:
    return Table(
        "foreign_setups",
        "Each set-up: one arm, two motions, two repetitions; intervals that hold the truth of"
        " all (! where it does not)",
        (
            Column("", "set-up", of="seed"),
            Column("", "family", of="family"),
            Column("", "found", text="{0.found}/{0.hits}".format),
            Column("", "friction: truth, estimate, interval", text=partial(_cell, "friction")),
            Column("", "restitution", text=partial(_cell, "restitution")),
            Column("", "impulse", text=partial(_share, "impulse")),
            Column("", "mass", text=partial(_share, "mass")),
            Column("", "velocities", text=partial(_share, "velocity")),
            Column("", "payload", text=partial(_cell, "payload")),
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
