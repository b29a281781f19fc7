# SPDX-License-Identifier: Apache-2.0
"""Which recordings a path stands for, and opening one by its kind."""

from __future__ import annotations

from pathlib import Path

from impact_analysis.bag_reader import SUFFIXES
from impact_analysis.bag_recording import BagRecording, TopicChoice
from impact_analysis.csv_recording import CsvRecording
from impact_analysis.exceptions import RecordingError
from impact_analysis.recording import Recording
from impact_robots import Robot

_METADATA = "metadata.yaml"


def recording_paths(path: Path) -> list[Path]:
    """Return the recordings that a path stands for; in a folder, those that are not hidden.

    Hidden are trials that `simulate --record` is still recording, or was when it was killed.

    Raises:
        RecordingError: there is no such file, or nothing that can be read in the folder.
    """
    if not path.exists():
        raise RecordingError.at(path, "no such file or folder")
    if path.is_file() or (path / _METADATA).is_file():
        return [path]
    bags = {found.parent for found in _seen(path, _METADATA)}
    singles = [
        found
        for suffix in SUFFIXES
        for found in _seen(path, f"*{suffix}")
        if found.parent not in bags
    ]
    if not bags and not singles:
        raise RecordingError.at(path, "expected bags in the folder (*.mcap, *.db3), found none")
    return sorted([*bags, *singles])


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
    if path.suffix.lower() == ".csv":
        return CsvRecording(path, robot.dof)
    if path.is_dir() or path.suffix.lower() in SUFFIXES:
        return BagRecording(path, robot, choice)
    raise RecordingError.at(path, "expected a .csv, .mcap or .db3 file or a folder of bags")
