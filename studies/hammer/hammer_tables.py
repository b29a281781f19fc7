# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The study of strikes as figures and tables: truths, model, nails, best poses, planner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from impact_analysis.present.table import Column, Table
from impact_predictor.joint_load.load import DURATION
from studies.hammer.nail_counts import NailCount
from studies.hammer.optimum import BEST, NOMINAL_POSE, PLANS, PROMISED, JudgedOptimum
from studies.hammer.struck_truth import KNOT, NAIL, STOP, DrawnStrike, StruckSetup, StruckTruth

NEVER = "never"  # a nail that stops before its depth, or takes more strikes than are counted
BANDS = ((0.0, DURATION), (DURATION, 2 * DURATION), (2 * DURATION, np.inf))  # of contacts [s]


def truths(setups: Sequence[StruckSetup]) -> list[StruckTruth]:
    """Return the truths of all set-ups."""
    return [truth for each in setups for truth in each.truths]


def hits(found: Sequence[StruckTruth]) -> list[DrawnStrike]:
    """Return the strikes that hit something."""
    return [each for truth in found for each in truth.strikes if each.used is not None]


def over_limit(found: Sequence[StruckTruth]) -> dict[str, Any]:
    """Return how many strikes exceeded a limit of a joint, and of how many."""
    used = [each.used for each in hits(found) if each.used is not None]
    return {
        "over_limit": sum(not each <= 1.0 for each in used),
        "n": len(used),
        "truths": len(found),
        "highest_load": max(used, default=np.nan),
        "median_load": float(np.median(used)) if used else np.nan,
        "over_promise": sum(
            each.used is not None and not each.used <= each.promised for each in hits(found)
        ),
        "nothing_hit": sum(each.used is None for truth in found for each in truth.strikes),
        "stopped": sum(bool(each.stopped) for truth in found for each in truth.strikes),
        "ended_early": sum(bool(each.problem) for each in found),
    }


def model_errors(found: Sequence[StruckTruth], band: tuple[float, float]) -> dict[str, Any]:
    """Return how far the frozen model's load is from the plant's, contacts of some duration [s]."""
    errors = [
        each.predicted / each.used - 1.0
        for each in hits(found)
        if each.used and each.predicted is not None and each.contact is not None
        if band[0] <= each.contact < band[1]
    ]
    if not errors:
        return {"n": 0}
    size = np.abs(errors)
    return {
        "n": len(errors),
        "median": float(np.median(size)),
        "percentile_95": float(np.percentile(size, 95)),
        "lowest": min(errors),
        "highest": max(errors),
    }


def planner_times(setups: Sequence[StruckSetup], optima: Sequence[JudgedOptimum]) -> dict[str, Any]:
    """Return processor times of plans, median and highest [s]."""
    times = {
        "pose": [each.plan_s for each in optima],
        "optimize": [each.optimize_s for each in optima],
        "series": [each.planner_s for each in setups],
    }
    return {
        key: {"n": len(all_of), "median": float(np.median(all_of)), "highest": max(all_of)}
        for key, all_of in times.items()
        if all_of
    }


def work_done(optima: Sequence[JudgedOptimum], plan: str) -> list[float]:
    """Return the mean work of a plan on the drawn nails of each set-up [J]."""
    return [
        float(np.mean([s.work for s in each.strikes if s.plan == plan and s.nail]))
        for each in optima
    ]


def works(optima: Sequence[JudgedOptimum]) -> dict[str, Any]:
    """Return the work over that of the nominal optimum, and what became of its promise."""
    best, nominal = work_done(optima, BEST), work_done(optima, NOMINAL_POSE)
    hasty = [s for each in optima for s in each.strikes if s.plan == PROMISED]
    planned = [s for each in optima for s in each.strikes if s.plan != PROMISED]
    return {
        "set_ups": len(optima),
        "work_over_nominal": sum(best) / sum(nominal) if sum(nominal) > 0.0 else np.nan,
        "set_ups_with_more": sum(a > b for a, b in zip(best, nominal, strict=True)),
        "mean_work_j": float(np.mean(best)),
        "nominal_work_j": float(np.mean(nominal)),
        "promised_work_j": float(np.mean([each.promised_work for each in optima])),
        "promised_over_limit": sum(s.used > 1.0 for s in hasty),
        "promised_strikes": len(hasty),
        "planned_over_limit": sum(s.used > 1.0 for s in planned),
        "planned_strikes": len(planned),
    }


