# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The study of learned walls as a table: speeds and loads by hit, for each case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from impact_analysis.present.table import Column, Table
from studies.learned_walls.learn_run import HITS, LearnRun
from studies.learned_walls.learn_study import LearnStudy
from studies.learned_walls.learn_truth import BEFORE_EXCHANGE, KINDS

SUMMED_UP = ("truths", "over_limit", "speed_share", "highest_load")
EXCHANGED = next(kind.name for kind in KINDS if kind.exchanged)


def study(found: LearnStudy) -> Table:
    """Return one line a case; the first hit on an exchanged wall counts on its own."""
    groups = {kind.name: found.of(kind.name) for kind in KINDS}
    entries = [entry(name, runs) for name, runs in groups.items() if runs]
    return Table(
        "learn_cases",
        "Speed at each hit over the highest one that keeps all limits (median/5 %), largest load"
        " over its limit, hits above it, hits that contradicted those before, share of figures of"
        " wall and joints that are in their interval after the last hit",
        (
            Column("case", "case"),
            Column("truths", "truths"),
            *(Column("", f"hit {k + 1}", text=_at_hit(k)) for k in range(HITS)),
            Column("", "load", text=_load),
            Column("", "over", text=_over),
            Column("contradictions", "contra."),
            Column("", "in", text="{0[wall_in_interval]:.0%}, {0[joints_in_interval]:.0%}".format),
        ),
        entries,
        entries,
    )


def by_case(cases: Table) -> dict[str, dict[str, Any]]:
    """Return what of a :func:`study` goes first in a JSON document: each key by case."""
    return {key: {each["case"]: each[key] for each in cases.entries} for key in SUMMED_UP}


def counted(runs: Sequence[LearnRun], *, at_exchange: bool = False) -> np.ndarray:
    """Return the loads of hits that a promise is about, or those of the first on another wall."""
    loads = [
        load
        for run in runs
        for hit, load in enumerate(run.loads)
        if at_exchange == (run.kind == EXCHANGED and hit == BEFORE_EXCHANGE)
    ]
    return np.array([load for load in loads if np.isfinite(load)])


def shares(runs: Sequence[LearnRun]) -> np.ndarray:
    """Return the speeds over the highest safe ones, shape (runs, hits); nan: no hit [-]."""
    return np.array([run.shares for run in runs])


def covered(runs: Sequence[LearnRun], what: str) -> float:
    """Return the fraction of figures of "wall" or "joints" whose interval holds the truth [-]."""
    held = sum(getattr(run, f"{what}_covered") for run in runs)
    return float(held / sum(getattr(run, f"{what}_figures") for run in runs))


def entry(name: str, runs: Sequence[LearnRun]) -> dict[str, Any]:
    """Return a case for programs."""
    speeds, loads, first = shares(runs), counted(runs), counted(runs, at_exchange=True)
    return {
        "case": name,
        "truths": len(runs),
        "speed_share": [
            {
                "hit": hit + 1,
                "median": float(np.nanmedian(speeds[:, hit])),
                "percentile_5": float(np.nanpercentile(speeds[:, hit], 5)),
            }
            for hit in range(speeds.shape[1])
        ],
        "highest_load": float(loads.max()),
        "over_limit": int((loads > 1.0).sum()),
        "highest_load_at_exchange": float(first.max()) if len(first) else None,
        "over_limit_at_exchange": int((first > 1.0).sum()),
        "contradictions": sum(sum(run.changed) for run in runs),
        "hits": len(loads) + len(first),
        "missed": int(np.isnan(speeds).sum()),
        "touches_not_detected": int(
            sum(speed is not None and not seen for r in runs for speed, seen in _touches(r))
        ),
        "arm_limits": sum(run.arm_limits for run in runs),
        "wall_in_interval": covered(runs, "wall"),
        "joints_in_interval": covered(runs, "joints"),
    }


def _touches(run: LearnRun) -> list[tuple[float | None, bool]]:
    return list(zip(run.speed, run.detected, strict=True))


def _at_hit(hit: int) -> Callable[[dict[str, Any]], str]:
    return lambda each: "{median:.2f}/{percentile_5:.2f}".format(**each["speed_share"][hit])


def _load(each: dict[str, Any]) -> str:
    """Return the highest load, and that of the first hit on an exchanged wall if there is one."""
    other = each["highest_load_at_exchange"]
    return f"{each['highest_load']:.2f}" + ("" if other is None else f", {other:.1f}")


def _over(each: dict[str, Any]) -> str:
    exchanged = each["highest_load_at_exchange"] is not None
    other = f", {each['over_limit_at_exchange']}" if exchanged else ""
    return f"{each['over_limit']}{other}/{each['hits']}"
