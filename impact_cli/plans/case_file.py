# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Cases from a JSON file: computed again, and printed with their answers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from impact_robots.exceptions import UsageError
from impact_robots.validation import positive
from impact_robots.yaml_file import read_text

Case = dict[str, Any]


class Cases(NamedTuple):
    """Cases of a file."""

    entries: list[Case]
    single: bool  # the file is one case, no list

    def printed(self, answers: Sequence[Mapping[str, Any]]) -> Case | list[Case]:
        """Return the cases with answers, in the form of the file."""
        cases = [{**case, **answer} for case, answer in zip(self.entries, answers, strict=True)]
        return cases[0] if self.single else cases


def read_cases(path: Path, name: str) -> Cases:
    """Return the cases of a file: a case, a list of them, or lists of several kinds by name.

    Args:
        path: of the JSON.
        name: of the list that is wanted of several.

    Raises:
        RobotError: there is no such file.
        UsageError: it is no such JSON.
    """
    try:
        read = json.loads(read_text(path, "file"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--case: {path}: expected JSON: {error}") from None
    listed = read[name] if isinstance(read, dict) and isinstance(read.get(name), list) else read
    entries = listed if isinstance(listed, list) else [listed]
    if not entries or not all(isinstance(each, dict) for each in entries):
        raise UsageError(f"--case: {path}: expected an entry, a list of entries, or a list {name}")
    return Cases(entries, listed is not entries)


def kind_of(path: Path, kinds: Mapping[str, str]) -> str:
    """Return the kind of a file's cases.

    Args:
        path: of the JSON.
        kinds: an entry that cases of the kind alone have, by the kind.

    Raises:
        RobotError: there is no such file.
        UsageError: it is no such JSON, or of no kind.
    """
    first = read_cases(path, "").entries[0]
    for kind, entry in kinds.items():
        if entry in first:
            return kind
    choices = ", ".join(f"{entry} ({kind})" for kind, entry in kinds.items())
    raise UsageError(f"--case: {path}: expected cases with one of the entries {choices}")


def section(case: Case, key: str, where: str) -> Case:
    """Return a mapping within a case.

    Raises:
        UsageError: it is missing, or none.
    """
    value = case.get(key)
    if not isinstance(value, dict):
        got = repr(value) if key in case else f"no {key!r}"
        raise UsageError(f"--case: {where}: {key}: expected a mapping of entries, got {got}")
    return value


def figures(case: Case, *keys: str) -> list[float]:
    """Return numbers above 0 of a case.

    Raises:
        UsageError: one is missing; says which.
        OutOfRangeError: one is no number above 0.
    """
    values = zip(needed(case, *keys), keys, strict=True)
    return [positive(value, key) for value, key in values]


def vector(case: Case, key: str, size: int | None = None, where: str = "") -> np.ndarray:
    """Return finite numbers of a case, shape (size,); without a size at least one.

    Args:
        case: which has them.
        key: of the list.
        size: how many there must be.
        where: in the file, for the error.

    Raises:
        UsageError: they are missing, or no such numbers.
    """
    values, named = case.get(key), f"{where}: {key}" if where else key
    if not isinstance(values, list | tuple) or len(values) != (size or max(1, len(values))):
        count = "numbers" if size is None else f"{size} numbers"
        got = repr(values) if key in case else f"no {key!r}"
        raise UsageError(f"--case: {named}: expected {count}, got {got}")
    return np.array([finite(each, named) for each in values])


def finite(value: object, named: str) -> float:
    """Return a finite number.

    Raises:
        UsageError: it is none.
    """
    try:
        number = float(value)  # type: ignore[arg-type]  # anything may stand in a file
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    if not np.isfinite(number):
        raise UsageError(f"--case: {named}: expected a finite number, got {value!r}")
    return number


def needed(case: Case, *keys: str) -> list[Any]:
    """Return entries of a case.

    Raises:
        UsageError: one is missing; says which.
    """
    for key in keys:
        if key not in case:
            raise UsageError(f"--case: expected entries {', '.join(keys)}, got no {key!r}")
    return [case[key] for key in keys]
