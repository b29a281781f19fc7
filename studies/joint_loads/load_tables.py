# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The study of joint loads as tables: model and formula, hits, bounds, the named scenarios."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from impact_analysis.present.table import Column, Table, texts
from impact_predictor.joint_load.load_case import LoadCase
from studies.joint_loads.load_formula import FRICTION, ScenarioImpact
from studies.joint_loads.load_hits import LoadedHit
from studies.joint_loads.load_model import PassiveImpact
from studies.joint_loads.load_study import LoadStudy

BANDS = ((1e5, 1e6), (1e6, 1e7))  # of the wall's stiffness, beside all of them [N/m]
PERCENTS = (0, 5, 25, 50, 75, 95, 100)
BOUNDS = ("known_change", "known", "announced")


def studies(found: LoadStudy) -> tuple[Table, ...]:
    """Return all tables."""
    return _impacts(found), _scenarios(found), _hits(found), _bounds(found)


def ratios(found: LoadStudy, key: str) -> np.ndarray:
    """Return one of ``BOUNDS`` over the published robust bound, one number a pose [-]."""
    return np.array([getattr(each, key) / each.robust for each in found.bounds])


def _impacts(found: LoadStudy) -> Table:
    """Return errors of model and formula, by the wall's stiffness."""
    groups = {
        f"{low:g} to {high:g}": [i for i in found.impacts if low <= i.case.stiffness < high]
        for low, high in BANDS
    }
    groups["all"] = found.impacts
    return Table(
        "load_impacts",
        "Largest load over its limit, of the arm left to itself: error of the model; and"
        " a/delta_t J^T iota of the impact's own impulse, over what the joint feels",
        texts(
            *("stiffness [N/m]", "impacts", "error, median", "95 of 100", "same joint"),
            *("formula: 5 %", "median", "95 %", "too low", "same joint"),
        ),
        [(name, *_line(each)) for name, each in groups.items() if each],
        [_impact_entry(each) for each in found.impacts],
    )


def _line(impacts: Sequence[PassiveImpact]) -> tuple[str, ...]:
    errors = np.abs([each.error for each in impacts])
    shares = np.array([each.formula_share for each in impacts])
    low, median, high = np.percentile(shares, (5, 50, 95))
    same = [each.worst(each.model)[0] == each.joint for each in impacts]
    named = [each.worst(each.formula)[0] == each.joint for each in impacts]
    return (
        f"{len(impacts)}",
        f"{np.median(errors):.2%}",
        f"{np.percentile(errors, 95):.1%}",
        f"{np.mean(same):.0%}",
        *(f"{share:.2f}" for share in (low, median, high)),
        f"{np.mean(shares < 1.0):.0%}",
        f"{np.mean(named):.0%}",
    )


def _impact_entry(impact: PassiveImpact) -> dict[str, Any]:
    return _case_entry(impact.case) | {
        "speed_mps": impact.speed,
        "load_nm": impact.measured.tolist(),
        "model_load_nm": impact.model.tolist(),
        "formula_load_nm": impact.formula.tolist(),
        "joint": impact.joint + 1,
        "load_over_limit": impact.worst(impact.measured)[1],
        "model_load_over_limit": impact.worst(impact.model)[1],
        "formula_load_over_limit": impact.worst(impact.formula)[1],
        "relative_error": impact.error,
    }


def _case_entry(case: LoadCase) -> dict[str, Any]:
    return {
        "contact_stiffness_npm": case.stiffness,
        "restitution": case.restitution,
        "friction": case.friction,
    }


def _scenarios(found: LoadStudy) -> Table:
    """Return the impacts of the named scenarios at the published robust bound."""
    return Table(
        "load_scenarios",
        "The named scenarios at their published robust bound: largest load over its limit (joint)"
        f" measured, by the model, by a/delta_t J^T iota of the impulse; friction {FRICTION:g}."
        " Announced: the worst impulse of the published set, by the same formula",
        (
            Column("", "scenario", of="scenario"),
            Column("", "bound", ".3f", "bound.speed"),
            Column("", "announced", of="bound.name"),
            Column("", "k [N/m]", ".1e", "impact.case.stiffness"),
            Column("", "e", "g", "impact.case.restitution"),
            *(Column("", name, text=_worst(name)) for name in ("measured", "model", "formula")),
        ),
        found.scenarios,
        [_scenario_entry(each) for each in found.scenarios],
    )


def _worst(name: str) -> Callable[[ScenarioImpact], str]:
    """Return how the largest load over its limit is printed, and of which joint."""

    def text(each: ScenarioImpact) -> str:
        joint, share = each.impact.worst(getattr(each.impact, name))
        return f"{share:.2f} ({joint + 1})"

    return text


def _scenario_entry(each: ScenarioImpact) -> dict[str, Any]:
    said = {"scenario": each.scenario, "limited_by": each.bound.name}
    return said | _impact_entry(each.impact)


def _hits(found: LoadStudy) -> Table:
    """Return the hits in the closed loop."""
    groups = {"drawn": found.hits, "worst cases": found.worst_hits}
    return Table(
        "load_hits",
        "Hits at the bound of joint loads in the closed loop: what they use of the limit of change"
        " or range that is used most",
        texts("wall and joints", "hits", "above", "speed/bound", "used: median", "95 %", "largest"),
        [(name, *_hit_line(hits)) for name, hits in groups.items() if hits],
        [_hit_entry(hit) | {"wall_and_joints": name} for name in groups for hit in groups[name]],
    )


def _hit_line(hits: Sequence[LoadedHit]) -> tuple[str, ...]:
    used = np.array([hit.most for hit in hits])
    speeds = [hit.speed / hit.bound for hit in hits]
    return (
        f"{len(hits)}",
        f"{int((used > 1.0).sum())}",
        f"{min(speeds):.3f}-{max(speeds):.3f}",
        *(f"{np.percentile(used, percent):.3f}" for percent in (50, 95, 100)),
    )


def _hit_entry(hit: LoadedHit) -> dict[str, Any]:
    n = len(hit.used) // 2
    return _case_entry(hit.case) | {
        "joint_scales": hit.case.scale.tolist(),
        "contact_speed_mps": hit.speed,
        "speed_bound_mps": hit.bound,
        "tangential_speed_mps": hit.tangential,
        "torque_beside_gravity_over_range": hit.unexpected,
        "change_over_limit": hit.used[:n].tolist(),
        "range_over_limit": hit.used[n:].tolist(),
    }


def _bounds(found: LoadStudy) -> Table:
    """Return the bounds over the published one."""
    each = [ratios(found, key) for key in BOUNDS]
    return Table(
        "load_bounds",
        "Speed bound over the published robust one at the same pose: joints known and change of"
        " torque alone, change and range, joints anywhere in their ranges",
        texts("poses, lowest to highest", "published [m/s]", *BOUNDS),
        [
            (
                f"{percent} %",
                f"{np.percentile([b.robust for b in found.bounds], percent):.3f}",
                *(f"{np.percentile(ratio, percent):.2f}" for ratio in each),
            )
            for percent in PERCENTS
        ],
        [
            {"joint_positions_rad": pose.q.tolist(), "limited_by": pose.bounds.name}
            | {f"{key}_speed_bound_mps": getattr(pose.bounds, key) for key in ("robust", *BOUNDS)}
            for pose in found.poses
        ],
    )
