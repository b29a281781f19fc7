# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The suite's claims about strikes with a tool, compared with the study's results."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from impact_predictor.strike.strike_plan import MOST_STRIKES
from studies.hammer import hammer_tables as figures_of
from studies.hammer.hammer_study import HammerFound
from studies.hammer.nail_counts import POSE, PUBLISHED, RESISTANCES, RIGID, SOFT, NailCount
from studies.hammer.struck_truth import STRIKES, StruckTruth
from studies.row import OURS, ClaimTable, Row, promised

FEWER = 3.0  # times as many strikes of the rigid tool, at least
SECONDS = 10.0  # of a plan, highest processor time [s]
ERROR = 0.05  # of the frozen model, 95 % of contacts below 30 ms [-]


def table(found: HammerFound) -> ClaimTable:
    """Return the claims with their results and reasons."""
    truths = figures_of.truths(found.setups)
    rows = [
        _safe(truths),
        *(_fewer(found.nails, each) for each in RESISTANCES),
        _work(found),
        _worst(found),
        _quick(found),
        _model(truths),
        _unstopped(truths),
    ]
    summary = figures_of.over_limit(truths) | {
        "strikes_to_depth": [each._asdict() for each in found.nails],
        "work": figures_of.works(found.optima),
        "worst_cases": figures_of.worst_cases(found.optima),
        "planner_s": figures_of.planner_times(found.setups, found.optima),
        "model_error": figures_of.model_errors(truths, figures_of.BANDS[0]),
    }
    tables = (
        figures_of.truths_table(truths),
        figures_of.counts_table(found.nails),
        figures_of.optima_table(found.optima),
        figures_of.model_table(truths),
    )
    return ClaimTable(
        "hammer", "Strikes with a tool at the planned speed", tuple(rows), tables, summary
    )


def _safe(truths: Sequence[StruckTruth]) -> Row:
    found = figures_of.over_limit(truths)
    over, highest = found["over_limit"], found["highest_load"]
    return promised(
        "S1",
        OURS,
        "no planned strike takes a joint over its limit of change or range",
        "0",
        f"{over} of {found['n']}; highest load {highest:.3f} of its limit",
        str(over),
        over == 0,
        f"closed loop, sensor noise, {found['truths']} drawn truths, {STRIKES} strikes each, half"
        " at the ends of what was announced; nails, stops, and nails that meet a knot; the plant's"
        f" joint torques. {found['nothing_hit']} strikes hit nothing, {found['ended_early']}"
        " series ended early",
        figures={key: found[key] for key in ("n", "truths", "over_limit", "highest_load")},
    )


def _fewer(counts: Sequence[NailCount], resistance: float) -> Row:
    of = {each.run: each for each in counts if each.resistance == resistance}
    rigid = of[RIGID].strikes
    best = min(of[run].strikes or inf for run in (POSE, SOFT))
    texts = {run: str(each.strikes or figures_of.NEVER) for run, each in of.items()}
    holds = best < inf and FEWER * best <= (rigid or inf)
    known = {"rigid": rigid, "best_pose": best, "published": of[PUBLISHED].strikes}
    return promised(
        f"S{2 + RESISTANCES.index(resistance)}",
        OURS,
        f"a handle that gives, at its best pose, drives a nail of {resistance:g} N 30 mm in at most"
        " a third of a rigid tool's strikes",
        f"<= rigid/{FEWER:g}",
        "; ".join(f"{run}: {text}" for run, text in texts.items()),
        "-" if rigid is None or best == inf else f"{best / rigid:.2f}",
        holds,
        f"of {MOST_STRIKES} strikes at most; in the plant, the true tool in the middle of its"
        " ranges, from contact on, without a controller",
        figures={key: value for key, value in known.items() if value and value < inf},
    )


