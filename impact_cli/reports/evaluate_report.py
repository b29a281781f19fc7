# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Report of evaluated impact models, as text and JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from impact_analysis.planar.evaluate_run import ImpactEvaluation, ModelResult
from impact_analysis.planar.evaluate_score import LawScore
from impact_analysis.planar.planar_impacts import LeverSigns, PlanarDataset
from impact_analysis.present.plain import json_text
from impact_analysis.present.table import aligned

COMPONENTS = ("vx_mps", "vy_mps", "w_radps")
_HEAD = ("model", "vx [m/s]", "vy [m/s]", "w [rad/s]", "beats baseline")
_UNITS = {"_spm": "s/m", "_m2": "m^2", "_rad": "rad", "_m": "m", "_s": "s"}


def as_text(found: ImpactEvaluation) -> str:
    """Return tables of errors and parameters, and which models beat the baseline."""
    best = found.best
    scores = [
        [*_score_row(each.model.name, each.score), _beats(each.score)] for each in found.results
    ]
    baseline = [*_score_row("baseline", found.baseline.score), ""]
    lines = [
        *_file_lines(found.dataset),
        *(_file_lines(found.test) if found.test else []),
        f"  {_split(found)}; brackets: 95 %, bootstrap",
        *([f"  NOT independent: {_in_both(found)}"] if found.in_both else []),
        "",
        f"median absolute error, test {'half' if found.test is None else 'file'}",
        *(f"  {line}" for line in aligned([_HEAD, *scores, baseline], left=range(len(_HEAD)))),
    ]
    lines += [f"  no pose: {found.no_pose}"] if found.no_pose else []
    lines += ["", *_inertia_lines(found), "", "parameters"]
    for result in (found.baseline, *found.results):
        lines += _parameter_lines(result)
    lines += ["", *_comparison_lines(found, best)]
    return "\n".join(lines)


def _split(found: ImpactEvaluation) -> str:
    if found.test is not None:
        return f"fitted on the first file's {found.fitted}, tested on the other's {found.held_out}"
    return (
        f"fitted on {found.fitted}, tested on the other {found.held_out}"
        f" (random halves, seed {found.seed})"
    )


def _in_both(found: ImpactEvaluation) -> str:
    return f"{found.in_both} of the test impacts are in the fit file too"


def _file_lines(data: PlanarDataset) -> list[str]:
    return [
        data.name,
        f"  {data.rows} rows, {len(data.impacts)} used; dropped: {data.dropped}",
        *_lever_lines(data.levers),
    ]


def _lever_lines(levers: LeverSigns | None) -> list[str]:
    if levers is None:
        return []
    return [
        f"  contact rows: {levers.text}",
        f"    dw left by the balance of momentum: {levers.residuals}",
    ]


def _score_row(name: str, score: LawScore) -> list[str]:
    errors = zip(score.median, *score.interval, strict=True)
    return [name, *(f"{median:#.3g} [{low:#.3g}, {high:#.3g}]" for median, low, high in errors)]


def _beats(score: LawScore) -> str:
    if not score.beats:
        worse = [name for name, x in zip(COMPONENTS, score.ratio, strict=True) if not x < 1.0]
        return f"no: not in {', '.join(name.split('_')[0] for name in worse)}"
    return "yes" if score.beats_confidently else "yes, within chance"


def _inertia_lines(found: ImpactEvaluation) -> list[str]:
    part = "half" if found.test is None else "file"
    lines = ["inertia per mass, balance of momentum"]
    for name, inertia in (("fit", found.inertia), ("judged", found.judged_inertia)):
        low, high = inertia.interval
        lines.append(f"  {name} {part}: {inertia.ratio:#.4g} [{low:#.4g}, {high:#.4g}] m^2")
    if found.given_inertia is not None:
        lines.append(f"  given, and used by all models: {found.given_inertia:#.4g} m^2")
    return lines


def _parameter_lines(result: ModelResult) -> list[str]:
    lines = [f"  {result.model.name}: {result.model.summary}"]
    for item, value, low, high in zip(
        result.model.parameters, result.fit.parameters, *result.interval, strict=True
    ):
        lines.append(_parameter_line(item.name, f"{value:#.4g} [{low:#.4g}, {high:#.4g}]"))
    fixed = (
        _parameter_line(name, f"{x:#.4g} (see above)") for name, x in result.model.fixed.items()
    )
    return [*lines, *fixed]


def _parameter_line(key: str, value: str) -> str:
    suffix = next((end for end in _UNITS if key.endswith(end)), "")
    name = key.removesuffix(suffix).replace("_", " ")
    return f"    {name:<24} {value} {_UNITS.get(suffix, '-')}"


def _comparison_lines(found: ImpactEvaluation, best: ModelResult) -> list[str]:
    score = best.score
    gains = ", ".join(
        f"{name.split('_')[0]} {ratio:.2f} [{low:.2f}, {high:.2f}]"
        for name, ratio, low, high in zip(
            COMPONENTS, score.ratio, *score.ratio_interval, strict=True
        )
    )
    winners = [result.model.name for result in found.results if result.score.beats]
    return [
        f"best by its fit: {best.model.name}; beats the baseline in all three: {_beats(score)}",
        f"  its errors over the baseline's: {gains}",
        f"models that beat the baseline in all three: {', '.join(winners) or 'none'}",
    ]


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
        "baseline": _model(found.baseline, compared=False),
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
    """Return the signs applied to a file's levers; None if they were not checked."""
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


def _model(result: ModelResult, *, compared: bool = True) -> dict[str, Any]:
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
        **_score(result.score, compared=compared),
    }


def _score(score: LawScore, *, compared: bool = True) -> dict[str, Any]:
    document: dict[str, Any] = {
        "median_abs_error": _components(score.median),
        "median_abs_error_interval_95": _components(score.interval.T),
    }
    if compared:
        document |= {
            "ratio_to_baseline": _components(score.ratio),
            "ratio_to_baseline_interval_95": _components(score.ratio_interval.T),
            "beats_baseline": score.beats,
            "beats_baseline_confidently": score.beats_confidently,
        }
    return document


def _components(values: np.ndarray) -> dict[str, Any]:
    """Return numbers or lists, keyed by component."""
    return dict(zip(COMPONENTS, values.tolist(), strict=True))
