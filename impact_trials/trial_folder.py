# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A folder of recorded trials: one bag a trial, and trials.csv, at all times in agreement."""

from __future__ import annotations

import contextlib
import csv
import io
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from impact_bags.exceptions import RecordingError
from impact_bags.folder_lock import locked
from impact_robots.exceptions import UsageError, WriteError
from impact_ros.interrupts import deferred_interrupts
from impact_trials.trial import Value

TABLE = "trials.csv"


class TrialFolder:
    """A new folder, a context manager.

    Trials are recorded into ``unfinished``, a hidden folder that nobody else knows, and get their
    place and their row when they are over. At the end, whatever ends it, that hidden folder is
    removed with the trials that were interrupted, and nothing else is: what others put into the
    folder meanwhile stays.
    """

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        """Say where, and which columns the table has. Nothing is made yet.

        Raises:
            UsageError: there is something at that path already.
        """
        self.path, self._columns = path, columns
        self.unfinished = path  # known when the folder is made
        self._check_new()

    def _check_new(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise UsageError(f"--record: expected a new folder, {self.path} is a file")
        if self.path.is_dir() and (count := sum(1 for _ in self.path.iterdir())):
            raise UsageError(f"--record: expected a new or empty folder, {self.path} holds {count}")

    def __enter__(self) -> TrialFolder:
        """Make the folder and begin the table.

        Raises:
            UsageError: the folder cannot be made, or is no longer empty.
            AnalysisError: another process records into it.
        """
        with contextlib.ExitStack() as stack:
            try:
                self.path.mkdir(parents=True, exist_ok=True)
                stack.enter_context(locked(self.path, "--record"))
                self._check_new()
                self._file = stack.enter_context((self.path / TABLE).open("xb", buffering=0))
                self.unfinished = Path(tempfile.mkdtemp(prefix=".unfinished_", dir=self.path))
                stack.callback(shutil.rmtree, self.unfinished, ignore_errors=True)
            except OSError as error:
                raise UsageError(f"--record: cannot make {self.path}: {error.strerror}") from None
            self._append(dict(zip(self._columns, self._columns, strict=True)))
            self._exit = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the table and remove recordings that did not come to their end."""
        self._exit.close()

    def add(self, row: Mapping[str, Value]) -> None:
        """Give a recording its place and write the row of its trial; Ctrl-C waits for that.

        Raises:
            RecordingError: something else is there by now.
            WriteError: the disk refused.
        """
        name = str(row["bag"])
        with deferred_interrupts():
            if (self.path / name).exists():
                raise RecordingError.at(self.path / name, "exists already, and is not overwritten")
            try:
                (self.unfinished / name).rename(self.path / name)
            except OSError as error:
                raise WriteError.of(self.path / name, error) from error
            self._append(row)

    def _append(self, row: Mapping[str, Value]) -> None:
        """Write a row of the table; half a row is taken back.

        Raises:
            WriteError: the disk refused.
        """
        text = io.StringIO()
        csv.DictWriter(text, self._columns).writerow(row)
        data, whole = text.getvalue().encode(), self._file.tell()
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            self._file.truncate(whole)
            raise WriteError.of(self.path / TABLE, error) from error
