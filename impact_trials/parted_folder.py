# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A folder of very many trials: rows in Parquet files, of which only the last are in memory."""

from __future__ import annotations

import io
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from impact_bags.exceptions import RecordingError
from impact_bags.new_files import write_file
from impact_robots.exceptions import UsageError
from impact_trials.trial import Value, recording_name
from impact_trials.trial_folder import TrialFolder
from impact_trials.truth.trial_rows import TEXTS, Row
from impact_trials.truth.trial_table import JOURNAL, PARTS, journal_rows, part_files

ROWS = 1000  # trials of a file
INTEGERS = ("trial", "seed", "contacts", "false_detections", "torque_error_false_detections")


class PartedFolder(TrialFolder):
    """A :class:`TrialFolder` whose rows are in ``trials/part_NNNNNN.parquet``, 1,000 a file.

    File k holds trials 1,000 k to 1,000 k + 999 of the campaign, in their order, and is written
    when all of them are finished; until then their rows are in a journal, one a line. A file
    appears whole or not at all, and what it holds is dropped from the journal only then; so a
    process that is killed at any instant loses at most the line that it was writing, and a campaign
    that is resumed has every trial once, with the same bytes as without the interruption. Memory
    does not grow with the number of trials.
    """

    table = JOURNAL

    def __init__(
        self,
        path: Path,
        columns: Sequence[str],
        campaign: str,
        scenarios: Sequence[str],
        count: int,
        keep_bags: int = 1,
    ) -> None:
        """Set the path; nothing is written yet.

        Args:
            path: new or empty, or of the same campaign.
            columns: of the table.
            campaign: settings of the campaign, a JSON document.
            scenarios: names, in the order of the trials.
            count: trials of each.
            keep_bags: one trial in so many is recorded.

        Raises:
            UsageError: the path is used otherwise, or pyarrow is missing.
        """
        try:
            import pyarrow as pa
        except ImportError:
            line = "--parquet: expected the package pyarrow: pip install pyarrow"
            raise UsageError(line) from None
        kinds = {name: pa.string() for name in TEXTS} | dict.fromkeys(INTEGERS, pa.int64())
        self._schema = pa.schema([(name, kinds.get(name, pa.float64())) for name in columns])
        self._scenarios, self._each, self._keep_bags = tuple(scenarios), count, keep_bags
        self._total = len(scenarios) * count
        self._parts: set[int] = set()
        self._open: defaultdict[int, dict[int, Row]] = defaultdict(dict)  # by file, by trial
        super().__init__(path, columns, campaign, ())

    @property
    def count(self) -> int:
        """Number of finished trials."""
        return sum(map(self._size, self._parts)) + sum(map(len, self._open.values()))

    def has(self, index: int) -> bool:
        """Return whether a trial, by its number from 0 in the order of all, is finished."""
        part = index // ROWS
        return part in self._parts or index in self._open.get(part, ())

    def rows(self) -> Iterator[Row]:
        """Yield the rows of all finished trials in the order of the trials, file by file."""
        for part in range(-(-self._total // ROWS)):
            if part in self._parts:
                yield from self._rows_of(part)
            else:
                yield from self._in_part(part)

    def _in_part(self, part: int) -> list[Row]:
        """Return the rows of a file that is not complete, in the order of the trials."""
        return [
            row for _, row in sorted(self._open.get(part, {}).items(), key=lambda each: each[0])
        ]

    def _read(self) -> None:
        """Find what is finished: files by their names, other rows in the journal."""
        folder = self.path / PARTS
        folder.mkdir(exist_ok=True)
        drafts = *folder.glob(".*.unfinished"), *self.path.glob(f".{JOURNAL}.*.unfinished")
        for left in drafts:  # of a process that was killed
            left.unlink()
        self._parts = set(part_files(self.path))
        rows = self._journal()
        again = sorted({index // ROWS for index in self._recorded() if not self._has_bag(index)})
        again = [part for part in again if part in self._parts]
        for part in again:
            rows += self._rows_of(part)
        self._parts -= set(again)
        for row in rows:
            index = self._index(row)
            if index // ROWS not in self._parts and self._is_there(row):
                self._open[index // ROWS][index] = row
        self._write_journal()
        for part in again:
            self._file_of(part).unlink()
        for part in [each for each in self._open if len(self._open[each]) == self._size(each)]:
            self._complete(part)

    def _journal(self) -> list[Row]:
        """Return the rows of the journal.

        Raises:
            RecordingError: it is damaged.
        """
        try:
            rows: list[Row] = [*journal_rows(self.path)]
            for row in rows:
                self._index(row)
        except (ValueError, KeyError, TypeError) as error:
            raise RecordingError.at(self.path / JOURNAL, f"damaged: {error}") from None
        return rows

    def _recorded(self) -> Iterator[int]:
        """Yield the numbers of the trials that have a recording once they are finished."""
        for first in range(0, self._total, self._each):
            yield from range(first, first + self._each, self._keep_bags)

    def _has_bag(self, index: int) -> bool:
        scenario, number = divmod(index, self._each)
        return (self.path / recording_name(self._scenarios[scenario], number)).is_dir()

    def _index(self, row: Row) -> int:
        """Return the number of a row's trial in the order of all."""
        return self._scenarios.index(str(row["scenario"])) * self._each + int(row["trial"] or 0)

    def _size(self, part: int) -> int:
        """Return how many trials a file holds."""
        return min(ROWS, self._total - part * ROWS)

    def _take(self, row: Row) -> None:
        """Write the row of a trial to the journal, and the file that it completes."""
        index = self._index(row)
        self._append(json.dumps(row).encode() + b"\n")
        part = index // ROWS
        self._open[part][index] = row
        if len(self._open[part]) == self._size(part):
            self._complete(part)
            self._write_journal()
            self._file.close()
            self._file = (self.path / JOURNAL).open("ab", buffering=0)

    def _complete(self, part: int) -> None:
        """Write a file."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        rows, data = self._in_part(part), io.BytesIO()
        columns: dict[str, list[Value]] = {
            name: [row.get(name) for row in rows] for name in self._schema.names
        }
        pq.write_table(pa.Table.from_pydict(columns, self._schema), data, compression="zstd")
        write_file(self._file_of(part), data.getvalue())
        self._parts.add(part)
        del self._open[part]

    def _write_journal(self) -> None:
        """Write the rows that are in no file, sorted."""
        rows = [row for part in sorted(self._open) for row in self._in_part(part)]
        write_file(self.path / JOURNAL, "".join(json.dumps(row) + "\n" for row in rows))

    def _rows_of(self, part: int) -> list[Row]:
        """Return the rows of a file.

        Raises:
            RecordingError: it is damaged.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        path = self._file_of(part)
        try:
            rows: list[Row] = pq.read_table(io.BytesIO(path.read_bytes())).to_pylist()
        except (OSError, pa.ArrowException) as error:
            raise RecordingError.at(path, f"damaged: {error}") from None
        return rows

    def _file_of(self, part: int) -> Path:
        return self.path / PARTS / f"part_{part:06d}.parquet"

    def _finish(self) -> None:
        """Sort the journal, or remove it when all is in files."""
        if self._open:
            self._write_journal()
        else:
            (self.path / JOURNAL).unlink(missing_ok=True)
