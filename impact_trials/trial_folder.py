# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A folder of recorded trials: one bag per trial, and trials.csv, always consistent."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from filecmp import cmp
from pathlib import Path
from types import TracebackType

from impact_bags.exceptions import RecordingError
from impact_bags.folder_lock import locked
from impact_bags.new_files import write_file
from impact_robots.exceptions import UsageError, WriteError
from impact_ros.interrupts import deferred_interrupts
from impact_trials.campaign_file import CAMPAIGN, check_campaign
from impact_trials.trial import recording_name
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

    Attributes:
        table: name of the file that rows are appended to.
    """

    table = TABLE

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
        self._written: dict[str, Row] = {}
        self._check()

    @property
    def count(self) -> int:
        """Number of finished trials."""
        return len(self._written)

    def has(self, index: int) -> bool:
        """Return whether a trial, by its number from 0 in the order of all, is finished."""
        return self._names[index] in self._written

    @property
    def finished(self) -> tuple[Row, ...]:
        """The rows of all finished trials in the order of the trials."""
        return tuple(self.rows())

    def rows(self) -> Iterable[Row]:
        """Return the rows of all finished trials in the order of the trials."""
        return [self._written[name] for name in self._names if name in self._written]

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
                self._file = stack.enter_context((self.path / self.table).open("ab", buffering=0))
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
        self._read()

    def _read(self) -> None:
        """Read the rows of trials that are finished, and whose recordings are there."""
        rows = self._in_order().items()
        self._written = {name: row for name, row in rows if self._is_there(row)}
        write_file(self.path / TABLE, table_text(self._columns, self._written.values()))

    def _is_there(self, row: Row) -> bool:
        """Return whether a trial needs no recording, or has one."""
        return row["bag"] is None or (self.path / str(row["bag"])).is_dir()

    def _in_order(self) -> dict[str, Row]:
        """Return the rows of the table in the order of the trials.

        Raises:
            RecordingError: it is damaged, or contains other trials.
        """
        rows = {trial_name(row): row for row in read_rows(self.path / TABLE, self._columns)}
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
            self._finish()

    def _finish(self) -> None:
        """Sort the rows."""
        if list(self._written) != [name for name in self._names if name in self._written]:
            rows = self._in_order().values()
            write_file(self.path / TABLE, table_text(self._columns, rows))

    def add(self, row: Row) -> None:
        """Move a recording to its place and write the row of its trial; Ctrl-C is deferred.

        Raises:
            RecordingError: something else is there by now.
            WriteError: the disk refused.
        """
        with deferred_interrupts():
            if row["bag"] is not None:
                self._place(str(row["bag"]))
            self._take(row)

    def _place(self, name: str) -> None:
        """Move a recording to its place."""
        place = self.path / name
        if place.exists() and not _same(self.unfinished / name, place):
            raise RecordingError.at(place, "exists already, and is not overwritten")
        if not place.exists():  # otherwise a call was killed before it wrote the row
            try:
                (self.unfinished / name).rename(place)
            except OSError as error:
                raise WriteError.of(place, error) from error

    def _take(self, row: Row) -> None:
        """Write the row of a trial."""
        self._append(row_text(self._columns, row))
        self._written[trial_name(row)] = row

    def _append(self, data: bytes) -> None:
        """Append a row to the table; half a row is taken back.

        Raises:
            WriteError: the disk refused.
        """
        whole = self._file.tell()
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            self._file.truncate(whole)
            raise WriteError.of(self.path / self.table, error) from error


def trial_name(row: Row) -> str:
    """Return the name of a row's trial, that of its recording."""
    if row["bag"] is not None:
        return str(row["bag"])
    return recording_name(str(row["scenario"]), int(row["trial"] or 0))


def _same(one: Path, other: Path) -> bool:
    """Return whether two recordings are equal, byte by byte."""
    files = sorted(path.name for path in one.iterdir())
    return (
        other.is_dir()
        and files == sorted(path.name for path in other.iterdir())
        and all(cmp(one / name, other / name, shallow=False) for name in files)
    )
