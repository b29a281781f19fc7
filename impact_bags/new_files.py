# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Atomic writing of files: written under a temporary name, then renamed."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple

from impact_robots.exceptions import WriteError


class _Draft(NamedTuple):
    """A file being written."""

    beside: Path
    target: Path  # symbolic links followed
    file: IO[Any]


class NewFiles:
    """Some files that belong together, a context manager.

    No file has its final name before all are complete and on the disk. After an exception (a full
    disk, Ctrl-C) existing files are unchanged. A target that is no regular file, such as a pipe or
    a device, is written directly.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._drafts: list[_Draft] = []
        self._direct: list[tuple[Path, IO[Any]]] = []

    def open(self, path: Path, mode: str = "w", **options: Any) -> IO[Any]:
        """Open a file for writing; text is UTF-8 unless ``options`` of ``open`` say otherwise.

        Raises:
            WriteError: it cannot be made.
        """
        if "b" not in mode:
            options.setdefault("encoding", "utf-8")
        with _naming(path):
            if path.exists() and not path.is_file():  # /dev/stdout of a pipe has no real path
                self._direct.append((path, path.open(mode, **options)))
                return self._direct[-1][1]
            target = Path(os.path.realpath(path))
            beside = target.with_name(f".{target.name}.{os.getpid()}.unfinished")
            self._drafts.append(_Draft(beside, target, beside.open(mode, **options)))
        return self._drafts[-1].file

    def __enter__(self) -> NewFiles:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Rename all files to their final names, or remove them.

        Raises:
            WriteError: the disk refused.
        """
        try:
            if kind is None:
                self._finish()
            elif isinstance(error, OSError):
                raise WriteError.of(self._name(), error) from None
        finally:
            self._remove()

    def _finish(self) -> None:
        for path, file in self._direct:
            with _naming(path):
                file.close()
        for _, path, file in self._drafts:
            with _naming(path):
                file.flush()
                os.fsync(file.fileno())
                file.close()
        for beside, path, _ in self._drafts:
            with _naming(path):
                _keep_mode(path, beside)
                beside.replace(path)

    def _name(self) -> Path:
        """Return the file that was opened last, where writing failed."""
        names = [path for path, _ in self._direct] + [draft.target for draft in self._drafts]
        return names[-1] if names else Path()

    def _remove(self) -> None:
        """Remove files that were not renamed."""
        for file in [file for _, file in self._direct] + [draft.file for draft in self._drafts]:
            with contextlib.suppress(OSError):  # of the flush, which the disk refused before
                file.close()
        for draft in self._drafts:
            with contextlib.suppress(OSError):
                draft.beside.unlink(missing_ok=True)


def write_file(path: Path, content: str | bytes) -> None:
    """Write one file, all or nothing.

    Raises:
        WriteError: the disk refused; an existing file is unchanged.
    """
    with NewFiles() as new:
        new.open(path, "wb").write(content.encode() if isinstance(content, str) else content)


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Turn errors of the system into one line about a file."""
    try:
        yield
    except OSError as error:
        raise WriteError.of(path, error) from None


def _keep_mode(path: Path, beside: Path) -> None:
    """Give the new file the access rights of the one that it replaces."""
    with contextlib.suppress(OSError):
        beside.chmod(path.stat().st_mode & 0o777)
