# SPDX-License-Identifier: Apache-2.0
"""A folder of recorded trials: one bag a trial, and trials.csv, at all times in agreement."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from impact_analysis.exceptions import RecordingError, UsageError
from impact_analysis.trial import Value

TABLE = "trials.csv"


class TrialFolder:
    """A new folder, a context manager.

    A row is written as soon as its trial is over. At the end, whatever ends it, recordings without
    a row are removed: those of trials that were interrupted.
    """

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        """Say where, and which columns the table has. Nothing is made yet.

        Raises:
            UsageError: there is something at that path already.
        """
        self.path, self._columns = path, columns
        self._bags: set[str] = set()
        if path.exists() and not path.is_dir():
            raise UsageError(f"--record: expected a new folder, {path} is a file")
        if path.is_dir() and (count := sum(1 for _ in path.iterdir())):
            raise UsageError(f"--record: expected a new or empty folder, {path} holds {count}")

    def __enter__(self) -> TrialFolder:
        """Make the folder and begin the table.

        Raises:
            UsageError: the folder cannot be made.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._file = (self.path / TABLE).open("w", newline="", encoding="utf-8")
        except OSError as error:
            raise UsageError(f"--record: cannot make {self.path}: {error.strerror}") from None
        self._rows = csv.DictWriter(self._file, self._columns)
        self._rows.writeheader()
        self._file.flush()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the table and remove recordings that it does not name."""
        self._file.close()
        for found in self.path.iterdir():
            if found.is_dir() and found.name not in self._bags:
                shutil.rmtree(found, ignore_errors=True)

    def add(self, row: Mapping[str, Value]) -> None:
        """Write the row of a trial whose recording is there.

        Raises:
            RecordingError: the disk refused.
        """
        try:
            self._rows.writerow(row)
            self._file.flush()
        except OSError as error:
            raise RecordingError.at(
                self.path / TABLE, f"cannot be written: {error.strerror}"
            ) from error
        self._bags.add(str(row["bag"]))
