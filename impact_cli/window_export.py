# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The formats of `export` that hold contact windows of recordings."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from impact_analysis.analyze.settings import AnalysisSettings
from impact_analysis.present.plain import json_text
from impact_bags.exceptions import RecordingError
from impact_bags.new_files import NewFiles
from impact_bags.windows.files import LIBRARIES
from impact_cli.options.number_options import numbers
from impact_cli.recorded_robot import recorded_robot
from impact_robots.exceptions import UsageError, WriteError

_OF_RECORDINGS = ("normal", "joint_prefix", "state_topic", "reference_topic", "wrench_topic")
_OF_MODELS = ("scenario", "flexible", "speed", "tool", "target", "q")
_CELL = (
    "of several arms or an object, each arm was exported by itself: analyze finds its impacts, not"
    " which arms hit together"
)


def add_window_options(add: Callable[..., Any]) -> None:
    """Add the options of recordings; ``add``: the parser's ``add_argument``."""
    of = "hdf5, parquet: "
    add(
        "--normal",
        type=numbers,
        metavar="X,Y,Z",
        help=f"{of}outward normal of the surface, base axes (default: as announced)",
    )
    add("--joint-prefix", metavar="P", help=f"{of}prefix of joint names, such as fr3_")
    add("--state-topic", metavar="TOPIC", help=f"{of}measured joint states in the bag")
    add("--reference-topic", metavar="TOPIC", help=f"{of}desired joint states in the bag")
    add("--wrench-topic", metavar="TOPIC", help=f"{of}forces in the bag (default: all)")


def check_window_options(arguments: argparse.Namespace) -> None:
    """Refuse options of the other formats.

    Raises:
        UsageError: names one, or no recording is given.
    """
    kind = arguments.format
    of_windows = kind in LIBRARIES
    for name in _OF_MODELS if of_windows else _OF_RECORDINGS:
        if getattr(arguments, name):
            formats = "mjcf or gazebo" if of_windows else " or ".join(LIBRARIES)
            raise UsageError(f"--{name.replace('_', '-')}: expected the format {formats}")
    if of_windows and not arguments.torque_loop:
        raise UsageError("--no-torque-loop: expected the format mjcf or gazebo")
    if of_windows and not arguments.bags:
        raise UsageError(f"export {kind}: expected a recording, or a folder of them")
    if arguments.bags and not of_windows:
        raise UsageError(f"export {kind}: expected no recording, got {arguments.bags[0]}")


def write_windows(arguments: argparse.Namespace) -> int:
    """Write the windows of all recordings, print what was written, and return the exit status.

    Raises:
        ImpactError: no recording has an impact, an option is wrong or the disk refuses.
    """
    from impact_analysis.analyze.export_windows import export_windows  # loads slowly

    given = {name: value for name in _OF_RECORDINGS if (value := getattr(arguments, name))}
    robot = recorded_robot(arguments.robot, arguments.bags[0])
    settings = AnalysisSettings(robot=robot, urdf=arguments.urdf or "", **given)
    name = settings.load_robot().name
    found: list[dict[str, Any]] = []
    for each in export_windows(arguments.format, arguments.bags, settings):
        if not each.error:
            write_files(arguments.out, each.files)
        notes = [f"{each.recording}: {_CELL}"] if each.is_of_cell else []
        found.append(
            {
                "recording": each.recording,
                "impacts": each.impacts,
                "windows": each.windows,
                "files": list(each.files),
                "error": each.error,
                "notes": notes,
            }
        )
    if all(each["error"] for each in found):
        raise RecordingError(found[0]["error"])
    document = {
        "format": arguments.format,
        "robot": name,
        "output_dir": str(arguments.out),
        "recordings": found,
    }
    print(json_text(document) if arguments.json else _as_text(document))
    return 0


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write all files or none.

    Raises:
        WriteError: a file cannot be written.
    """
    folders = {(folder / name).parent for name in files}
    try:
        for each in folders:
            each.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError.of(folder, error) from None
    with NewFiles() as new:
        for name, content in files.items():
            mode = "w" if isinstance(content, str) else "wb"
            new.open(folder / name, mode).write(content)


def _as_text(document: Mapping[str, Any]) -> str:
    """Return a line per recording, its files, and what is to be known of it."""
    lines = []
    for each in document["recordings"]:
        if each["error"]:
            lines.append(f"! {each['error']}")
            continue
        count = f"{each['impacts']} impacts in {each['windows']} windows"
        lines.append(f"{each['recording']}: {count}")
        lines += [f"  {Path(document['output_dir']) / name}" for name in each["files"]]
        lines += [f"! {note}" for note in each["notes"]]
    return "\n".join(lines)
