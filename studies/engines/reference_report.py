# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""References by each impact map on the scenarios ``rs_*``, as rows and a table: E6 and E7."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from impact_analysis.present.table import Column, Table
from impact_predictor.multicontact.reference_maps import MUJOCO, REFERENCE_MAPS
from impact_qp.arms.plans import USUAL_MAPS
from studies.engines.reference_trials import MapTrial
from studies.row import OURS, ClaimTable, Row, promised

NAME = "references"
FIGURES = ("along", "up", "peak", "net", "slip")  # of a trial that means are made of


def with_references(table: ClaimTable, found: Sequence[MapTrial]) -> ClaimTable:
    """Return a table with the rows and the table of references."""
    entries = means(found)
    rows = (*table.rows, _feedback(entries), _success(found))
    return replace(
        table,
        rows=rows,
        studies=(*table.studies, _scenarios(entries)),
        summary={**table.summary, NAME: entries},
    )


def means(found: Sequence[MapTrial]) -> list[dict[str, Any]]:
    """Return the means over seeds, one entry a scenario and map."""
    entries = []
    for name in dict.fromkeys(each.scenario for each in found):
        for object_map in REFERENCE_MAPS:
            own = [each for each in found if (each.scenario, each.object_map) == (name, object_map)]
            entry: dict[str, Any] = {"scenario": name, "kind": own[0].kind, "map": object_map}
            entry["n"], entry["succeeded"] = len(own), sum(each.success for each in own)
            for key in FIGURES:
                mean = float(np.mean([getattr(each, key) for each in own]))
                entry[key] = mean if np.isfinite(mean) else None
            entries.append(entry)
    return entries


def ratio(entries: Sequence[dict[str, Any]], kind: str) -> float:
    """Return the net feedback by the usual map over that by MuJoCo's step, largest scenario."""
    net = {(each["scenario"], each["map"]): each["net"] for each in entries if each["kind"] == kind}
    names = {name for name, _ in net}
    return max((net[name, USUAL_MAPS[kind]] / net[name, MUJOCO] for name in names), default=0.0)


def _feedback(entries: Sequence[dict[str, Any]]) -> Row:
    """Return whether the usual map needs the least feedback."""
    largest = {kind: ratio(entries, kind) for kind in USUAL_MAPS}
    worst = max(largest.values())
    return promised(
        "E6",
        OURS,
        "references by the usual map (pushes: points, grabs: locked) need no more feedback than"
        " those by MuJoCo's step",
        "ratio of the net feedback <= 1 on every scenario",
        f"at most {largest['push']:.2f} in pushes, {largest['grab']:.2f} in grabs",
        f"{worst - 1.0:+.2f}",
        worst <= 1.0,
        "integral of the size of a_fb from 2 ms before the first contact to 0.5 s after it, mean of"
        " the arms and seeds. In MuJoCo's step a box that slides lifts off its table, so the plate"
        " rises with it",
        figures={f"{kind}_net_over_mujoco_most": value for kind, value in largest.items()},
    )


def _success(found: Sequence[MapTrial]) -> Row:
    """Return whether pushes and grabs succeed by the usual map, and how many by every map."""
    done = {
        name: [each.success for each in found if each.object_map == name] for name in REFERENCE_MAPS
    }
    usual = [each.success for each in found if each.object_map == USUAL_MAPS[each.kind]]
    failed = len(usual) - sum(usual)
    return promised(
        "E7",
        OURS,
        "pushes and grabs succeed with references by the usual map",
        "no arm stops, every grabbed box is lifted",
        f"usual {sum(usual)} of {len(usual)}; "
        + ", ".join(f"{name} {sum(each)} of {len(each)}" for name, each in done.items()),
        f"{-failed:+d}",
        failed == 0,
        f"{len(found)} trials in the flexible-joint cell with noise",
        figures={f"{name}_succeeded": sum(each) for name, each in done.items()},
    )


def _scenarios(entries: list[dict[str, Any]]) -> Table:
    """Return the table of scenarios and maps."""
    shown = (
        Column("scenario", "scenario"),
        Column("map", "map"),
        Column("along", "v along [m/s]", form=".3f"),
        Column("up", "v up [m/s]", form=".3f"),
        Column("peak", "peak [m/s^2]", form=".2f"),
        Column("net", "net [m/s]", form=".3f"),
        Column("slip", "slip [m]", form=".4f"),
        Column("succeeded", "succeeded"),
    )
    return Table(NAME, "References by each map, means over seeds", shown, entries, entries)
