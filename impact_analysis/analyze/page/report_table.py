# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A table of the report."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    kind: str = "table",
    best: int | None = None,
    marks: set[tuple[int, int]] | None = None,
) -> str:
    """Return a table; ``best`` is a row that stands out, ``marks`` are cells that do."""
    titles = "".join(f"<th>{escape(text)}</th>" for text in head)
    lines = []
    for k, row in enumerate(rows):
        cells = "".join(
            f'<td class="mark">{escape(text)}</td>'
            if (k, j) in (marks or set())
            else f"<td>{escape(text)}</td>"
            for j, text in enumerate(row)
        )
        lines.append(f'<tr class="best">{cells}</tr>' if k == best else f"<tr>{cells}</tr>")
    return (
        f'<div class="{kind}"><table><thead><tr>{titles}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )
