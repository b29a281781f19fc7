# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One published claim next to what this project gets, and a table of such rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from impact_analysis.present import table as present
from studies.published import claims, decisions

REPRODUCED, DIFFERS, NOT_AVAILABLE = "reproduced", "differs", "not available"
OURS = "this suite"
PAPERS = {  # by the number in headline_results.csv
    "000": "Wang 2022",
    "001": "Rey Arias 2024",
    "003": "van Steen 2025",
    "004": "Wang 2023",
}


@dataclass(frozen=True)
class Row:
    """A claim and its verdict, as printed texts and as ``figures``."""

    id: str  # such as H13, of headline_results.csv
    paper: str  # Wang 2022, Rey Arias 2024, van Steen 2025 or Wang 2023
    claim: str  # as in headline_results.csv
    published: str
    ours: str
    difference: str
    verdict: str  # "reproduced", "differs" or "not available"
    note: str  # how, or why it cannot be had
    figures: Mapping[str, float | int] = field(default_factory=dict)  # SI, unit in the key
    decided_by: str = ""  # what would settle the claim, of decided_by.csv


@dataclass(frozen=True)
class ClaimTable:
    """The rows of one group of papers, and the studies behind them."""

    name: str
    title: str
    rows: tuple[Row, ...]
    studies: tuple[present.Table, ...] = ()
    summary: Mapping[str, Any] = field(default_factory=dict)  # goes first in a JSON document

    def as_json(self) -> dict[str, Any]:
        """Return the table as one JSON object."""
        return {
            "table": self.name,
            "title": self.title,
            "rows": [asdict(row) for row in self.rows],
            "studies": {study.name: study.entries for study in self.studies},
        }


def judged(
    claim_id: str,
    *,
    ours: str,
    difference: str,
    holds: bool,
    note: str,
    published: str = "",
    figures: Mapping[str, float | int] | None = None,
) -> Row:
    """Return the row of a claim that can be had.

    Args:
        claim_id: of headline_results.csv.
        ours: what was recomputed.
        difference: to what was published.
        holds: whether the claim is reproduced.
        note: how it was recomputed.
        published: replaces the value in headline_results.csv.
        figures: ``ours`` for programs, SI, unit in the key.
    """
    paper, claim, value = _claim(claim_id)
    goal = published or value
    return promised(
        claim_id, paper, claim, goal, ours, difference, holds, note, figures=figures or {}
    )


def promised(
    row_id: str,
    paper: str,
    claim: str,
    goal: str,
    ours: str,
    difference: str,
    holds: bool,
    note: str,
    *,
    figures: Mapping[str, float | int],
) -> Row:
    """Return the row of a claim that headline_results.csv does not have.

    Args:
        row_id: such as L1.
        paper: whose claim it is, or "this suite".
        claim: in words.
        goal: what was published, or promised.
        ours: what was computed.
        difference: to the goal.
        holds: whether the claim is kept.
        note: how it was computed.
        figures: ``ours`` for programs, SI, unit in the key.
    """
    verdict = REPRODUCED if holds else DIFFERS
    settles = decisions().get(row_id, "")
    return Row(row_id, paper, claim, goal, ours, difference, verdict, note, figures, settles)


def unavailable(claim_id: str, why: str, published: str = "") -> Row:
    """Return the row of a claim that cannot be had, with the reason."""
    paper, claim, value = _claim(claim_id)
    goal, settles = published or value, decisions()[claim_id]
    return Row(claim_id, paper, claim, goal, "-", "-", NOT_AVAILABLE, why, decided_by=settles)


def _claim(claim_id: str) -> tuple[str, str, str]:
    """Return paper, claim and published value of a row of headline_results.csv."""
    row = claims()[claim_id]
    return PAPERS[row["paper"]], row["claim"], row["value"] or "qualitative"
