# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Claims about velocity fields, compared with the results of the study."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from impact_analysis.present.table import Column, Table
from studies.fields.field_study import DISTANCES, SIDES, FieldTrial
from studies.row import OURS, ClaimTable, Row, promised

NOT_WORSE, PUSHED, ALIKE = 1.1, 0.9, 1.1  # goals of ratios to rs [-]
Ratios = dict[str, dict[str, dict[str, float]]]  # by kind, side and distance
RS, FIELD = 0, 1


def table(found: Sequence[FieldTrial]) -> ClaimTable:
    """Return the claims with their results."""
    peaks = ratios(found, lambda each: each.peak[FIELD] / each.peak[RS])
    success = {
        "rs": ratios(found, lambda each: each.success[RS], np.mean),
        "time_invariant": ratios(found, lambda each: each.success[FIELD], np.mean),
    }
    rows = (
        _peaks(found, peaks),
        _better(found, peaks),
        _success(found),
        _alike(found),
    )
    summary: dict[str, Any] = {"peak_over_rs": peaks, "success": success}
    title = "Velocity fields beside references in time"
    return ClaimTable("fields", title, rows, (_cases(found),), summary)


def ratios(
    found: Sequence[FieldTrial],
    value: Callable[[FieldTrial], float],
    middle: Callable[[list[float]], Any] = np.median,
) -> Ratios:
    """Return a value's median over cases and seeds, by kind, side and distance."""
    found_by: Ratios = {kind: {side: {} for side in sides} for kind, sides in SIDES.items()}
    for kind, sides in SIDES.items():
        for side in sides:
            for distance in DISTANCES:
                place = kind, side, distance
                own = [each for each in found if (each.kind, each.side, each.distance) == place]
                if own:
                    found_by[kind][side][f"{distance:g}"] = float(middle(list(map(value, own))))
    return found_by


def _values(peaks: Ratios, kind: str, *distances: float) -> list[float]:
    return [
        by[f"{distance:g}"]
        for by in peaks[kind].values()
        for distance in distances
        if f"{distance:g}" in by
    ]


def _peaks(found: Sequence[FieldTrial], peaks: Ratios) -> Row:
    worst = max(_values(peaks, "push", 0.0) + _values(peaks, "grab", 0.0))
    return promised(
        "F1",
        OURS,
        "where the box is expected, fields need no larger feedback than references in time",
        f"peak over rs <= {NOT_WORSE:g}",
        f"{worst:.2f}",
        f"{worst - NOT_WORSE:+.2f}",
        worst <= NOT_WORSE,
        f"{len(found)} trials by both modes, equal gains and limits; medians over cases and seeds",
        figures={"trials": len(found), "peak_over_rs_at_0_most": worst},
    )


def _better(found: Sequence[FieldTrial], peaks: Ratios) -> Row:
    near, far = (max(_values(peaks, "push", distance)) for distance in DISTANCES[1:])
    grabs = max(_values(peaks, "grab", *DISTANCES[1:]))
    return promised(
        "F2",
        OURS,
        "a box that is 20 or 50 mm aside takes a smaller peak of feedback by fields",
        f"pushes <= {PUSHED:g}, grabs < 1",
        f"pushes {near:.2f} (20 mm), {far:.2f} (50 mm), grabs {grabs:.2f}",
        f"{max(near, far) - PUSHED:+.2f}, {grabs - 1.0:+.2f}",
        max(near, far) <= PUSHED and grabs < 1.0,
        "the largest of the medians of both ways",
        figures={
            "push_peak_over_rs_at_20_mm_most": near,
            "push_peak_over_rs_at_50_mm_most": far,
            "grab_peak_over_rs_most": grabs,
        },
    )


def _success(found: Sequence[FieldTrial]) -> Row:
    rs, field = (sum(each.success[k] for each in found) for k in (RS, FIELD))
    lost = sum(each.success[RS] and not each.success[FIELD] for each in found)
    return promised(
        "F3",
        OURS,
        "fields succeed wherever references in time do",
        "0 lost",
        f"{lost} lost; {field} of {len(found)} against {rs}",
        str(lost),
        not lost,
        "no arm stopped, and a grabbed box is lifted",
        figures={"success_rs": rs, "success_fields": field, "lost": lost},
    )


def _alike(found: Sequence[FieldTrial]) -> Row:
    both = [each for each in found if all(each.success)]
    slips = [each.slip[FIELD] / each.slip[RS] for each in both if each.kind == "grab"]
    ends = [each.end[FIELD] / each.end[RS] for each in both]
    slip, end = (float(np.median(each)) if each else np.nan for each in (slips, ends))
    return promised(
        "F4",
        OURS,
        "plates slip no more, and arms end no further from where their motion ends",
        f"<= {ALIKE:g} of rs",
        f"slip {slip:.2f}, end {end:.2f}",
        f"{slip - ALIKE:+.2f}, {end - ALIKE:+.2f}",
        slip <= ALIKE and end <= ALIKE,
        f"medians of the {len(both)} trials in which both succeed",
        figures={"slip_over_rs_median": slip, "end_over_rs_median": end},
    )


def _cases(found: Sequence[FieldTrial]) -> Table:
    """Return the table of cases by displacement."""
    entries: list[dict[str, Any]] = []
    names = list(dict.fromkeys(each.scenario for each in found))
    for name in names:
        for distance in DISTANCES:
            mine = [e for e in found if (e.scenario, e.distance) == (name, distance)]
            if not mine:
                continue
            entries.append(
                {
                    "scenario": name,
                    "distance_m": distance,
                    "n": len(mine),
                    "peak_rs_mps2": float(np.median([each.peak[RS] for each in mine])),
                    "peak_fields_mps2": float(np.median([each.peak[FIELD] for each in mine])),
                    "success_rs": sum(each.success[RS] for each in mine),
                    "success_fields": sum(each.success[FIELD] for each in mine),
                }
            )
    shown = (
        Column("scenario", "scenario"),
        Column("distance_m", "aside [m]", text="{:g}".format),
        Column("n", "trials"),
        Column("peak_rs_mps2", "peak rs", text="{:.2f}".format),
        Column("peak_fields_mps2", "fields [m/s^2]", text="{:.2f}".format),
        Column("success_rs", "success rs"),
        Column("success_fields", "fields"),
    )
    return Table("field_cases", "Peak feedback and success by case", shown, entries, entries)
