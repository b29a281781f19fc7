# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A recording of which only the windows around its contacts are left."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from impact_bags.exceptions import RecordingError
from impact_bags.reading.recording import Item, RecordedReference
from impact_bags.windows.files import decoded
from impact_bags.windows.tables import items_of
from impact_robots import Robot

FORMAT, VERSION = "impact_control contact windows", 1


class Window(NamedTuple):
    """One window; the impacts detected from ``first`` to ``last`` are its own."""

    number: int
    first: int  # detection of its first impact [ns]
    last: int  # of its last one [ns]


class WindowRecording:
    """Contact windows in HDF5 or Parquet, as `impact export` writes them."""

    def __init__(self, path: Path, robot: Robot) -> None:
        """Read the tables.

        Raises:
            RecordingError: damaged, not made by the suite, or of another robot.
            UsageError: the library of the format is missing.
        """
        self.name, self.lost = str(path), list[str]()
        self._tables, attributes = decoded(path)
        self._robot, self._path = robot, path
        self._check(attributes)
        try:
            self.state_topic = str(attributes["state_topic"])
            self.has_reference = bool(attributes["has_reference"])
            self.pairing_rule = str(attributes["pairing_rule"])
            self.whole: dict[str, Any] = dict(attributes["whole"])  # of the whole recording
            rows = [self._tables["windows"][key].tolist() for key in _COLUMNS]
        except (KeyError, TypeError, ValueError) as error:
            raise RecordingError.at(path, f"lacks what impact export writes: {error}") from None
        self.windows = [Window(*row) for row in zip(*rows, strict=True)]
        self.only: int | None = None  # window that ``items`` reads; None: all

    def _check(self, attributes: dict[str, Any]) -> None:
        """Refuse other formats, versions and robots.

        Raises:
            RecordingError: says what was expected.
        """
        got = attributes.get("format"), attributes.get("version")
        if got != (FORMAT, VERSION):
            raise RecordingError.at(
                self._path, f"expected the format {FORMAT!r}, version {VERSION}, got {got}"
            )
        joints = attributes.get("joint_names")
        if joints != list(self._robot.joint_names):
            raise RecordingError.at(
                self._path,
                f"expected joints {', '.join(self._robot.joint_names)} of robot"
                f" {self._robot.name!r}, got {joints} of {attributes.get('robot')!r}; choose with"
                " --robot or --joint-prefix",
            )

    def items(self, *, references: bool = True) -> Iterator[Item]:
        """Yield the recorded items of the windows, as they were recorded.

        Raises:
            RecordingError: a table is damaged.
        """
        for window in self.windows:
            if self.only in (None, window.number):
                yield from self._of_window(window.number, references)

    def _of_window(self, number: int, references: bool) -> Iterator[Item]:
        try:
            for item in items_of(self._tables, self._robot.dof, number):
                if references or not isinstance(item, RecordedReference):
                    yield item
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise RecordingError.at(self._path, f"a table is damaged: {error}") from None


_COLUMNS = ("window", "first_ns", "last_ns")
