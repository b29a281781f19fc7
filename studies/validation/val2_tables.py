# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The study as tables: lines, errors and published ones, momentum closure, sensitivity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from impact_analysis.present.table import Table, texts
from studies.published import read
from studies.reference_spreading.velocity_gaps import COLUMNS
from studies.validation.net_line import CONFIDENCE, NetLine
from studies.validation.val2_case import INERTIAS, KINDS, UseCase
from studies.validation.val2_study import CaseResult, ChangedRoot, Val2Study

PUBLISHED = {"push": "rs2025_table2_hit_and_push", "grab": "rs2025_table3_grabbing"}
KEYS = {"M+B_theta": "b_theta", "M+B_rho": "b_rho", "M": "without_motors"}  # of JSON


def studies(found: Val2Study) -> tuple[Table, ...]:
    """Return all tables."""
    errors = [
        _errors(kind, [each for each in found.cases if each.use.kind == kind]) for kind in KINDS
    ]
    return _lines(found), *errors, _closure(found), _sensitivity(found)


def percent_errors(velocities: Mapping[str, float], truth: float) -> dict[str, float]:
    """Return 100 (v_pred - v_exp)/v_exp by inertia, positive: too fast [percent]."""
    return {name: 100.0 * (velocity / truth - 1.0) for name, velocity in velocities.items()}


def published_errors(use: UseCase) -> dict[str, float]:
    """Return the errors that Table II or III has for a use case, by inertia [percent]."""
    for line in read(PUBLISHED[use.kind]):
        if (line["object"], line["case"]) == (use.object, str(use.case)):
            break
    return {name: float(line[key]) for name, key in zip(INERTIAS, COLUMNS, strict=True)}


def misses(case: CaseResult) -> np.ndarray:
    """Return the mean size of the miss of momentum closure by each of INERTIAS, (3,) [m/s]."""
    return np.array([trial.misses for trial in case.trials]).mean(axis=0)


def _name(use: UseCase) -> tuple[str, str]:
    return f"{use.kind} {use.object}", str(use.case)


def _use_entry(use: UseCase) -> dict[str, Any]:
    return {"kind": use.kind, "object": use.object, "case": use.case}


def _line_entry(line: NetLine) -> dict[str, Any]:
    bounded = bool(np.isfinite([line.low, line.high]).all())
    return {
        "slope": line.slope,
        "root_mps": line.root,
        "root_interval_mps": [line.low, line.high] if bounded else None,
        "residual_mps": line.residual,
        "trials": line.trials,
    }


def _line_texts(line: NetLine) -> tuple[str, str]:
    return f"{line.root:.4f}", f"{line.low:.4f}-{line.high:.4f}"


def _lines(found: Val2Study) -> Table:
    fitted = [
        (case, case.line, case.published)
        for case in found.cases
        if case.line is not None and case.published is not None
    ]
    return Table(
        "val2_lines",
        "Net feedback over the reference velocity after the impact, of grabs that of what is held:"
        f" slope and its theory 1 + m_o/m, root and its {CONFIDENCE:.0%} interval [m/s], scatter"
        " about the line [m/s]; root of the contact points' feedback alone, as published [m/s]",
        texts(
            *("use case", "case", "trials", "slope", "theory", "off"),
            *("root", "interval", "scatter", "root of a_fb"),
        ),
        [
            (
                *_name(case.use),
                str(line.trials),
                f"{line.slope:.3f}",
                f"{case.prediction.slope:.3f}",
                f"{line.slope / case.prediction.slope - 1.0:+.1%}",
                *_line_texts(line),
                f"{line.residual:.4f}",
                f"{published.root:.4f}",
            )
            for case, line, published in fitted
        ],
        [
            _use_entry(case.use)
            | _line_entry(line)
            | {"theoretical_slope": case.prediction.slope, "stopped_trials": case.stopped}
            | {
                "reference_velocity_mps": [trial.reference for trial in case.trials],
                "net_feedback_mps": [trial.judged for trial in case.trials],
                "published_net_feedback_mps": [trial.net for trial in case.trials],
                "published_root_mps": published.root,
                "published_slope": published.slope,
            }
            for case, line, published in fitted
        ],
    )


def _errors(kind: str, cases: Sequence[CaseResult]) -> Table:
    """Return Table II or III, ours beside the published one."""
    number, motion = {"push": ("II", "pushes"), "grab": ("III", "grabs")}[kind]
    lines, entries = [], []
    for case in cases:
        if case.line is None:
            continue
        truth = case.line.root
        locked, points = (
            percent_errors(each, truth) for each in (case.prediction.locked, case.prediction.points)
        )
        published = published_errors(case.use)
        cells = [f"{each[name]:+.1f}" for each in (locked, published, points) for name in INERTIAS]
        lines.append((case.use.object, str(case.use.case), f"{truth:.3f}", *cells))
        entries.append(
            _use_entry(case.use)
            | {"velocity_after_mps": truth}
            | _by_inertia("error_{}_percent", locked)
            | _by_inertia("published_error_{}_percent", published)
            | _by_inertia("four_points_error_{}_percent", points)
        )
    names = ("B_theta", "B_rho", "B=0")
    return Table(
        f"val2_errors_{kind}",
        f"Table {number}, {motion}: errors of the predicted velocity [%] with plates locked on the"
        " object, as published (P), and with four frictional points a plate (4)",
        texts(
            *("object", "case", "v_exp", *names),
            *(f"{name} {which}" for which in "P4" for name in names),
        ),
        lines,
        entries,
    )


def _by_inertia(form: str, values: Mapping[str, float]) -> dict[str, float]:
    return {form.format(KEYS[name]): value for name, value in values.items()}


def _closure(found: Val2Study) -> Table:
    cases = [case for case in found.cases if case.trials]
    return Table(
        "val2_closure",
        "Momentum closure about the impact: mean size of what torques and contact forces leave"
        " unexplained of the change of velocity [m/s]",
        texts("use case", "case", "B_theta", "B_rho", "B=0"),
        [(*_name(case.use), *(f"{miss:.4f}" for miss in misses(case))) for case in cases],
        [
            _use_entry(case.use)
            | _by_inertia("{}_miss_mps", dict(zip(INERTIAS, misses(case).tolist(), strict=True)))
            for case in cases
        ],
    )


def _sensitivity(found: Val2Study) -> Table:
    first: dict[UseCase, ChangedRoot] = {}
    for each in found.changes:
        first.setdefault(each.use, each)
    shifts = [(each, each.line.root / first[each.use].line.root - 1.0) for each in found.changes]
    return Table(
        "val2_sensitivity",
        "What shifts the root: plants that are not as announced to the controller, other gains; one"
        " trial a level, of the same noise and box [m/s]",
        texts("use case", "case", "change", "slope", "root", "interval", "shift"),
        [
            (
                *_name(each.use),
                each.change.name,
                f"{each.line.slope:.3f}",
                *_line_texts(each.line),
                f"{shift:+.1%}",
            )
            for each, shift in shifts
        ],
        [
            _use_entry(each.use)
            | {"change": each.change.name, "relative_root_shift": shift}
            | _line_entry(each.line)
            for each, shift in shifts
        ],
    )
