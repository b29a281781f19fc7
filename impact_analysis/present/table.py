# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Tables whose columns are declared once: to text, JSON, CSV and HTML."""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from operator import attrgetter, itemgetter
from textwrap import wrap
from typing import IO, Any, NamedTuple

from impact_analysis.present.number import number

GAP = "  "


class Column(NamedTuple):
    """One column of a table: its key, title, number format and where its values come from."""

    key: str = ""  # in JSON and CSV, with the unit; empty: left out there
    title: str = ""  # in text and HTML, with the unit; empty: left out there
    form: str = ""  # format of its numbers, such as ".3f"
    of: str | Callable[[Any], Any] = ""  # attribute, entry or function of a row (default: the key)
    factor: float = 1.0  # converts the unit of the key to that of the title
    text: Callable[[Any], str] | None = None  # cell of a row, instead of form and factor

    def value(self, row: Any) -> Any:
        """Return the value of a row, which is an object or a mapping."""
        if callable(self.of):
            return self.of(row)
        name = self.of or self.key
        return row[name] if isinstance(row, Mapping) else attrgetter(name)(row)

    def cell(self, row: Any) -> str:
        """Return the text of a row."""
        return self.text(row) if self.text else number(self.value(row), self.form, self.factor)


@dataclass(frozen=True)
class Table:
    """Rows of the same columns."""

    name: str  # in a JSON document
    title: str
    columns: Sequence[Column]
    rows: Sequence[Any]  # objects or mappings
    records: Sequence[Mapping[str, Any]] | None = None  # replaces the rows in JSON

    @property
    def head(self) -> list[str]:
        """Titles of the columns that have one."""
        return [column.title for column in self.columns if column.title]

    @property
    def cells(self) -> list[list[str]]:
        """Texts of every row, of the columns that have a title."""
        shown = [column for column in self.columns if column.title]
        return [[column.cell(row) for column in shown] for row in self.rows]

    @property
    def entries(self) -> list[dict[str, Any]]:
        """Values by key: one entry per row, or ``records``."""
        if self.records is not None:
            return [*map(dict, self.records)]
        keyed = [column for column in self.columns if column.key]
        return [{column.key: column.value(row) for column in keyed} for row in self.rows]

    def text(self, width: int = 0) -> str:
        """Return title, head and rows with aligned columns, the title wrapped to ``width``."""
        head, *rows = aligned([self.head, *self.cells])
        return "\n".join([*wrap(self.title, width or 1000), head, "-" * len(head), *rows])


def texts(*titles: str) -> list[Column]:
    """Return columns for rows that are sequences of texts."""
    return [Column("", title, text=itemgetter(place)) for place, title in enumerate(titles)]


def aligned(lines: Sequence[Sequence[str]], left: Iterable[int] = (0,)) -> list[str]:
    """Return lines of cells as text in columns, those at the places ``left`` left-aligned."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    places = {place % len(widths) for place in left}
    return [
        GAP.join(
            cell.ljust(width) if place in places else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def closed_table(lines: Sequence[Sequence[str]]) -> str:
    """Return lines as text in columns, ruled off below the first one, the head, and the last."""
    head, *rows = aligned(lines)
    rule = "-" * len(head)
    return "\n".join([head, rule, *rows, rule])


def turned_table(head: Sequence[str], columns: Sequence[Column], rows: Sequence[Any]) -> str:
    """Return a transposed table as text: a line per column, a column per row, and its head."""
    lines = [[each.title, *map(each.cell, rows)] for each in columns]
    return closed_table([["", *head], *lines])


def html_table(
    head: Sequence[str],
    cells: Sequence[Sequence[str]],
    *,
    kind: str = "table",
    best: int | None = None,
    marks: Collection[tuple[int, int]] = (),
) -> str:
    """Return a table as HTML; ``best`` is the highlighted row, ``marks`` are highlighted cells."""
    titles = "".join(f"<th>{escape(text)}</th>" for text in head)
    lines = []
    for k, row in enumerate(cells):
        looks = (' class="mark"' if (k, j) in marks else "" for j in range(len(row)))
        texts = "".join(f"<td{a}>{escape(text)}</td>" for a, text in zip(looks, row, strict=True))
        lines.append(f'<tr class="best">{texts}</tr>' if k == best else f"<tr>{texts}</tr>")
    return (
        f'<div class="{kind}"><table><thead><tr>{titles}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def write_csv(file: IO[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows that have the same columns, one by one."""
    rows = iter(rows)
    first = next(rows, {})
    writer = csv.DictWriter(file, list(first))
    writer.writeheader()
    if first:
        writer.writerow(first)
    writer.writerows(rows)