def _work(found: HammerFound) -> Row:
    works = figures_of.works(found.optima)
    ratio, over = works["work_over_nominal"], works["planned_over_limit"]
    return promised(
        "S4",
        OURS,
        "the pose found in all ranges does more work on drawn nails than the nominal optimum at"
        " the speed that is safe there",
        "> 1",
        f"{ratio:.2f} times, more in {works['set_ups_with_more']} of {works['set_ups']} set-ups",
        f"{ratio - 1.0:+.0%}",
        ratio > 1.0 and over == 0,
        f"in the plant; {works['promised_over_limit']} of {works['promised_strikes']} strikes as"
        f" the nominal optimum promises them exceed a limit, of those planned in all ranges"
        f" {over} of {works['planned_strikes']}. Mean work {works['mean_work_j']:.3f} J, at the"
        f" nominal optimum {works['nominal_work_j']:.3f} J, promised there"
        f" {works['promised_work_j']:.3f} J",
        figures={key: works[key] for key in works if key != "set_ups_with_more"},
    )


def _worst(found: HammerFound) -> Row:
    worst = figures_of.worst_cases(found.optima)
    over = worst["over_limit"]
    return promised(
        "S5",
        OURS,
        "the worst case that a plan's own check finds, in the plant, exceeds no limit",
        "0",
        f"{over} of {worst['n']}; highest load {worst['highest_load']:.3f} of its limit",
        str(over),
        over == 0,
        f"median {worst['median_load']:.3f}, by the model at most {worst['highest_modelled']:.3f};"
        " at starts, nominal optima and best poses, from contact on",
        figures=worst,
    )


def _quick(found: HammerFound) -> Row:
    times = figures_of.planner_times(found.setups, found.optima)
    highest = max(times[key]["highest"] for key in ("pose", "optimize"))
    texts = [
        f"{name} {times[key]['median']:.1f}, highest {times[key]['highest']:.1f} s"
        for key, name in (("pose", "at a pose"), ("optimize", "best pose"))
    ]
    return promised(
        "S6",
        OURS,
        "processor time of a plan",
        f"< {SECONDS:g} s",
        f"median {'; median '.join(texts)}",
        f"{highest - SECONDS:+.1f} s",
        highest < SECONDS,
        f"{times['pose']['n']} set-ups, start of the program not included",
        figures={
            f"{key}_{what}_s": times[key][what]
            for key in ("pose", "optimize")
            for what in ("median", "highest")
        },
    )


def _model(truths: Sequence[StruckTruth]) -> Row:
    brief, slow, slowest = (figures_of.model_errors(truths, each) for each in figures_of.BANDS)
    others = [
        f"{what} {each['median']:.1%} and {each['percentile_95']:.1%} of {each['n']}"
        for what, each in (("30 to 60 ms", slow), ("longer", slowest))
        if each["n"]
    ]
    known = bool(brief["n"])
    return promised(
        "S7",
        OURS,
        "load by the frozen model against the moving arm, contacts below 30 ms",
        f"95 % within {ERROR:.0%}",
        f"median {brief['median']:.1%}, 95 % {brief['percentile_95']:.1%}" if known else "none",
        f"{brief['percentile_95'] - ERROR:+.1%}" if known else "-",
        known and brief["percentile_95"] <= ERROR,
        f"{brief['n']} strikes of the closed loop at their true speed; contacts of"
        f" {', '.join(others) or 'other durations: none'}",
        figures=brief,
    )


def _unstopped(truths: Sequence[StruckTruth]) -> Row:
    found = figures_of.over_limit(truths)
    stopped = [each.stopped for truth in truths for each in truth.strikes if each.stopped]
    return promised(
        "S8",
        OURS,
        "no planned strike makes the controller stop the arm",
        "0",
        f"{len(stopped)} of {found['n'] + found['nothing_hit']}",
        str(len(stopped)),
        not stopped,
        "by its guard, whose limits are those of joint positions, velocities and torques;"
        f" the others were not struck again: {'; '.join(sorted(set(stopped))[:3]) or 'none'}",
        figures={"stopped": len(stopped)},
    )
