# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""From recordings to an analysis: read and detect on all cores, then explain the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from impact_analysis.analyze.analysis import analyze_impacts
from impact_analysis.analyze.comparing.carried import counting_with, payload_of
from impact_analysis.analyze.reading.collected import Collected, basis_of, joined, load, save
from impact_analysis.analyze.reading.collection import MOST_TRACES, collect
from impact_analysis.analyze.reading.recordings import (
    Part,
    arms_of,
    check_normals,
    named_recordings,
    pieces,
    touches_of,
)
from impact_analysis.analyze.result import Analysis
from impact_analysis.analyze.settings import AnalysisSettings
from impact_analysis.spreading.episodes import find_episodes
from impact_bags.folder_lock import made_and_locked
from impact_bags.new_files import write_file
from impact_robots.exceptions import WriteError
from impact_trials.processes import cluster_address, finished

PARTS = "parts"  # folder of what is known of each recording
MARK = ".impact_analyze"  # file that says whose folder it is: only these are written to again
Progress = Callable[[float, str], None]


def analyze(
    path: str | Path,
    *,
    out: str | Path | None = None,
    jobs: int = 1,
    resume: bool = False,
    seed: int = 0,
    progress: Progress = lambda *_: None,
    **settings: Any,
) -> Analysis:
    """Return what a recording, or a folder of them, tells about impacts.

    Args:
        path: bag (MCAP, sqlite3), CSV, or folder of these.
        out: folder for what is known of each recording, so that it can be resumed.
        jobs: processes; within :func:`~impact_trials.processes.on_cluster` a cluster works instead.
        resume: leave out recordings that ``out`` has results of: of the same files, robot and
            settings, and without an error.
        seed: of all resampling.
        progress: hears the share done and a note.
        **settings: of :class:`AnalysisSettings`.

    Raises:
        RecordingError: there is nothing to read.
        UsageError: a setting is none, a normal is of no recording, or ``out`` cannot be made.
        RobotError: there is no such robot.
        WriteError: the disk refused.
        AnalysisError: another process is writing into ``out``.
    """
    work = partial(analyze_into, path, jobs=jobs, resume=resume, seed=seed)
    if out is None:
        return work(progress=progress, **settings)
    with made_and_locked(Path(out), "out"):
        return work(out=out, progress=progress, **settings)


def analyze_into(
    path: str | Path,
    *,
    out: str | Path | None = None,
    jobs: int = 1,
    resume: bool = False,
    seed: int = 0,
    progress: Progress = lambda *_: None,
    **settings: Any,
) -> Analysis:
    """Do what :func:`analyze` does, in a folder that the caller has locked."""
    wanted = AnalysisSettings(**settings)
    robot = wanted.load_robot()
    read = [arms_of(*each, wanted) for each in named_recordings(Path(path))]
    arms = [arm for several, _ in read for arm in several]
    names = [arm.name for arm in arms]
    check_normals(wanted, names)
    folder = None if out is None else _made(Path(out) / PARTS)
    basis = {arm.name: basis_of(arm.path, wanted.as_json(), robot) for arm in arms if folder}
    done: dict[str, Collected] = {}
    if resume and folder is not None:
        known = {name: load(folder, name, basis[name]) for name in names}
        done = {name: each for name, each in known.items() if each is not None}
    left = [arm for arm in arms if arm.name not in done]
    for found in _collected(left, wanted, jobs):
        done[found.recording] = found
        if folder is not None:
            save(folder, found, basis[found.recording])
        progress(0.9 * len(done) / len(names), f"{len(done)} of {len(names)} recordings")
        if len(done) % MOST_TRACES == 0:
            _thin(done, names)
    _thin(done, names)
    payload = None if any(cell for _, cell in read) else payload_of(wanted, done.values())
    if payload is not None and payload.is_another:
        wanted = counting_with(payload, wanted)
        done = {each.recording: each for each in _collected(arms, wanted, jobs)}
        _thin(done, names)
    cells = [cell for _, cell in read if cell is not None]
    tasks = [(cell, touches_of(cell, done), robot) for cell in cells]
    findings = {each.recording: each for each in finished(find_episodes, tasks, jobs, "analyze")}
    return analyze_impacts(
        [done[name] for name in names],
        wanted,
        seed=seed,
        progress=lambda share, note: progress(0.9 + 0.1 * share, note),
        cells=[findings[cell.name] for cell in cells],
        payload=payload,
    )


def _made(folder: Path) -> Path:
    """Make the folder of what is known, and mark the one around it as ours.

    Raises:
        WriteError: the disk refused.
    """
    write_file(folder.with_name(MARK), "Made by impact analyze, which writes here again.\n")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise WriteError.of(folder, error) from None
    return folder


def _collected(arms: Sequence[Part], settings: AnalysisSettings, jobs: int) -> Iterator[Collected]:
    """Yield what each recording holds, as all of its pieces are finished.

    With fewer recordings than processes of this machine long ones are cut.
    """
    count = 1 if cluster_address() or not arms else jobs // len(arms)
    parts = [part for arm in arms for part in pieces(arm, settings, count)]
    work = finished(_collect, [(part, settings) for part in parts], jobs, "analyze")
    wanted = Counter(part.name for part in parts)
    found: dict[str, dict[int, Collected]] = {}
    for number, piece in work:
        own = found.setdefault(piece.recording, {})
        own[number] = piece
        if len(own) == wanted[piece.recording]:
            del found[piece.recording]
            yield joined([own[k] for k in sorted(own)])


def _collect(part: Part, settings: AnalysisSettings) -> tuple[int, Collected]:
    return part.number, collect(part.path, settings, part)


def _thin(done: dict[str, Collected], names: Sequence[str]) -> None:
    """Keep the samples of the first impacts only, as they take most memory."""
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
