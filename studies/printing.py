# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Tables as text."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from studies.row import DIFFERS, NOT_AVAILABLE, REPRODUCED, ClaimTable, Row

WIDTHS = {"published": 24, "ours": 40, "difference": 18, "verdict": 13}
GAP = "  "
INDENT = 5  # of everything but a row's id
WIDTH = INDENT + sum(WIDTHS.values()) + len(GAP) * (len(WIDTHS) - 1)


def table_text(table: ClaimTable) -> str:
    """Return a table: its rows, then its studies."""
    rule = "-" * WIDTH
    parts = [table.title, rule, _cells("", {name: name for name in WIDTHS}), rule]
    parts += ["\n\n".join(_row_text(row) for row in table.rows), rule]
    parts += ["\n" + study.text(WIDTH) for study in table.studies]
    return "\n".join(parts)


def summary(tables: Sequence[ClaimTable]) -> str:
    """Return one line that counts the verdicts."""
    counted = counts(tables)
    return ", ".join(f"{count} {verdict}" for verdict, count in counted.items() if count)


def counts(tables: Sequence[ClaimTable]) -> dict[str, int]:
    """Return the number of rows with each verdict."""
    verdicts = [row.verdict for table in tables for row in table.rows]
    return {name: verdicts.count(name) for name in (REPRODUCED, DIFFERS, NOT_AVAILABLE)}


def _row_text(row: Row) -> str:
    """Return a row: claim, cells, and how or why not."""
    decides = "" if row.verdict == REPRODUCED else row.decided_by
    how = f"{row.note}. What would decide it: {decides}" if decides else row.note
    claim, note = (
        wrap(text, WIDTH, initial_indent=f"{first:<{INDENT}}", subsequent_indent=" " * INDENT)
        for first, text in ((row.id, f"{row.claim} ({row.paper})"), ("", how))
    )
    return "\n".join([*claim, _cells("", {name: getattr(row, name) for name in WIDTHS}), *note])


def _cells(first: str, texts: dict[str, str]) -> str:
    """Return texts side by side, each wrapped in its column."""
    columns = [wrap(texts[name], width) or [""] for name, width in WIDTHS.items()]
    height = max(map(len, columns))
    lines = []
    for index in range(height):
        cells = [column[index] if index < len(column) else "" for column in columns]
        padded = GAP.join(map(str.ljust, cells, WIDTHS.values()))
        lines.append(((first if index == 0 else "").ljust(INDENT) + padded).rstrip())
    return "\n".join(lines)
