# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A folder of what a study has finished, one line each, so that one that was stopped goes on."""

from __future__ import annotations

import contextlib
import json
from inspect import signature
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Protocol, TypeVar

from impact_bags.folder_lock import locked
from impact_bags.new_files import write_file
from impact_robots.exceptions import UsageError, WriteError


class Keyed(Protocol):
    """A named tuple of numbers, texts and tuples of them, with a key."""

    @property
    def key(self) -> str:
        """A name that nothing else of the study has."""

    def _asdict(self) -> dict[str, Any]: ...


Done = TypeVar("Done", bound=Keyed)


class StudyFolder(Generic[Done]):
    """What one study has finished, by key, a context manager; all is on the disk as it is added."""

    def __init__(
        self, folder: Path, study: str, kind: type[Done], seed: int, *, resume: bool
    ) -> None:
        """Say where. Nothing is made yet.

        Args:
            folder: new or empty; to resume, one of a study.
            study: its name, which the file has, too.
            kind: of what is finished.
            seed: of the study.
            resume: go on with what the folder holds.

        Raises:
            UsageError: the folder is none of these, or of another seed or version.
        """
        self._path, self._seed, self._resume = folder / f"{study}.jsonl", seed, resume
        self._study, self._kind = study, kind
        self.trials: dict[str, Done] = {}
        self._check()

    @property
    def folder(self) -> Path:
        """Where it is."""
        return self._path.parent

    def _check(self) -> None:
        folder = self._path.parent
        if folder.exists() and not folder.is_dir():
            raise UsageError(f"--out: expected a folder, {folder} is a file")
        if self._resume and not self._path.is_file():
            raise UsageError(f"--resume: expected the folder of a study, got {folder}")
        if self._path.is_file() and not self._resume:
            raise UsageError(f"--out: {folder} holds a study: go on with --resume, or name another")
        if folder.is_dir() and any(folder.iterdir()) and not self._resume:
            raise UsageError(f"--out: expected a new or empty folder, got {folder}")
        if self._resume:
            self.trials = self._read()

    def _read(self) -> dict[str, Done]:
        """Return what is there; a last line that was cut off is left out."""
        lines = self._path.read_text(encoding="utf-8").splitlines()
        entries = [each for each in map(_entry, lines) if each is not None]
        seed = entries[0].get("seed") if entries else None
        if seed != self._seed:
            raise UsageError(f"--resume: {self._path}: expected seed {self._seed}, got {seed}")
        fields = set(signature(self._kind).parameters)
        if any(set(each) != fields for each in entries[1:]):
            raise UsageError(f"--resume: {self._path} is of another version: name a new --out")
        trials = [self._kind(**_restored(each)) for each in entries[1:]]
        return {trial.key: trial for trial in trials}

    def __enter__(self) -> StudyFolder[Done]:
        """Make the folder, keep others out of it, and write what is known.

        Raises:
            UsageError: the folder cannot be made, or is no longer as it was.
            AnalysisError: another process writes into it.
        """
        with contextlib.ExitStack() as stack:
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise UsageError(
                    f"--out: cannot make {self._path.parent}: {error.strerror}"
                ) from None
            stack.enter_context(locked(self._path.parent, "--out"))
            self._check()
            lines = [{"study": self._study, "seed": self._seed}]
            lines += [trial._asdict() for trial in self.trials.values()]
            write_file(self._path, "".join(json.dumps(line) + "\n" for line in lines))
            self._file = stack.enter_context(self._path.open("ab", buffering=0))
            self._exit = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let others in."""
        self._exit.close()

    def add(self, trial: Done) -> None:
        """Keep what is finished.

        Raises:
            WriteError: the disk refused.
        """
        try:
            self._file.write((json.dumps(trial._asdict()) + "\n").encode())
        except OSError as error:
            raise WriteError.of(self._path, error) from None
        self.trials[trial.key] = trial


def _entry(line: str) -> dict[str, Any] | None:
    """Return the mapping of a line, none if it is no whole one."""
    with contextlib.suppress(ValueError):
        entry = json.loads(line)
        return entry if isinstance(entry, dict) else None
    return None


def _restored(entry: dict[str, Any]) -> dict[str, Any]:
    """Return an entry with tuples where JSON has lists."""
    return {key: tuple(v) if isinstance(v, list) else v for key, v in entry.items()}
