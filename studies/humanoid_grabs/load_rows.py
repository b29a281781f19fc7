# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Drawn grabs with flexible joints as a row and a table: predicted loads beside simulated ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from impact_analysis.present.table import Column, Table
from studies.humanoid_grabs.load_study import DrawnLoad
from studies.row import OURS, ClaimTable, Row, promised

STUDY = "joint_loads"
MEDIAN_ERROR, SAME_JOINT = 0.05, 0.9  # goals: relative; fraction of the grabs
TITLE = "HRP-4's joints in a grab"


def with_loads(table: ClaimTable, found: Sequence[DrawnLoad]) -> ClaimTable:
    """Return a table with the row and the table of loads."""
    rows, studies = (*table.rows, row(found)), (*table.studies, joints(found))
    return replace(table, rows=rows, studies=studies)


def alone(found: Sequence[DrawnLoad]) -> ClaimTable:
    """Return the row and the table of loads alone."""
    return with_loads(ClaimTable("hrp4", TITLE, ()), found)


def row(found: Sequence[DrawnLoad]) -> Row:
    """Return how well loads are predicted, and whether one was above its limit."""
    errors = np.abs([each.predicted / each.used - 1.0 for each in found])
    same = sum(each.joint == each.predicted_joint for each in found)
    over = sum(each.used > 1.0 for each in found)
    used = [each.used for each in found]
    at_bound = [each.used for each in found if each.asked > each.bound]
    planned = [each.as_planned / each.used - 1.0 for each in found]
    median, largest = float(np.median(errors)), float(errors.max())
    n = len(found)
    return promised(
        STUDY,
        OURS,
        "the largest load of a joint over its limit, of a floating base on its soles; the limits"
        " joint_load keep it below 1",
        f"median error <= {MEDIAN_ERROR:.0%}, the same joint >= {SAME_JOINT:.0%}, none above",
        f"median {median:.1%}, largest {largest:.1%}; the same joint {same}/{n}; {over} above",
        f"{median - MEDIAN_ERROR:+.1%}, {same / n - SAME_JOINT:+.0%}, {over}",
        median <= MEDIAN_ERROR and same >= SAME_JOINT * n and not over,
        f"closed loop of the plant with flexible joints; joints, box and contact drawn in the"
        f" announced ranges, palms up to {1e3 * max(_delays(found), default=0.0):.0f} ms apart. The"
        " prediction knows what is drawn, the state at the first contact and what the servos are"
        " sent after it; it is of 30 ms after the last contact. For servos that go on, as in a"
        f" plan, it is {np.median(planned):+.1%} at the median, {min(planned):+.1%} at least. Used"
        f" of a limit: median {np.median(used):.2f}, most {max(used):.2f}",
        figures={
            "n": n,
            "median_relative_error": median,
            "largest_relative_error": largest,
            "median_relative_error_as_planned": float(np.median(planned)),
            "least_relative_error_as_planned": min(planned),
            "same_joint": same,
            "above": over,
            "used_median": float(np.median(used)),
            "used_most": max(used),
            "at_bound": len(at_bound),
            "used_median_at_bound": float(np.median(at_bound)) if at_bound else 0.0,
            "bound_mps": found[0].bound,
        },
    )


def _delays(found: Sequence[DrawnLoad]) -> list[float]:
    return [each.delay for each in found if np.isfinite(each.delay)]


def joints(found: Sequence[DrawnLoad]) -> Table:
    """Return the table of grabs by the joint that is loaded most."""
    entries: list[dict[str, Any]] = []
    for joint in sorted({each.joint for each in found}):
        mine = [each for each in found if each.joint == joint]
        errors = [each.predicted / each.used - 1.0 for each in mine]
        entries.append(
            {
                "joint": joint,
                "n": len(mine),
                "used_most": max(each.used for each in mine),
                "median_error": float(np.median(errors)),
            }
        )
    shown = (
        Column("joint", "joint loaded most"),
        Column("n", "grabs"),
        Column("used_most", "of its limit, most", form=".2f"),
        Column("median_error", "predicted", form="+.1%"),
    )
    return Table(STUDY, "Joint loads by joint", shown, entries, entries)
