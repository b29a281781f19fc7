# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Claims of van Steen 2025 about the three inertias, compared with the results of the study."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from studies.row import OURS, PAPERS, ClaimTable, Row, promised
from studies.validation import val2_tables
from studies.validation.momentum_closure import LAG
from studies.validation.val2_case import KINDS
from studies.validation.val2_study import CaseResult, Val2Study

CLOSED, MISSED = 0.002, 0.008  # B_theta closes within, the others miss by at least [m/s]
SLOPE = 0.08  # relative error of a slope that is as in theory
SCATTERED = "juice"  # whose slopes scatter, and are judged by nobody
PAPER = PAPERS["003"]
SYMBOLS = ("B_theta", "B_rho", "B=0")  # of INERTIAS
NAMES = " / ".join(SYMBOLS)


def table(found: Val2Study) -> ClaimTable:
    """Return the claims with their results and reasons."""
    fitted = [case for case in found.cases if case.line is not None]
    pushes, grabs = ([case for case in fitted if case.use.kind == kind] for kind in KINDS)
    groups = (("hit-and-push (Table II)", pushes), ("grabs (Table III)", grabs), ("all", fitted))
    rows = (
        *(_ranking(f"V{k}", which, of) for k, (which, of) in enumerate(groups, 1) if of),
        *_closures([case for case in found.cases if case.trials]),
        _slopes("V6", fitted),
    )
    title = "van Steen 2025, VAL-2: net feedback of simulated pushes and grabs"
    return ClaimTable("val2", title, rows, val2_tables.studies(found))


def _ranking(id_: str, which: str, cases: Sequence[CaseResult]) -> Row:
    """Return the row of mean errors: the best inertia is to be the one that it is as published."""
    published = np.array([list(val2_tables.published_errors(case.use).values()) for case in cases])
    ours = np.array([_errors(case) for case in cases])
    means, said = (np.abs(each).mean(axis=0) for each in (ours, published))
    best, expected = (SYMBOLS[int(np.argmin(each))] for each in (means, said))
    return promised(
        id_,
        PAPER,
        f"which inertia predicts the velocity after the impact best: {which}",
        f"{expected}; mean error {_text(said)} % ({NAMES})",
        f"{best}; mean {_text(means)} %; signed {_text(ours.mean(axis=0), '+')} %",
        f"{best} for {expected}" if best != expected else "none",
        best == expected,
        f"{len(cases)} use cases with plates locked on the object, {_trials(cases)}; sensors have"
        " noise, the object's position is drawn, motors have no friction; of grabs, the feedback of"
        " what is held, turns and clamping included",
        figures={
            "use_cases": len(cases),
            "mean_error_b_theta_percent": float(means[0]),
            "mean_error_b_rho_percent": float(means[1]),
            "mean_error_without_motors_percent": float(means[2]),
        },
    )


def _errors(case: CaseResult) -> list[float]:
    """Return errors by each of INERTIAS [percent]."""
    truth = case.line.root if case.line is not None else float("nan")
    return list(val2_tables.percent_errors(case.prediction.locked, truth).values())


def _trials(cases: Sequence[CaseResult]) -> str:
    """Return how many trials, and how many were stopped, as text."""
    stopped = sum(case.stopped for case in cases)
    text = f"{sum(len(case.trials) for case in cases)} trials"
    return text + (f" and {stopped} that were stopped and left out" if stopped else "")


def _text(values: np.ndarray, sign: str = "") -> str:
    return " / ".join(f"{value:{sign}.2f}" for value in values)


def _closures(cases: Sequence[CaseResult]) -> list[Row]:
    pairs = zip(("V4", "V5"), KINDS, strict=True)
    return [
        _closure(id_, kind, [case for case in cases if case.use.kind == kind])
        for id_, kind in pairs
        if any(case.use.kind == kind for case in cases)
    ]


def _closure(id_: str, kind: str, cases: Sequence[CaseResult]) -> Row:
    found = np.array([val2_tables.misses(case) for case in cases])
    most, least = float(found[:, 0].max()), float(found[:, 1:].min())
    return promised(
        id_,
        OURS,
        f"momentum tells B_theta from the other inertias, whatever the contact does: {kind}",
        f"B_theta within {CLOSED:g} m/s, the others at least {MISSED:g} off",
        f"B_theta at most {most:.4f} m/s, the others at least {least:.4f} ({NAMES} in the mean"
        f" {' / '.join(f'{miss:.4f}' for miss in found.mean(axis=0))})",
        f"{most:.4f}; {least:.4f}",
        most <= CLOSED and least >= MISSED,
        "mean size, of a use case's trials, of the change of velocity that torques and contact"
        " forces leave unexplained, from 20 ms before first contact to 100 ms after it; the"
        f" torque loops' lag of {1e3 * LAG:.2f} ms is accounted for",
        figures={
            "largest_b_theta_miss_mps": most,
            "least_other_miss_mps": least,
            "use_cases": len(cases),
        },
    )


def _slopes(id_: str, cases: Sequence[CaseResult]) -> Row:
    off = {
        f"{case.use.kind} {case.use.object} {case.use.case}": case.line.slope
        / case.prediction.slope
        - 1.0
        for case in cases
        if case.line is not None and case.use.object != SCATTERED
    }
    worst = max(off, key=lambda name: abs(off[name]))
    juice = [
        case.line.slope / case.prediction.slope - 1.0
        for case in cases
        if case.line is not None and case.use.object == SCATTERED
    ]
    within = sum(abs(each) <= SLOPE for each in off.values())
    note = "1 + m_o/m: see val2_lines"
    if juice:
        note += f"; juice, not judged: {min(juice):+.1%} to {max(juice):+.1%}"
    return promised(
        id_,
        OURS,
        "the slope of the net feedback is 1 + m_o/m (parcel and catfood)",
        f"within {SLOPE:.0%}",
        f"{within}/{len(off)} within; worst {worst} {off[worst]:+.1%}",
        f"{off[worst]:+.1%}",
        within == len(off),
        note,
        figures={"lines": len(off), "within": within, "worst_relative_error": off[worst]},
    )
