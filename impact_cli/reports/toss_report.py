# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Report of impact laws and simulations of a tossed body, as text and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from impact_analysis.present.plain import json_text
from impact_analysis.present.table import Column, Table
from impact_analysis.tosses.law_evaluation import LawResult, median_interval
from impact_analysis.tosses.rollouts import LATER, RollOut
from impact_analysis.tosses.toss_evaluation import TossEvaluation

_LATER = f"{1e3 * LATER:.0f}ms"


def as_json(found: Sequence[TossEvaluation]) -> str:
    """Return one JSON document: of two halves that judge each other, ``halves`` of them."""
    documents = [_document(each) for each in found]
    return json_text(documents[0] if len(documents) == 1 else {"halves": documents})


def as_text(found: Sequence[TossEvaluation]) -> str:
    """Return tables of the laws' errors, of what was identified and of the simulations."""
    return "\n\n\n".join([*map(_text, found), "\n".join(_summaries(found[0]))])


def _document(found: TossEvaluation) -> dict[str, Any]:
    laws, best = found.laws, found.laws.best
    names = [item.name for item in best.model.parameters]
    document = {
        "fit": found.fit,
        "test": found.test,
        "body": found.body.name,
        "fitted_impacts": laws.fitted,
        "judged_impacts": len(laws.judged),
        "judged_edges": int(laws.judged.is_edge.sum()),
        "impacts_in_both": laws.in_both,
        "best": best.model.name,
        "identified": {
            name: {"value": value, "interval_95": pair}
            for name, value, pair in zip(
                names, best.parameters.tolist(), laws.interval.T.tolist(), strict=True
            )
        },
        "laws": {result.model.name: _law(result, laws.judged.is_edge) for result in laws.results},
    }
    if found.rollouts:
        document["rollouts"] = {each.model: _rollout(each) for each in found.rollouts}
    return document


def _law(result: LawResult, edge: np.ndarray) -> dict[str, Any]:
    names = [item.name for item in result.model.parameters]
    return {
        "linear_mps": _median(result.linear),
        "angular_radps": _median(result.angular),
        "edges_linear_mps": _median(result.linear[edge]),
        "edges_angular_radps": _median(result.angular[edge]),
        "n": len(result.linear),
        "linear_interval_95_mps": median_interval(result.linear),
        "angular_interval_95_radps": median_interval(result.angular),
        "cross_validated_cost": result.cost,
        "parameters": dict(zip(names, result.parameters.tolist(), strict=True)),
    }


def _rollout(result: RollOut) -> dict[str, Any]:
    return {
        "position_percent": 100.0 * float(result.position.mean()),
        "rotation_deg": float(np.degrees(result.rotation.mean())),
        f"position_{_LATER}_percent": 100.0 * float(result.later_position.mean()),
        f"rotation_{_LATER}_deg": float(np.degrees(result.later_rotation.mean())),
        "same_face": float(result.same_face.mean()),
        "n": len(result.position),
        "parameters": result.values,
    }


def _median(errors: np.ndarray) -> float | None:
    return float(np.median(errors)) if len(errors) else None


def _text(found: TossEvaluation) -> str:
    laws, best = found.laws, found.laws.best
    edges = int(laws.judged.is_edge.sum())
    lines = [
        f"{found.body.name}: {found.fit}",
        f"  fitted to {laws.fitted} impacts; judged on {len(laws.judged)} of {found.test}",
    ]
    if laws.in_both:
        lines.append(f"  NOT independent: {laws.in_both} of the judged impacts are fitted too")
    rows = [{"name": each.model.name} | _law(each, laws.judged.is_edge) for each in laws.results]
    tables = [
        Table("laws", f"median error of the velocities after; {edges} edges", _LAWS, rows),
        Table(
            "identified",
            f"{best.model.name}: best by cross-validation on what was fitted; brackets: 95 %",
            _IDENTIFIED,
            [
                (item.name, *row)
                for item, *row in zip(
                    best.model.parameters, best.parameters, *laws.interval, strict=True
                )
            ],
        ),
    ]
    if found.rollouts:
        rows = [{"name": each.model} | _rollout(each) for each in found.rollouts]
        title = "whole tosses from their release: mean errors, the same face up at the end"
        tables.append(Table("rollouts", title, _ROLLOUTS, rows))
    texts = [table.text() for table in tables]
    return "\n".join([*lines, *(f"\n{text}" for text in texts)])


def _summaries(found: TossEvaluation) -> list[str]:
    """Return what each law and each simulation is."""
    laws = [f"  {each.model.name}: {each.model.summary}" for each in found.laws.results]
    return laws + [f"  {each.model}: {each.summary}" for each in found.rollouts]


def _bracket(pair: Sequence[float], form: str) -> str:
    low, high = pair
    return f"[{low:{form}}, {high:{form}}]"


_LAWS = (
    Column("name", "law"),
    Column("linear_mps", "m/s", ".4f"),
    Column("", "95 %", text=lambda row: _bracket(row["linear_interval_95_mps"], ".3f")),
    Column("angular_radps", "rad/s", ".3f"),
    Column("", "95 %", text=lambda row: _bracket(row["angular_interval_95_radps"], ".2f")),
    Column("edges_linear_mps", "edges m/s", ".3f"),
    Column("edges_angular_radps", "edges rad/s", ".2f"),
    Column("cross_validated_cost", "cost", ".3f"),
)
_IDENTIFIED = (
    Column("", "parameter", text=lambda row: row[0]),
    Column("", "value", text=lambda row: f"{row[1]:.4g}"),
    Column("", "95 %", text=lambda row: _bracket(row[2:], ".4g")),
)
_ROLLOUTS = (
    Column("name", "simulation"),
    Column("position_percent", "position [% of width]", ".1f"),
    Column("rotation_deg", "rotation [deg]", ".1f"),
    Column(f"position_{_LATER}_percent", f"{_LATER} after touch [%]", ".1f"),
    Column(f"rotation_{_LATER}_deg", "[deg]", ".1f"),
    Column("same_face", "same face [%]", ".0f", factor=100.0),
    Column("n", "tosses"),
)
