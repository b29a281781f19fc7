# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The recordings of a path, and opening one by its kind."""

from __future__ import annotations

import os
from pathlib import Path

from impact_bags.bag_recording import BagRecording, TopicChoice
from impact_bags.exceptions import RecordingError
from impact_bags.reading.csv_recording import CsvRecording
from impact_bags.reading.csv_rows import csv_rows, other_separator
from impact_bags.reading.recording import Recording
from impact_bags.reading.sources import SUFFIXES, has_suffix
from impact_bags.windows.files import HDF5_SUFFIX, MARK, is_window_file
from impact_bags.windows.recording import WindowRecording
from impact_robots import Robot

CSV = ".csv"
RECORDINGS = (*SUFFIXES, CSV, HDF5_SUFFIX)  # suffixes of recordings that are one file, in any case
_METADATA = "metadata.yaml"


def recording_paths(path: Path) -> list[Path]:
    """Return the recordings of a path; in a folder, those that are not hidden.

    Hidden are trials that `simulate --record` is still recording, or was when it was killed.

    Raises:
        RecordingError: there is no such file, or nothing that can be read in the folder, such as
            a bag, or a CSV with a column ``time_s`` (other CSVs are tables about recordings).
    """
    if not path.exists():
        raise RecordingError.at(path, "no such file or folder")
    if path.is_file() or (path / _METADATA).is_file() or is_window_file(path):
        return [path]
    bags = {found.parent for mark in (_METADATA, MARK) for found in _seen(path, mark)}
    singles = [
        found
        for found in _seen(path, "*.*")
        if has_suffix(found, *RECORDINGS)
        and found.is_file()
        and (_is_recording(found) if has_suffix(found, CSV) else found.parent not in bags)
    ]
    if not bags and not singles:
        raise RecordingError.at(
            path,
            "expected bags (*.mcap, *.db3), CSVs (column time_s) or contact windows (*.h5,"
            f" {MARK}) in the folder, found none",
        )
    return sorted([*bags, *singles])


def recording_name(path: Path) -> str:
    """Return the name of a recording's file or folder, also if the path is ``.`` or ends in it."""
    return os.path.basename(os.path.abspath(path))  # noqa: PTH100, PTH119 - links keep their names


def _is_recording(path: Path) -> bool:
    """Return whether a CSV holds measurements over time, and not a table about recordings."""
    try:
        header = [name.strip() for name in next(csv_rows(path), (0, []))[1]]
    except RecordingError:
        return True  # opening it raises the error
    if separator := other_separator(header):  # likewise
        header = header[0].split(separator)
    return "time_s" in header and "recording" not in header


def _seen(folder: Path, pattern: str) -> list[Path]:
    """Return the files in a folder, at any depth, of which no part of the path is hidden."""
    found = folder.rglob(pattern)
    return [
        each
        for each in found
        if not any(part.startswith(".") for part in each.relative_to(folder).parts)
    ]


def open_recording(path: Path, robot: Robot, choice: TopicChoice) -> Recording:
    """Open one recording by its kind; ``choice`` names topics of a bag.

    Raises:
        RecordingError: not a recording, damaged, or without a topic that is needed.
    """
    if has_suffix(path, CSV):
        return CsvRecording(path, robot.dof)
    if is_window_file(path):
        return WindowRecording(path, robot)
    if path.is_dir() or has_suffix(path, *SUFFIXES):
        return BagRecording(path, robot, choice)
    raise RecordingError.at(path, "expected a .csv, .mcap, .db3 or .h5 file or a folder of bags")
