# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes how impact models did, as JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from impact_analysis.planar.evaluate_run import ImpactEvaluation, ModelResult
from impact_analysis.planar.evaluate_score import LawScore
from impact_analysis.planar.planar_impacts import LeverSigns, PlanarDataset
from impact_analysis.present.plain import json_text

COMPONENTS = ("vx_mps", "vy_mps", "w_radps")


def as_json(found: ImpactEvaluation) -> str:
    """Return one JSON document."""
    document = {
        **_file(found.dataset),
        "test": _file(found.test) if found.test else None,
        "impacts_in_both_files": found.in_both,
        "seed": found.seed,
        "fitted_impacts": found.fitted,
        "held_out_impacts": found.held_out,
        "error_scale": _components(found.scale),
        "inertia_ratio": {
            "given_m2": found.given_inertia,
            "momentum_balance_m2": found.inertia.ratio,
            "momentum_balance_interval_95_m2": found.inertia.interval,
            "judged_momentum_balance_m2": found.judged_inertia.ratio,
            "judged_momentum_balance_interval_95_m2": found.judged_inertia.interval,
        },
        "baseline": _model(found.baseline, verdict=False),
        "models": [_model(result) for result in found.results],
        "left_out": {"pose": found.no_pose} if found.no_pose else {},
        "best_model": found.best.model.name,
        "best_beats_baseline": found.best.score.beats,
    }
    return json_text(document)


def _file(data: PlanarDataset) -> dict[str, Any]:
    return {
        "file": data.name,
        "rows": data.rows,
        "dropped_rows": {
            "not_finite": data.not_finite,
            "no_contact_frame": data.no_frame,
            "not_approaching": data.not_approaching,
        },
        "contact_rows": _levers(data.levers),
    }


def _levers(levers: LeverSigns | None) -> dict[str, Any] | None:
    """Return by which signs a file's levers were multiplied; None where they were not checked."""
    if levers is None:
        return None
    return {
        "n_lever_sign": levers.normal,
        "d_lever_sign": levers.tangent,
        "usual_signs": levers.usual,
        "dw_residual_radps": levers.residual,
        "dw_residual_other_d_lever_sign_radps": levers.other,
        "text": levers.text,
    }


def _model(result: ModelResult, *, verdict: bool = True) -> dict[str, Any]:
    names = [item.name for item in result.model.parameters]
    return {
        "name": result.model.name,
        "summary": result.model.summary,
        "parameters": dict(zip(names, map(float, result.fit.parameters), strict=True))
        | dict(result.model.fixed),
        "parameter_interval_95": {
            name: [float(low), float(high)]
            for name, low, high in zip(names, *result.interval, strict=True)
        },
        "fit_cost": result.fit.cost,
        **_score(result.score, verdict=verdict),
    }


def _score(score: LawScore, *, verdict: bool = True) -> dict[str, Any]:
    document: dict[str, Any] = {
        "median_abs_error": _components(score.median),
        "median_abs_error_interval_95": _components(score.interval.T),
    }
    if verdict:
        document |= {
            "ratio_to_baseline": _components(score.ratio),
            "ratio_to_baseline_interval_95": _components(score.ratio_interval.T),
            "beats_baseline": score.beats,
            "beats_baseline_confidently": score.beats_confidently,
        }
    return document


def _components(values: np.ndarray) -> dict[str, Any]:
    """Return numbers, or lists, by component."""
    return dict(zip(COMPONENTS, values.tolist(), strict=True))
