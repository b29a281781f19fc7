# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The rows of trials.csv, as text that is read back to the same values."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from impact_bags.exceptions import RecordingError
from impact_trials.trial import Value

TEXTS = ("scenario", "bag", "detector")  # columns of text
Row = Mapping[str, Value]


def table_text(columns: Sequence[str], rows: Iterable[Row]) -> bytes:
    """Return a table with its heading."""
    heading = dict(zip(columns, columns, strict=True))
    return b"".join(row_text(columns, row) for row in (heading, *rows))


def row_text(columns: Sequence[str], row: Row) -> bytes:
    """Return one row."""
    text = io.StringIO()
    csv.DictWriter(text, columns).writerow(row)
    return text.getvalue().encode()


def read_rows(path: Path, columns: Sequence[str]) -> list[dict[str, Value]]:
    """Return the rows of a table, without an incomplete last row.

    Raises:
        RecordingError: it has other columns, or is no table of trials.
    """
    data = path.read_bytes() if path.exists() else b""
    whole = io.StringIO(data[: data.rfind(b"\n") + 1].decode(errors="replace"), newline="")
    lines = list(csv.reader(whole))
    if lines and tuple(lines[0]) != tuple(columns):
        raise RecordingError.at(path, "has the columns of another version: name another folder")
    try:
        return [
            {name: _value(name, text) for name, text in zip(columns, line, strict=True)}
            for line in lines[1:]
        ]
    except ValueError as error:
        raise RecordingError.at(path, f"damaged: {error}") from None


def _value(column: str, text: str) -> Value:
    """Return the value that was written.

    Raises:
        ValueError: it is no number.
    """
    if not text:
        return None
    if column in TEXTS:
        return text
    return int(text) if text.lstrip("-").isdecimal() else float(text)
