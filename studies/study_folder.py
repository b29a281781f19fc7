# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A folder with the finished parts of a study, one line each, so that it can be resumed."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import NoneType, TracebackType
from typing import Any, Generic, Protocol, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from impact_bags.folder_lock import locked
from impact_bags.new_files import write_file
from impact_robots.exceptions import UsageError, WriteError
from impact_trials.processes import finished
from studies.origin import commit, origin


class Keyed(Protocol):
    """A named tuple of numbers, texts, arrays, tuples, lists and such named tuples, with a key."""

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
        """Set the path; nothing is written yet.

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
        self._commits: list[str] = []
        self._seconds = 0.0  # of earlier sessions and this one [s]
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
        """Return the stored lines, without an incomplete last one."""
        lines = self._path.read_text(encoding="utf-8").splitlines()
        entries = [each for each in map(_entry, lines) if each is not None]
        head, entries = (entries[0], entries[1:]) if entries else ({}, [])
        if head.get("seed") != self._seed:
            raise UsageError(
                f"--resume: {self._path}: expected seed {self._seed}, got {head.get('seed')}"
            )
        self._seconds = head.get("seconds", 0.0) + sum(each.pop("seconds", 0.0) for each in entries)
        made_at = [each.pop("commit", "") for each in entries]
        self._commits = list(dict.fromkeys(filter(None, [*head.get("commits", []), *made_at])))
        fields = set(get_type_hints(self._kind))
        if any(set(each) != fields for each in entries):
            raise UsageError(f"--resume: {self._path} is of another version: name a new --out")
        trials = [_restored(self._kind, each) for each in entries]
        return {trial.key: trial for trial in trials}

    def __enter__(self) -> StudyFolder[Done]:
        """Make the folder, lock it, and write what is known.

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
            head = {"study": self._study, "seed": self._seed}
            head |= {"commits": self._commits, "seconds": self._seconds}
            lines = [head, *(_plain(trial) for trial in self.trials.values())]
            write_file(self._path, "".join(json.dumps(line) + "\n" for line in lines))
            self._file = stack.enter_context(self._path.open("ab", buffering=0))
            self._last = time.monotonic()
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

    def completed(
        self,
        make: Callable[..., Done],
        work: Mapping[str, tuple[Any, ...]],
        jobs: int,
        progress: Callable[[float, str], None],
        unit: str,
    ) -> list[Done]:
        """Make what is missing, in parallel, and return all parts of some work, in its order.

        Args:
            make: one part from its arguments; of a module, for other processes.
            work: arguments by key.
            jobs: processes; with 1 it is this one.
            progress: called with the fraction done and a note.
            unit: plural of what is made, for the note.

        Raises:
            ImpactError: a part failed, a process died, or there is no such scheduler.
        """
        left = [arguments for key, arguments in work.items() if key not in self.trials]
        done, total = len(work) - len(left), len(work)
        for part in finished(make, left, jobs, f"reproduce {self._study}"):
            self.add(part)
            done += 1
            progress(done / total, f"{done} of {total} {unit}")
        return [self.trials[key] for key in work]

    def add(self, trial: Done) -> None:
        """Store a finished part.

        Raises:
            WriteError: the disk refused.
        """
        now = time.monotonic()
        seconds, self._last = now - self._last, now
        try:
            entry = _plain(trial) | {"seconds": seconds, "commit": commit()}
            self._file.write((json.dumps(entry) + "\n").encode())
        except OSError as error:
            raise WriteError.of(self._path, error) from None
        self._seconds += seconds
        if commit() not in self._commits:
            self._commits.append(commit())
        self.trials[trial.key] = trial

    def origin(self) -> dict[str, Any]:
        """Return commit, date and duration of all sessions, as a study's JSON document has them."""
        return origin(self._seconds, self._commits)


def _entry(line: str) -> dict[str, Any] | None:
    """Return the mapping of a line, none if it is no whole one."""
    with contextlib.suppress(ValueError):
        entry = json.loads(line)
        return entry if isinstance(entry, dict) else None
    return None


def _plain(value: Any) -> Any:
    """Return a value as JSON can hold it."""
    if hasattr(value, "_asdict"):
        return {key: _plain(item) for key, item in value._asdict().items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def _restored(kind: Any, value: Any) -> Any:
    """Return what :func:`_plain` was given, a value of this kind."""
    arguments = [each for each in get_args(kind) if each is not NoneType]
    if value is None:
        return None
    if hasattr(kind, "_fields"):
        kinds = get_type_hints(kind)
        return kind(**{key: _restored(kinds[key], item) for key, item in value.items()})
    if kind is np.ndarray:
        return np.array(value)
    if isinstance(value, list):
        restored = [_restored(arguments[0] if arguments else Any, item) for item in value]
        return restored if get_origin(kind) is list else tuple(restored)
    return _restored(arguments[0], value) if arguments else value
