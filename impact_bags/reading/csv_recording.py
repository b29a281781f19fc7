# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads a CSV of joint measurements, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from impact_bags.exceptions import RecordingError
from impact_bags.reading.csv_rows import csv_rows
from impact_bags.reading.recording import Item, RecordedReference, credible
from impact_detector.signals.reference_torque import SAME
from impact_detector.signals.sample import JointSample, from_seconds

LATEST = 9e9  # largest time whose nanoseconds fit into 64 bits [s]
_REQUIRED = {"q": "q{}_rad", "dq": "dq{}_radps", "tau": "tau{}_nm"}
_REFERENCE = "tau_ref{}_nm"


class CsvRecording:
    """One row per measurement: ``time_s, q1_rad.., dq1_radps.., tau1_nm..``, SI, any column order.

    Optional columns ``tau_ref1_nm..`` hold the reference torque of the same row. An empty field
    is NaN; a row without torques is a state whose torques are unknown. Torques include gravity.
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
        patterns = dict(_REQUIRED)
        self.has_reference = _REFERENCE.format(1) in columns
        if self.has_reference:
            patterns["tau_ref"] = _REFERENCE
        self._time = self._find(columns, ["time_s"])[0]
        numbers = range(1, joints + 1)
        self._columns = {
            key: self._find(columns, [pattern.format(i) for i in numbers])
            for key, pattern in patterns.items()
        }
        self._width = len(columns)

    def items(self, *, references: bool = True) -> Iterator[Item]:
        """Yield samples, each after its reference if these are requested.

        Raises:
            RecordingError: a row has the wrong number of fields, or a field is no number.
        """
        rows = csv_rows(self._path)
        next(rows)
        for number, row in rows:
            values = self._numbers(number, row)
            time = self._nanoseconds(number, values[self._time])
            q, dq, tau = (values[self._columns[key]] for key in ("q", "dq", "tau"))
            if references and self.has_reference:
                yield RecordedReference(time, values[self._columns["tau_ref"]])
            yield credible(JointSample(time, q, dq, None if np.isnan(tau).all() else tau))

    def _find(self, columns: list[str], names: list[str]) -> np.ndarray:
        """Return the indices of the named columns, shape (len(names),).

        Raises:
            RecordingError: one is missing, or there twice.
        """
        missing = [name for name in names if name not in columns]
        if missing:
            got = ", ".join(columns[:8]) + (", ..." if len(columns) > 8 else "") or "none"
            raise RecordingError.at(
                self._path,
                "expected columns time_s, q1_rad.., dq1_radps.., tau1_nm.., missing"
                f" {', '.join(missing)}; got {got}",
            )
        if twice := [name for name in names if columns.count(name) > 1]:
            raise RecordingError.at(self._path, f"expected one column {twice[0]}, got several")
        return np.array([columns.index(name) for name in names])

    def _numbers(self, number: int, row: list[str]) -> np.ndarray:
        """Return the row as numbers, an empty field as NaN."""
        if len(row) != self._width:
            raise RecordingError.at(
                self._path, f"line {number}: expected {self._width} fields, got {len(row)}"
            )
        try:
            return np.array([field if field.strip() else "nan" for field in row], dtype=float)
        except ValueError as error:
            raise RecordingError.at(self._path, f"line {number}: {error}") from None

    def _nanoseconds(self, number: int, seconds: float) -> int:
        if not abs(seconds) < LATEST:
            raise RecordingError.at(
                self._path,
                f"line {number}: time_s: expected a finite number below {LATEST:.0e} s,"
                f" got {seconds:g}",
            )
        return from_seconds(float(seconds))