def worst_cases(optima: Sequence[JudgedOptimum]) -> dict[str, Any]:
    """Return what the plant uses of a limit in the worst cases that plans have found."""
    worst = [each for found in optima for each in found.worst]
    used = [each.used for each in worst]
    return {
        "n": len(used),
        "over_limit": sum(not each <= 1.0 for each in used),
        "median_load": float(np.median(used)),
        "highest_load": max(used),
        "highest_modelled": max(each.modelled for each in worst),
    }


def truths_table(found: Sequence[StruckTruth]) -> Table:
    """Return the loads of drawn truths, one line a kind of tool and surface."""
    groups = []
    for rigid, kind, learns in _GROUPS:
        of = [e for e in found if (e.rigid, e.kind, e.learns) == (rigid, kind, learns)]
        if of:
            tool = "rigid" if rigid else "handle, learning" if learns else "handle"
            groups.append({"tool": tool, "target": kind} | over_limit(of))
    columns = [
        *(Column(each, each) for each in ("tool", "target", "truths")),
        Column("n", "strikes"),
        Column("median_load", "median load", ".2f"),
        Column("highest_load", "highest", ".2f"),
        Column("over_limit", "above a limit"),
        Column("stopped", "stopped"),
    ]
    title = "Drawn truths at planned speeds: largest load of a joint over its limit"
    return Table("hammer_truths", title, columns, groups)


_GROUPS = [
    (rigid, kind, learns)
    for rigid, learns in ((True, False), (False, False), (False, True))
    for kind in (NAIL, STOP, KNOT)
]


def model_table(found: Sequence[StruckTruth]) -> Table:
    """Return the errors of the frozen model, one line a duration of contacts."""
    lines = [
        {"from_s": band[0], "to_s": band[1]} | errors
        for band in BANDS
        if (errors := model_errors(found, band))["n"]
    ]
    columns = [
        Column("from_s", "contact from [ms]", ".0f", factor=1e3),
        Column("to_s", "to [ms]", ".0f", factor=1e3),
        Column("n", "strikes"),
        *(Column(key, title, ".1%") for key, title in _ERRORS.items()),
    ]
    title = "Load by the frozen model over that of the moving arm, less one"
    return Table("hammer_model", title, columns, lines)


_ERRORS = {
    "median": "median size",
    "percentile_95": "95 %",
    "lowest": "lowest",
    "highest": "highest",
}


def counts_table(found: Sequence[NailCount]) -> Table:
    """Return the strikes that drive the page's nail to 30 mm."""
    columns = [
        Column("resistance", "nail [N]", ".0f"),
        Column("run", "plan"),
        Column("speed", "speed [m/s]", ".3f"),
        Column("strikes", "strikes", text=lambda each: str(each["strikes"] or NEVER)),
        Column("depth", "depth [mm]", ".1f", factor=1e3),
        Column("used", "load", ".2f"),
    ]
    title = "Strikes to 30 mm, the true tool in the middle of its ranges, in the plant"
    return Table("hammer_nails", title, columns, [each._asdict() for each in found])


def optima_table(optima: Sequence[JudgedOptimum]) -> Table:
    """Return speeds, works and loads of the plans, all set-ups together."""
    lines = []
    for index, plan in enumerate(PLANS):
        strikes = [s for each in optima for s in each.strikes if s.plan == plan]
        lines.append(
            {
                "plan": plan,
                "median_speed_mps": float(np.median([each.speeds[index] for each in optima])),
                "mean_work_j": float(np.mean(work_done(optima, plan))),
                "strikes": len(strikes),
                "over_limit": sum(not s.used <= 1.0 for s in strikes),
                "highest_load": max(s.used for s in strikes),
            }
        )
    columns = [
        Column("plan", "plan"),
        Column("median_speed_mps", "median speed [m/s]", ".3f"),
        Column("mean_work_j", "mean work on nails [J]", ".3f"),
        Column("strikes", "strikes"),
        Column("over_limit", "above a limit"),
        Column("highest_load", "highest load", ".2f"),
    ]
    title = f"Best poses of {len(optima)} set-ups under drawn truths"
    return Table("hammer_poses", title, columns, lines)
