# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`--case FILE`: cases with known answers, to be computed again."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from impact_robots.exceptions import UsageError
from impact_robots.yaml_file import read_text

Entry = dict[str, Any]


class Cases(NamedTuple):
    """The cases of a file, and the form that they have there."""

    entries: list[Entry]
    document: Any  # the file's
    name: str  # of their list in a file with several

    @property
    def are_listed(self) -> bool:
        """Whether the file has several lists, by name."""
        return isinstance(self.document, dict) and self.name in self.document

    def like(self, answers: Sequence[Entry]) -> Any:
        """Return answers in the form of the file: an entry, a list, or the list by its name."""
        if self.are_listed:
            return {self.name: list(answers)}
        return list(answers) if isinstance(self.document, list) else answers[0]


def add_case_option(parser: argparse.ArgumentParser) -> None:
    """Add `--case`."""
    parser.add_argument("--case", type=Path, metavar="FILE", help=argparse.SUPPRESS)


def read_cases(path: Path, name: str) -> Cases:
    """Return the cases of a JSON file: one entry, a list of them, or lists by name.

    Args:
        path: of the file.
        name: of the list to take from a file with several.

    Raises:
        UsageError: no JSON, or no entries in it.
        RobotError: no such file.
    """
    try:
        document = json.loads(read_text(path, "file"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--case: {path}: expected JSON: {error}") from None
    entries = document.get(name, [document]) if isinstance(document, dict) else document
    if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
        raise UsageError(f"--case: {path}: expected an entry, a list of entries, or a list {name}")
    return Cases(entries, document, name)
