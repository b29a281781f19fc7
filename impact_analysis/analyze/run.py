# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Goes through recordings on all cores, keeps what is finished, and analyses the whole."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from impact_analysis.analyze.analysis import analyze_impacts
from impact_analysis.analyze.reading.collected import Collected, joined
from impact_analysis.analyze.reading.collection import MOST_TRACES, collect
from impact_analysis.analyze.reading.measured import impact_from_json
from impact_analysis.analyze.reading.missed import Missed
from impact_analysis.analyze.reading.pieces import Piece, pieces
from impact_analysis.analyze.reading.subjects import Subject, arms_of, touches_of
from impact_analysis.analyze.result import Analysis
from impact_analysis.analyze.settings import AnalysisSettings
from impact_analysis.present.plain import plain
from impact_analysis.spreading.episodes import CellFindings, RecordedCell, find_episodes
from impact_bags.folder_lock import locked
from impact_bags.new_files import write_file
from impact_bags.open_recording import recording_paths
from impact_detector.signals.sample import Suppressed
from impact_robots.exceptions import WriteError
from impact_trials.dask_cluster import on_dask
from impact_trials.processes import Workers, result_of

PARTS = "parts"  # folder of what is known of each recording
MARK = ".impact_analyze"  # file that says whose folder it is: only these are written to again
Progress = Callable[[float, str], None]


class PieceOfWork(NamedTuple):
    """One arm of a recording, or a piece of it."""

    path: Path
    name: str
    arm: str  # its namespace; empty: it is the only one
    number: int  # of the piece
    piece: Piece


def analyze(
    path: str | Path,
    *,
    out: str | Path | None = None,
    jobs: int = 1,
    dask: str = "",
    resume: bool = False,
    seed: int = 0,
    progress: Progress = lambda *_: None,
    **settings: Any,
) -> Analysis:
    """Return what a recording, or a folder of them, tells about impacts.

    Args:
        path: bag (MCAP, sqlite3), CSV, or folder of these.
        out: folder for what is known of each recording, so that it can be resumed.
        jobs: processes.
        dask: address of a Dask scheduler that works instead of them.
        resume: leave out recordings that ``out`` knows under the same settings.
        seed: of all resampling.
        progress: hears the share done and a note.
        **settings: of :class:`AnalysisSettings`.

    Raises:
        RecordingError: there is nothing to read.
        UsageError: a setting is none, or a normal is of no recording.
        RobotError: there is no such robot.
        WriteError: the disk refused.
        AnalysisError: another process is writing into ``out``.
    """
    work = partial(analyze_into, path, jobs=jobs, dask=dask, resume=resume, seed=seed)
    if out is None:
        return work(progress=progress, **settings)
    Path(out).mkdir(parents=True, exist_ok=True)
    with locked(Path(out), "out"):
        return work(out=out, progress=progress, **settings)


def analyze_into(
    path: str | Path,
    *,
    out: str | Path | None = None,
    jobs: int = 1,
    dask: str = "",
    resume: bool = False,
    seed: int = 0,
    progress: Progress = lambda *_: None,
    **settings: Any,
) -> Analysis:
    """Do what :func:`analyze` does, in a folder that the caller has locked."""
    wanted = AnalysisSettings(**settings)
    wanted.load_robot()
    read = [arms_of(*each, wanted) for each in named_recordings(Path(path))]
    subjects = [subject for each in read for subject in each.subjects]
    names = [subject.name for subject in subjects]
    wanted.check_normals(names)
    folder = None if out is None else Path(out) / PARTS
    if folder is not None:
        _make(folder)
    done: dict[str, Collected] = {}
    if resume and folder is not None:
        done = {name: part for name in names if (part := _load(folder, name, wanted)) is not None}
    left = [subject for subject in subjects if subject.name not in done]
    tasks = _tasks(left, wanted, jobs if not dask else 1)
    work = _on_dask(tasks, wanted, dask) if dask else _on_cores(tasks, wanted, jobs)
    for found in _whole(work, tasks):
        done[found.recording] = found
        if folder is not None:
            _save(folder, found, wanted)
        progress(0.9 * len(done) / len(names), f"{len(done)} of {len(names)} recordings")
        if len(done) % MOST_TRACES == 0:
            _thin(done, names)
    _thin(done, names)
    cells = [each.cell for each in read if each.cell is not None]
    return analyze_impacts(
        [done[name] for name in names],
        wanted,
        seed=seed,
        progress=lambda share, note: progress(0.9 + 0.1 * share, note),
        cells=_cells(cells, done, wanted, jobs),
    )


def _cells(
    cells: Sequence[RecordedCell],
    done: Mapping[str, Collected],
    settings: AnalysisSettings,
    jobs: int,
) -> list[CellFindings]:
    """Return what recordings of several arms, or of an object, hold, in their order."""
    work = [(cell, touches_of(cell, done), settings.load_robot) for cell in cells]
    if min(jobs, len(work)) < 2:
        return [find_episodes(*each) for each in work]
    with Workers(min(jobs, len(work))) as workers:
        return [result_of(future, "analyze") for future in workers.submit(find_episodes, work)]


