# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Drawn pushes as a row and a table: predicted falls beside simulated ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from impact_analysis.present.table import Column, Table
from studies.humanoid_grabs.push_study import NEAR, PLACES, PushOutcome
from studies.row import OURS, ClaimTable, Row, promised

RIGHT, FALSE_STANDS = 0.9, 0.02  # goals, fractions of all pushes
FALLS, NEARLY = 0.3, 0.5  # least fractions of falls, and of pushes near the limit
TITLE = "HRP-4 is pushed in a grab"


def with_balance(table: ClaimTable, found: Sequence[PushOutcome]) -> ClaimTable:
    """Return the table of grabs with the row and the table of pushes."""
    rows, studies = (*table.rows, row(found)), (*table.studies, places(found))
    return replace(table, rows=rows, studies=studies)


def alone(found: Sequence[PushOutcome]) -> ClaimTable:
    """Return the row and the table of pushes alone."""
    return with_balance(ClaimTable("hrp4", TITLE, ()), found)


def row(found: Sequence[PushOutcome]) -> Row:
    """Return how often the predicted fall is the simulated one."""
    figures = counts(found)
    n, right, unseen = figures["n"], figures["right"], figures["said_to_stand_and_fell"]
    falls, near = figures["falls"], figures["near_limit"]
    return promised(
        "balance",
        OURS,
        "which push makes HRP-4 fall, in closed form, against the closed loop",
        f"right >= {RIGHT:.0%}, said to stand and fell <= {FALSE_STANDS:.0%}",
        f"{right}/{n} right, {unseen} said to stand and fell",
        f"{right / n - RIGHT:+.1%}, {unseen / n - FALSE_STANDS:+.1%}",
        right >= RIGHT * n
        and unseen <= FALSE_STANDS * n
        and falls >= FALLS * n
        and near >= NEARLY * n,
        f"{falls} falls, {near} within 25 % of the limit (goals {FALLS:.0%}, {NEARLY:.0%}); before"
        f" the grab or with the box lifted, 5 ms to sustained; in {figures['stopped']} the guards"
        " ended the grab: servos hold the joints",
        figures=figures,
    )


def counts(found: Sequence[PushOutcome]) -> dict[str, int]:
    """Return the row's figures."""
    near = [each for each in found if NEAR[0] <= each.push.force / each.push.limit <= NEAR[1]]
    return {
        "n": len(found),
        "right": sum(each.said_to_fall == each.fell for each in found),
        "falls": sum(each.fell for each in found),
        "said_to_stand_and_fell": sum(each.fell and not each.said_to_fall for each in found),
        "near_limit": len(near),
        "stopped": sum(each.stopped for each in found),
    }


def places(found: Sequence[PushOutcome]) -> Table:
    """Return the table of pushes by their place."""
    entries: list[dict[str, Any]] = [
        {"place": place, **counts(mine)}
        for place in PLACES
        if (mine := [each for each in found if each.push.place == place])
    ]
    columns = ("place", "n", "right", "falls", "said_to_stand_and_fell", "near_limit", "stopped")
    titles = ("place", "pushes", "right", "falls", "said to stand, fell", "near limit", "stopped")
    shown = tuple(Column(key, title) for key, title in zip(columns, titles, strict=True))
    return Table("pushes", "Pushes by their place", shown, entries, entries)
