# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads a CSV of joint measurements, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from impact_bags.exceptions import RecordingError
from impact_bags.reading.csv_rows import check_single, csv_rows, other_separator
from impact_bags.reading.recording import Item, RecordedReference, credible
from impact_detector.signals.reference_torque import SAME
from impact_detector.signals.sample import JointSample, from_seconds

LONGEST_SHOWN = 40  # characters of a wrong field
LATEST = 9e9  # largest time whose nanoseconds fit into 64 bits [s]
_REQUIRED = {"q": "q{}_rad", "dq": "dq{}_radps"}
_OPTIONAL = {"tau": "tau{}_nm", "tau_ref": "tau_ref{}_nm"}


class CsvRecording:
    """One row per measurement: ``time_s, q1_rad.., dq1_radps..``, SI, any column order.

    Optional columns ``tau1_nm..`` hold the measured torques, gravity included, ``tau_ref1_nm..``
    the reference torque of the same row; others may have any content. An empty field is NaN; a row
    without torques is a state whose torques are unknown.
    """

    pairing_rule = SAME

    def __init__(self, path: Path, joints: int) -> None:
        """Open the file and check its columns.

        Args:
            path: of the file.
            joints: number n of the robot's joints.

        Raises:
            RecordingError: columns are missing or there twice, or the file is no text.
        """
        self.name, self.state_topic, self._path = str(path), "", path
        self.lost: list[str] = []  # a row that is damaged is an error
        header = next(csv_rows(self._path), (0, []))[1]
        columns = [name.strip() for name in header]
        names = {"time": ["time_s"]}
        for key, pattern in (_REQUIRED | _OPTIONAL).items():
            numbered = [pattern.format(i) for i in range(1, joints + 1)]
            if key in _REQUIRED or not set(columns).isdisjoint(numbered):
                names[key] = numbered
        self.has_reference = "tau_ref" in names
        self._width = len(columns)
        self._names = [name for group in names.values() for name in group]
        self._indices = [i for group in names.values() for i in self._find(columns, group)]
        self._groups: dict[str, slice] = {}  # of the numbers that are read
        begin = 0
        for key, group in names.items():
            self._groups[key] = slice(begin, begin := begin + len(group))

    def items(self, *, references: bool = True) -> Iterator[Item]:
        """Yield samples, each after its reference if these are requested.

        Raises:
            RecordingError: a row has the wrong number of fields, or a field is no number.
        """
        rows = csv_rows(self._path)
        next(rows)
        for number, row in rows:
            values = self._numbers(number, row)
            found = {key: values[group] for key, group in self._groups.items()}
            time, tau = self._nanoseconds(number, values[0]), found.get("tau")
            if references and self.has_reference:
                yield RecordedReference(time, found["tau_ref"])
            measured = None if tau is None or np.isnan(tau).all() else tau
            yield credible(JointSample(time, found["q"], found["dq"], measured))

    def _find(self, columns: list[str], names: list[str]) -> list[int]:
        """Return the indices of the named columns.

        Raises:
            RecordingError: one is missing, or there twice.
        """
        missing = [name for name in names if name not in columns]
        if missing:
            got = ", ".join(columns[:8]) + (", ..." if len(columns) > 8 else "") or "none"
            separator = other_separator(columns)
            hint = f"; separated by {separator!r}? expected commas and decimal points"
            raise RecordingError.at(
                self._path,
                "expected columns time_s, q1_rad.., dq1_radps.., perhaps tau1_nm.., missing"
                f" {', '.join(missing)}; got {got}{hint if separator else ''}",
            )
        check_single(self._path, columns, names)
        return [columns.index(name) for name in names]

    def _numbers(self, number: int, row: list[str]) -> np.ndarray:
        """Return the fields that are needed as numbers, an empty one as NaN."""
        if len(row) != self._width:
            raise RecordingError.at(
                self._path, f"line {number}: expected {self._width} fields, got {len(row)}"
            )
        needed = [row[index] for index in self._indices]
        try:
            return np.array([field if field.strip() else "nan" for field in needed], dtype=float)
        except ValueError:
            raise RecordingError.at(self._path, f"line {number}: {self._wrong(needed)}") from None

    def _wrong(self, fields: list[str]) -> str:
        """Return which of the needed fields is no number, as text."""
        pairs = zip(self._names, fields, strict=True)
        name, field = next(pair for pair in pairs if pair[1].strip() and not _is_number(pair[1]))
        hint = "; a decimal comma? expected a point" if _is_number(field.replace(",", ".")) else ""
        return f"{name}: expected a number, got {field[:LONGEST_SHOWN]!r}{hint}"

    def _nanoseconds(self, number: int, seconds: float) -> int:
        if not abs(seconds) < LATEST:
            raise RecordingError.at(
                self._path,
                f"line {number}: time_s: expected a finite number below {LATEST:.0e} s,"
                f" got {seconds:g}",
            )
        return from_seconds(float(seconds))


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