def _make(folder: Path) -> None:
    """Make the folder of what is known, and mark the one around it as ours.

    Raises:
        WriteError: the disk refused.
    """
    write_file(folder.with_name(MARK), "Made by impact analyze, which writes here again.\n")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise WriteError.of(folder, error) from None


def named_recordings(root: Path) -> list[tuple[Path, str]]:
    """Return the recordings in ``root`` with the names that an analysis gives them.

    Raises:
        RecordingError: there is nothing to read.
    """
    paths = sorted(recording_paths(root), key=_natural)
    return list(zip(paths, _names(paths, root), strict=True))


def _names(paths: Sequence[Path], root: Path) -> list[str]:
    """Return short names that tell the recordings in ``root`` apart."""
    names = [path.name for path in paths]
    clear = len(set(names)) == len(names)
    return names if clear else [str(path.relative_to(root)) for path in paths]


def _natural(path: Path) -> list[tuple[int, str]]:
    """Return a key that sorts type2 before type10."""
    parts = re.split(r"(\d+)", str(path))
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


def _thin(done: dict[str, Collected], names: Sequence[str]) -> None:
    """Keep the traces of the first impacts only, as they take most memory."""
    count = 0
    for name in names:
        found = done.get(name)
        if found is None:
            continue
        impacts = found.impacts
        count += len(impacts)
        if count > MOST_TRACES and any(item.trace is not None for item in impacts):
            first = max(0, len(impacts) - (count - MOST_TRACES))
            late = [replace(item, trace=None) for item in impacts[first:]]
            done[name] = replace(found, impacts=impacts[:first] + late)


def _tasks(left: Sequence[Subject], settings: AnalysisSettings, jobs: int) -> list[PieceOfWork]:
    """Return what there is to do; with fewer recordings than processes long ones are cut."""
    count = jobs // len(left) if left else 1
    return [
        PieceOfWork(*subject, number, piece)
        for subject in left
        for number, piece in enumerate(
            pieces(subject.path, settings, count, subject.arm) if count > 1 else [Piece()]
        )
    ]


def _whole(
    work: Iterator[tuple[PieceOfWork, Collected]], tasks: Sequence[PieceOfWork]
) -> Iterator[Collected]:
    """Yield recordings as all of their pieces are finished."""
    found: dict[str, dict[int, Collected]] = {}
    wanted = Counter(task.name for task in tasks)
    for task, part in work:
        parts = found.setdefault(task.name, {})
        parts[task.number] = part
        if len(parts) == wanted[task.name]:
            del found[task.name]
            yield joined([parts[k] for k in sorted(parts)])


def _run(task: PieceOfWork, settings: AnalysisSettings) -> tuple[PieceOfWork, Collected]:
    return task, collect(task.path, settings, task.name, task.piece, task.arm)


def _on_cores(
    tasks: Sequence[PieceOfWork], settings: AnalysisSettings, jobs: int
) -> Iterator[tuple[PieceOfWork, Collected]]:
    """Yield what is finished, on processes of this machine."""
    jobs = min(jobs, len(tasks))
    if jobs < 2:
        for task in tasks:
            yield _run(task, settings)
        return
    with Workers(jobs) as workers:
        futures = workers.submit(_run, [(task, settings) for task in tasks])
        for future in as_completed(futures):
            yield result_of(future, "analyze")


def _on_dask(
    tasks: Sequence[PieceOfWork], settings: AnalysisSettings, address: str
) -> Iterator[tuple[PieceOfWork, Collected]]:
    """Yield what is finished, on a cluster that sees the same files."""
    resolved = [task._replace(path=task.path.resolve()) for task in tasks]
    yield from on_dask(_run, [(task, settings) for task in resolved], address)


def _part(folder: Path, name: str) -> Path:
    return folder / (name.strip("/").replace("/", "__") + ".json")


def _save(folder: Path, found: Collected, settings: AnalysisSettings) -> None:
    """Write what is known of a recording, all or nothing."""
    text = json.dumps({"settings": plain(settings.as_json()), "collected": plain(found)})
    write_file(_part(folder, found.recording), text)


def _load(folder: Path, name: str, settings: AnalysisSettings) -> Collected | None:
    """Return what was known of a recording, none if nothing, or under other settings."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        saved = json.loads(_part(folder, name).read_text(encoding="utf-8"))
        if saved["settings"] != plain(settings.as_json()):
            return None
        values = saved["collected"]
        values["impacts"] = [impact_from_json(item) for item in values["impacts"]]
        values["suppressed"] = [Suppressed(**item) for item in values["suppressed"]]
        values["missed"] = [Missed(**_numbers(item)) for item in values["missed"]]
        for key in ("period", "largest_statistic", "threshold"):
            values[key] = float("nan") if values[key] is None else values[key]
        return Collected(**values)
    return None


def _numbers(values: dict[str, Any]) -> dict[str, Any]:
    """Return values with null as NaN."""
    return {key: float("nan") if value is None else value for key, value in values.items()}
