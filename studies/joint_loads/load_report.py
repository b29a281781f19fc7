# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The suite's claims about joint loads, compared with the results of the study."""

from __future__ import annotations

import numpy as np

from studies.joint_loads import load_tables
from studies.joint_loads.grab_loads import DrawnGrab
from studies.joint_loads.load_study import HITS, LoadStudy
from studies.row import OURS, ClaimTable, Row, promised

MEDIAN_ERROR, MOST_ERROR = 0.02, 0.05  # of the model, in one of two and in 95 of 100 impacts
TIGHT = 0.9  # least use of a limit by the worst hit [-]
FASTER = (  # least median of a bound over the published robust one [-]
    ("known_change", 2.0, "joints known, change of torque alone"),
    ("known", 1.8, "joints known, change and range of torque"),
    ("announced", 1.3, "joints anywhere in their announced ranges, change and range"),
)


def table(found: LoadStudy) -> ClaimTable:
    """Return the claims with their results and reasons."""
    rows = [_model(found), _safe(found), _tight(found), *_fast(found)]
    rows += [_grabs(found.grabs)] if found.grabs else []
    return ClaimTable(
        "load",
        "Joint loads: model, limit, published formula",
        tuple(rows),
        load_tables.studies(found),
    )


def _model(found: LoadStudy) -> Row:
    errors = np.abs([each.error for each in found.impacts])
    same = sum(each.joint == each.worst(each.model)[0] for each in found.impacts)
    median, most = float(np.median(errors)), float(np.percentile(errors, 95))
    return promised(
        "L1",
        OURS,
        "the model gives the largest load of a joint over its limit",
        f"median error < {MEDIAN_ERROR:.0%}, in 95 of 100 < {MOST_ERROR:.0%}",
        f"median {median:.2%}, in 95 of 100 {most:.1%}, largest {errors.max():.1%}; the same"
        f" joint {same}/{len(errors)}",
        f"{median:.2%}; {most:.1%}",
        median < MEDIAN_ERROR and most < MOST_ERROR,
        f"{len(errors)} impacts of the flexible-joint plant, left to gravity compensation,"
        f" at {len(found.poses)} drawn poses; walls and speeds drawn, joints as known",
        figures={
            "impacts": len(errors),
            "median_relative_error": median,
            "percentile_95_relative_error": most,
            "largest_relative_error": float(errors.max()),
            "same_joint": same,
            **_formula(found),
        },
    )


def _formula(found: LoadStudy) -> dict[str, float]:
    """Return how the published formula compares with the measured loads."""
    shares = np.array([each.formula_share for each in found.impacts])
    named = [each.worst(each.formula)[0] == each.joint for each in found.impacts]
    low, median, high = (float(np.percentile(shares, q)) for q in (5, 50, 95))
    return {
        "percentile_5_formula_over_load": low,
        "median_formula_over_load": median,
        "percentile_95_formula_over_load": high,
        "formula_too_low": float(np.mean(shares < 1.0)),
        "formula_same_joint": float(np.mean(named)),
    }


def _safe(found: LoadStudy) -> Row:
    drawn, worst = ([each.most for each in of] for of in (found.hits, found.worst_hits))
    over, over_worst = (sum(each > 1.0 for each in of) for of in (drawn, worst))
    return promised(
        "L2",
        OURS,
        "no hit at the bound takes a joint over its limit of change or range",
        "0",
        f"{over}/{len(drawn)} drawn, {over_worst}/{len(worst)} worst cases",
        str(over + over_worst),
        not over and not over_worst,
        f"closed loop, sensor noise; {HITS} hits a pose with wall and joints drawn inside the"
        f" announced ranges, one with those that are the worst by the search behind the bound;"
        f" {found.missed} approaches ended before the wall",
        figures={
            "hits": len(drawn),
            "above": over,
            "worst_case_hits": len(worst),
            "worst_case_above": over_worst,
            "missed": found.missed,
            "highest_speed_over_bound": max(
                (each.speed / each.bound for each in (*found.hits, *found.worst_hits)), default=0.0
            ),
        },
    )


def _tight(found: LoadStudy) -> Row:
    drawn, worst = ([hit.most for hit in of] for of in (found.hits, found.worst_hits))
    highest = max([*drawn, *worst], default=0.0)
    return promised(
        "L3",
        OURS,
        "the bound is not too careful: the worst hit comes near the limit",
        f">= {TIGHT:g}",
        f"{highest:.3f}; drawn {_span(drawn)}; worst cases {_span(worst)}",
        f"{highest - 1.0:+.1%}",
        highest >= TIGHT,
        "largest load over its limit, change or range, in the hits of L2",
        figures={
            "highest": highest,
            "highest_drawn": max(drawn, default=0.0),
            "median_drawn": float(np.median(drawn)) if drawn else 0.0,
            "median_worst_case": float(np.median(worst)) if worst else 0.0,
        },
    )


def _grabs(grabs: list[DrawnGrab]) -> Row:
    used = np.array([each.used for each in grabs])
    worst, over = grabs[int(used.argmax())], int((used > 1.0).sum())
    missed = sum(each.delay is None for each in grabs)
    delays = np.abs([each.delay for each in grabs if each.delay is not None])
    latest = float(delays.max(initial=0.0))
    return promised(
        "L7",
        OURS,
        "no grab of two arms at the planned speed takes a joint over its limit, whatever the delay",
        "0",
        f"{over}/{len(grabs)}; highest {worst.used:.3f} ({worst.limit}, {worst.scenario})",
        str(over),
        not over and not missed,
        f"closed loop, sensor noise, joints as known, boxes in their ranges; delays up to"
        f" {1e3 * latest:.1f} ms as simulated; {missed} without contact of both",
        figures={
            "grabs": len(grabs),
            "above": over,
            "missed": missed,
            "highest": worst.used,
            "median": float(np.median(used)),
            "longest_delay_s": latest,
            "delays_below_5_ms": int((delays < 0.005).sum()),
        },
    )


def _span(values: list[float]) -> str:
    return f"{min(values):.3f} to {max(values):.3f}" if values else "none"


def _fast(found: LoadStudy) -> list[Row]:
    rows = []
    for number, (key, goal, meaning) in enumerate(FASTER, 4):
        ratios = load_tables.ratios(found, key)
        low, median, high = (float(np.percentile(ratios, q)) for q in (5, 50, 95))
        rows.append(
            promised(
                f"L{number}",
                OURS,
                f"the bound over the published robust one: {meaning}",
                f"median >= {goal:g}",
                f"median {median:.2f}; 5 to 95 %: {low:.2f} to {high:.2f}",
                f"{median / goal - 1.0:+.0%}",
                median >= goal,
                f"{len(ratios)} drawn poses, walls of 1e5 to 1e7 N/m; below the published"
                f" one at {int((ratios < 1.0).sum())} of them",
                figures={
                    "poses": len(ratios),
                    "median_ratio": median,
                    "percentile_5_ratio": low,
                    "percentile_95_ratio": high,
                    "below_published": int((ratios < 1.0).sum()),
                },
            )
        )
    return rows
