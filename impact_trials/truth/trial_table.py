# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The truth about recorded trials, read from the table of a campaign."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from impact_bags.exceptions import RecordingError

TABLE = "trials.csv"
PARTS = "trials"  # folder of Parquet files instead
JOURNAL = ".rows.jsonl"  # rows that are in no Parquet file yet, one a line
_PART = re.compile(r"part_(\d{6,})\.parquet")
_NEEDED = ("scenario", "bag", "duration_s", "speed_reference_mps", "impact_time_s")


@dataclass(frozen=True)
class TrialTruth:
    """One trial; NaN for missing values, such as those of an impact in free motion."""

    scenario: str
    bag: Path
    duration: float  # of the recording [s]
    speed: float  # requested [m/s]
    impact_time: float  # first contact, in the recording's time; NaN: there was none [s]
    gross_velocity: np.ndarray  # right after the impact, shape (n,) [rad/s]
    normal: tuple[float, ...]  # of the surface, base axes
    normal_impulse: float  # [N.s]
    torque_threshold: float  # of the scenario's torque-error detector; NaN: none [N.m]

    def with_absolute_paths(self) -> TrialTruth:
        """Return the trial with an absolute path."""
        return replace(self, bag=self.bag.resolve())

    @property
    def hits(self) -> bool:
        """Whether there was an impact."""
        return math.isfinite(self.impact_time)


def read_trials(folder: Path, dof: int) -> list[TrialTruth]:
    """Return the recorded trials of a folder that `impact simulate --record` made.

    Args:
        folder: with ``trials.csv``, or Parquet files in ``trials``, and bags; of a campaign that
            was interrupted, the trials that are finished.
        dof: number of joints n.

    Raises:
        RecordingError: no table, columns missing, or no trials.
    """
    path = folder / TABLE
    if not path.exists() and (folder / PARTS).is_dir():
        path = folder / PARTS
    try:
        rows = _of_files(folder) if path.is_dir() else _of_text(path)
        trials = [_trial(folder, row, dof) for row in rows if row["bag"] != ""]
    except OSError as error:
        raise RecordingError.at(
            path, f"expected the truth about trials: {error.strerror}"
        ) from None
    except (ValueError, csv.Error) as error:
        raise RecordingError.at(path, f"damaged: {error}") from None
    if not trials:
        raise RecordingError.at(path, "expected at least one trial, found none")
    return trials


def _of_text(path: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of ``trials.csv``.

    Raises:
        RecordingError: columns are missing.
    """
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        missing = [name for name in _NEEDED if name not in (rows.fieldnames or ())]
        if missing:
            raise RecordingError.at(path, f"columns missing: {', '.join(missing)}")
        yield from rows


def part_files(folder: Path) -> dict[int, Path]:
    """Return the Parquet files of a campaign's folder by number; copies of them are none."""
    found = {each: _PART.fullmatch(each.name) for each in sorted((folder / PARTS).iterdir())}
    return {int(match[1]): each for each, match in found.items() if match}


def journal_rows(folder: Path) -> list[dict[str, Any]]:
    """Return the rows of a campaign's journal, without an incomplete last one.

    Raises:
        ValueError: it is damaged.
    """
    path = folder / JOURNAL
    data = path.read_bytes() if path.exists() else b""
    rows = [json.loads(line) for line in data[: data.rfind(b"\n") + 1].splitlines()]
    if not all(isinstance(row, dict) for row in rows):
        raise ValueError("expected rows with names")
    return rows


def _of_files(folder: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of recorded trials in Parquet files and in the journal, as text.

    Raises:
        RecordingError: pyarrow is missing.
        ValueError: they are damaged.
    """
    try:
        import pyarrow.dataset as ds
    except ImportError:
        line = "expected the package pyarrow: pip install pyarrow"
        raise RecordingError.at(folder / PARTS, line) from None
    files, known = [str(each) for each in part_files(folder).values()], set()
    data, recorded = ds.dataset(files, format="parquet"), ds.field("bag").is_valid()
    for batch in data.to_batches(filter=recorded) if files else ():
        for row in batch.to_pylist():
            known.add(row["bag"])
            yield _as_text(row)
    for row in journal_rows(folder):
        if row.get("bag") is not None and row["bag"] not in known:
            known.add(row["bag"])
            yield _as_text(row)


def _as_text(row: dict[str, Any]) -> dict[str, str]:
    """Return a row as ``trials.csv`` has it."""
    found = dict.fromkeys(_NEEDED) | row
    return {name: "" if value is None else str(value) for name, value in found.items()}


def _trial(folder: Path, row: dict[str, str], dof: int) -> TrialTruth:
    """Return the truth of one row.

    Raises:
        ValueError: it is no row of the table.
    """
    if short := [name for name in _NEEDED if row[name] is None]:
        raise ValueError(f"a row without {', '.join(short)}")
    return TrialTruth(
        row["scenario"],
        folder / row["bag"],
        _number(row, "duration_s"),
        _number(row, "speed_reference_mps"),
        _number(row, "impact_time_s"),
        np.array([_number(row, f"gross_velocity_{i}_radps") for i in range(1, dof + 1)]),
        tuple(_number(row, f"normal_{axis}") for axis in "xyz"),
        _number(row, "normal_impulse_ns"),
        _number(row, "torque_error_threshold_nm"),
    )


def _number(row: dict[str, str], name: str) -> float:
    """Return a number, NaN for an empty cell."""
    text = row.get(name) or ""
    return float(text) if text else math.nan
