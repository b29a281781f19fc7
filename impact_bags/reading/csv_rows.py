# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Rows of a CSV, one at a time."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from impact_bags.exceptions import RecordingError

LONGEST = 2**20  # line [characters]


def csv_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and fields of each row that is not empty.

    Raises:
        RecordingError: the file cannot be read as CSV.
    """
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(_lines(file))
            for row in reader:
                if row:
                    yield reader.line_num, row
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise RecordingError.at(path, f"cannot be read as CSV: {error}") from None


def check_single(path: Path, header: list[str], names: Sequence[str]) -> None:
    """Refuse a header that has one of the named columns several times.

    Raises:
        RecordingError: names the column.
    """
    if twice := [name for name in names if header.count(name) > 1]:
        raise RecordingError.at(path, f"expected one column {twice[0]}, got several")


def other_separator(header: list[str]) -> str:
    """Return the character other than a comma that separates a header's columns, or ""."""
    line = header[0] if len(header) == 1 else ""
    return next((each for each in (";", "\t") if each in line), "")


def _lines(file: TextIO) -> Iterator[str]:
    """Yield lines, with a limit of their length.

    Raises:
        csv.Error: a line is too long.
    """
    while line := file.readline(LONGEST + 1):
        if len(line) > LONGEST:
            raise csv.Error(f"a line of more than {LONGEST} characters")
        yield line
