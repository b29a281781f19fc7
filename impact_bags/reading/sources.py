# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Opens the files of a recording: by its index, or its intact parts without one."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Collection, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from rosbags.interfaces import Connection
from rosbags.rosbag2 import Reader
from rosbags.rosbag2.reader import DirectoryReader

from impact_bags.databases import DatabaseReader
from impact_bags.reading.mcap_salvage import McapSalvage
from impact_bags.reading.unpacking import TooLargeError, check_chunks, check_files

MCAP, DATABASE = ".mcap", ".db3"
SUFFIXES = (MCAP, DATABASE)  # of the files of a bag, in any case
JOURNALS = ("-wal", "-journal")  # beside a database whose writer was killed
LARGEST_METADATA = 8 * 2**20  # [bytes]
Message = tuple[Connection, int, bytes]  # topic, time [ns], content


def has_suffix(path: Path, *suffixes: str) -> bool:
    """Return whether the name of a path ends in one of these suffixes, in whatever case."""
    return path.suffix.lower() in suffixes


class _Folder(DirectoryReader):
    """Reads databases in folders of any name, too."""

    STORAGE_PLUGINS = MappingProxyType(
        {**DirectoryReader.STORAGE_PLUGINS, "sqlite3": DatabaseReader}
    )


_PLUGINS = {**Reader.STORAGE_PLUGINS, "dir": _Folder, DATABASE: DatabaseReader}


class _Reader(Reader):
    """Reads files whose suffix is in capitals, too."""

    STORAGE_PLUGINS = MappingProxyType(
        {spelled: _PLUGINS[suffix] for suffix in _PLUGINS for spelled in (suffix, suffix.upper())}
    )


class Source(Protocol):
    """One file, or one finished recording."""

    connections: list[Connection]
    start_time: int  # of the first message [ns]
    end_time: int  # after the last one [ns]

    def messages(
        self,
        connections: Collection[Connection],
        start: int | None = None,
        stop: int | None = None,
    ) -> Iterator[Message]:
        """Yield topic, time [ns] and content in the order of time."""

    def close(self) -> None:
        """Close the file."""


class Finished:
    """A recording that rosbags reads; messages compressed one by one stay compressed."""

    def __init__(self, path: Path) -> None:
        """Read the index; damaged files raise an exception."""
        if path.is_dir():
            if (path / "metadata.yaml").stat().st_size > LARGEST_METADATA:
                raise ValueError("metadata.yaml is too large")
            check_files(path)
        self._reader = _Reader(path)
        self._reader.open()
        try:
            self._check()
        except BaseException:
            self._reader.close()
            raise

    def _check(self) -> None:
        storage = self._reader.storage
        for each in getattr(storage, "storages", [storage]):
            check_chunks(getattr(each, "chunks", ()), each.path.stat().st_size)
        if storage.metadata.compression_mode == "message":  # rosbags has no limit
            storage.metadata = storage.metadata._replace(compression_mode=None)
        self.connections = list(self._reader.connections)
        self.start_time, self.end_time = self._reader.start_time, self._reader.end_time
        for number in (self.start_time, self.end_time, *(c.msgcount for c in self.connections)):
            if type(number) is not int:
                raise ValueError(f"expected a whole number, got {number!r}")
        for each in self.connections:
            if not (isinstance(each.topic, str) and isinstance(each.msgtype, str)):
                raise ValueError(f"expected the name of a topic and its type, got {each.topic!r}")

    def messages(
        self,
        connections: Collection[Connection],
        start: int | None = None,
        stop: int | None = None,
    ) -> Iterator[Message]:
        """Yield topic, time [ns] and content in the order of time."""
        for connection, time, data in self._reader.messages(connections, start, stop):
            if type(time) is not int or not isinstance(data, bytes):
                raise ValueError("expected a time and bytes of a message, got something else")
            yield connection, time, data

    def close(self) -> None:
        """Close the file."""
        self._reader.close()


def whole_parts(path: Path, stack: ExitStack) -> tuple[list[Source], list[str]]:
    """Open the readable parts of a recording that is damaged or was not finished.

    Args:
        path: folder or file.
        stack: closes and removes temporary files.

    Returns:
        the files with messages, in the order of their first ones, and the lost parts as text.

    Raises:
        TooLargeError: a part unpacks to more than the limit.
    """
    found: list[Source] = []
    lost: list[str] = []
    for file in storage_files(path):
        try:
            source = _part(file, stack, lost)
        except TooLargeError:
            raise
        except Exception as error:  # damaged files may raise any exception
            lost.append(f"{file.name} ({' '.join(str(error).split()) or type(error).__name__})")
            continue
        stack.callback(source.close)
        if any(each.msgcount for each in source.connections):
            found.append(source)
    return sorted(found, key=lambda source: source.start_time), lost


def storage_files(path: Path) -> list[Path]:
    """Return the files with a recording's messages."""
    if path.is_file():
        return [path]
    return sorted(file for file in path.iterdir() if has_suffix(file, *SUFFIXES))


def _part(file: Path, stack: ExitStack, lost: list[str]) -> Source:
    """Open one file."""
    if has_suffix(file, DATABASE):
        return Finished(_recovered(file, stack))
    salvage = McapSalvage(file)
    lost += salvage.lost
    return salvage


def left_open(path: Path) -> bool:
    """Return whether a recording has a database whose writer was killed: it has a journal."""
    return any(_journals(file) for file in storage_files(path) if has_suffix(file, DATABASE))


def _journals(file: Path) -> list[Path]:
    beside = [file.with_name(file.name + ending) for ending in JOURNALS]
    return [path for path in beside if path.is_file() and path.stat().st_size]


def _recovered(file: Path, stack: ExitStack) -> Path:
    """Return a database in its last completed state; a copy if it has a journal.

    The original is not changed.
    """
    journals = _journals(file)
    if not journals:
        return file
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="impact_")))
    for each in (file, *journals):
        shutil.copyfile(each, folder / each.name)
    with closing(sqlite3.connect(folder / file.name)) as database:
        database.execute("PRAGMA journal_mode = DELETE").fetchall()
        database.execute("SELECT count(*) FROM sqlite_master").fetchall()
    return folder / file.name
