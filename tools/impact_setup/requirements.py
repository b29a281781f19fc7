# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The sections of ``requirements.txt``: which of them a ROS 2 and a command need."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from impact_setup.distribution import RosSource

ROS = "ros"  # a distribution has its own
BASE = ("", "library", "building", ROS)  # "": lines before the first section
FURTHER = ("franka", "tables", "tests", "benchmarks")
COMMANDS = {
    **dict.fromkeys(("test", "bench", "reproduce", "doc", "shell"), FURTHER),
    **dict.fromkeys(("hit", "fake-fr3"), ("franka",)),
}
# In the arguments of any command: an option or its value, or the suffix of a file.
WORDS = {
    **dict.fromkeys(("fr3", "--fci"), "franka"),
    **dict.fromkeys(("hdf5", "parquet", "--parquet"), "tables"),
    "--dask": "tests",
}
SUFFIXES = (".h5", ".parquet")  # of tables
TABLES = ("*.h5", "windows.parquet", "*/windows.parquet")  # in a folder
_SECTION = re.compile(r"# == (\w+)")
_EXTRAS = re.compile(r"\[.*?\]")


def sections(text: str) -> dict[str, list[str]]:
    """Return the lines of each section, without comments."""
    found: dict[str, list[str]] = {"": []}
    name = ""
    for line in text.splitlines():
        if begins := _SECTION.match(line):
            name = begins[1]
            found.setdefault(name, [])
        elif line and not line.startswith("#"):
            found[name].append(line)
    return found


def wanted(text: str, source: RosSource, further: Iterable[str] = ()) -> str:
    """Return what a ROS 2 needs, and some further sections."""
    names = [name for name in BASE if name != ROS or source.from_wheels]
    found = sections(text)
    return _lines(line for name in (*names, *further) for line in found.get(name, []))


def for_messages(text: str) -> str:
    """Return what the messages are built with: numpy, colcon and ROS 2."""
    found = sections(text)
    numpy = [line for line in found["library"] if line.startswith("numpy==")]
    return _lines([*numpy, *found["building"], f"# == {ROS}", *found[ROS]])


def constraints(text: str) -> str:
    """Return the versions of all sections, in the form that pip takes as constraints."""
    return _lines(_EXTRAS.sub("", line) for lines in sections(text).values() for line in lines)


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def needed_by(command: str, arguments: Sequence[str]) -> set[str]:
    """Return the further sections that a command needs."""
    found = set(COMMANDS.get(command, ()))
    words = {word for each in arguments for word in each.split("=", 1)}
    found |= {name for word, name in WORDS.items() if word in words}
    if any(word.endswith(SUFFIXES) or has_tables(Path(word)) for word in words):
        found.add("tables")
    return found


def has_tables(path: Path) -> bool:
    """Return whether a path is a folder with contact windows in it."""
    try:
        return any(next(path.glob(pattern), None) for pattern in TABLES)
    except (OSError, ValueError):  # not a path
        return False
