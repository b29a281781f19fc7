# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A folder of recorded trials: one bag per trial, and trials.csv, always consistent."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Sequence
from filecmp import cmp
from pathlib import Path
from types import TracebackType

from impact_bags.exceptions import RecordingError
from impact_bags.folder_lock import locked
from impact_bags.new_files import write_file
from impact_robots.exceptions import UsageError, WriteError
from impact_ros.interrupts import deferred_interrupts
from impact_trials.campaign_file import CAMPAIGN, check_campaign
from impact_trials.truth.trial_rows import Row, read_rows, row_text, table_text
from impact_trials.truth.trial_table import TABLE

_UNFINISHED = ".unfinished_"


class TrialFolder:
    """The folder of one campaign, new or begun earlier, a context manager.

    Trials are recorded into ``unfinished``, a hidden folder, and are moved to their place and get
    their row when they are finished. In any case the hidden folder is removed at the end, with
    interrupted trials; other files in the folder are not touched. Rows are written as trials end,
    and sorted by trial when the folder is left; so a campaign that was stopped and resumed ends
    with the same bytes.
    """

    def __init__(
        self, path: Path, columns: Sequence[str], campaign: str, names: Sequence[str]
    ) -> None:
        """Set the path; nothing is written yet.

        Args:
            path: new or empty, or of the same campaign.
            columns: of the table.
            campaign: settings of the campaign, a JSON document.
            names: of all recordings, in the order of the trials.

        Raises:
            UsageError: the path is used otherwise.
        """
        self.path, self._columns, self._campaign, self._names = path, columns, campaign, names
        self.unfinished = path  # known when the folder is made
        self.finished: tuple[Row, ...] = ()  # by an earlier call, known when it is entered
        self._written: list[str] = []
        self._check()

    @property
    def count(self) -> int:
        """Number of finished trials."""
        return len(self._written)

    def _check(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise UsageError(f"--record: expected a new folder, {self.path} is a file")
        if (self.path / CAMPAIGN).is_file():
            check_campaign(self.path, self._campaign)
        elif self.path.is_dir() and (count := sum(1 for _ in self.path.iterdir())):
            raise UsageError(
                f"--record: expected a new or empty folder, or one of the same campaign,"
                f" {self.path} holds {count}"
            )

    def __enter__(self) -> TrialFolder:
        """Make the folder, or read its contents, and begin the table.

        Raises:
            UsageError: the folder cannot be made, or has changed.
            RecordingError: its table is damaged.
            WriteError: a file cannot be written.
            AnalysisError: another process records into it.
        """
        with contextlib.ExitStack() as stack:
            try:
                self.path.mkdir(parents=True, exist_ok=True)
                stack.enter_context(locked(self.path, "--record"))
                self._check()
                self._begin()
                self._file = stack.enter_context((self.path / TABLE).open("ab", buffering=0))
                self.unfinished = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=self.path))
                stack.callback(shutil.rmtree, self.unfinished, ignore_errors=True)
            except OSError as error:
                raise UsageError(f"--record: cannot make {self.path}: {error.strerror}") from None
            self._exit = stack.pop_all()
        return self

    def _begin(self) -> None:
        """Write the settings, and remove unfinished trials of a killed call."""
        if not (self.path / CAMPAIGN).is_file():
            write_file(self.path / CAMPAIGN, self._campaign)
        for left in self.path.glob(_UNFINISHED + "*"):
            shutil.rmtree(left, ignore_errors=True)
        rows = self._in_order().items()
        kept = {name: row for name, row in rows if (self.path / name).is_dir()}
        write_file(self.path / TABLE, table_text(self._columns, kept.values()))
        self.finished, self._written = tuple(kept.values()), list(kept)

    def _in_order(self) -> dict[str, Row]:
        """Return the rows of the table in the order of the trials.

        Raises:
            RecordingError: it is damaged, or contains other trials.
        """
        rows = {str(row["bag"]): row for row in read_rows(self.path / TABLE, self._columns)}
        if others := rows.keys() - set(self._names):
            raise RecordingError.at(self.path / TABLE, f"holds other trials: {min(others)}")
        return {name: rows[name] for name in self._names if name in rows}

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Sort the rows and remove unfinished recordings.

        Raises:
            WriteError: a file cannot be written; the rows are unchanged.
        """
        with self._exit, deferred_interrupts():
            written = set(self._written)
            if self._written != [name for name in self._names if name in written]:
                rows = self._in_order().values()
                write_file(self.path / TABLE, table_text(self._columns, rows))

    def add(self, row: Row) -> None:
        """Move a recording to its place and write the row of its trial; Ctrl-C is deferred.

        Raises:
            RecordingError: something else is there by now.
            WriteError: the disk refused.
        """
        name = str(row["bag"])
        with deferred_interrupts():
            place = self.path / name
            if place.exists() and not _same(self.unfinished / name, place):
                raise RecordingError.at(place, "exists already, and is not overwritten")
            if not place.exists():  # otherwise a call was killed before it wrote the row
                try:
                    (self.unfinished / name).rename(place)
                except OSError as error:
                    raise WriteError.of(place, error) from error
            self._append(row)
            self._written.append(name)

    def _append(self, row: Row) -> None:
        """Write a row of the table; half a row is taken back.

        Raises:
            WriteError: the disk refused.
        """
        data, whole = row_text(self._columns, row), self._file.tell()
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            self._file.truncate(whole)
            raise WriteError.of(self.path / TABLE, error) from error


def _same(one: Path, other: Path) -> bool:
    """Return whether two recordings are equal, byte by byte."""
    files = sorted(path.name for path in one.iterdir())
    return (
        other.is_dir()
        and files == sorted(path.name for path in other.iterdir())
        and all(cmp(one / name, other / name, shallow=False) for name in files)
    )
