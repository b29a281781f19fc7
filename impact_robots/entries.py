# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The entries of a robot's YAML: each of its type and in its range, or one line with file and key.

Nothing is converted: a text is no number and no truth value, whatever it says.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from reprlib import repr as shortened
from typing import Any

import numpy as np

from impact_robots.entry import unit_hint
from impact_robots.exceptions import RobotError

LARGEST = 1e12  # above any quantity of a robot in SI units; products of larger ones overflow
LONGEST = 3.0  # from a link's frame to a point on it [m]


class Entries:
    """A mapping of a robot's YAML, or a section of it."""

    def __init__(
        self, path: Path, mapping: dict[str, Any], known: Sequence[str], section: str = ""
    ) -> None:
        """Take the mapping.

        Args:
            path: of the file, for errors.
            mapping: what the file holds.
            known: every key that may be in it.
            section: where in the file it is, such as ``tool.``.

        Raises:
            RobotError: there is another key.
        """
        self.path, self._mapping, self._section = path, mapping, section
        for key in mapping:
            if key not in known:
                choices = ", ".join(known)
                raise RobotError(
                    f"{path}: {section}{shortened(key)}: expected one of {choices} as entry"
                )

    def section(self, key: str, known: Sequence[str]) -> Entries:
        """Return a mapping within the mapping, whose keys are ``known``."""
        value = self._need(key)
        if not isinstance(value, dict):
            raise self.error(key, f"entries {', '.join(known)}", value)
        return Entries(self.path, value, known, f"{self._section}{key}.")

    def sections(self, key: str, known: Sequence[str]) -> list[tuple[str, Entries]]:
        """Return the mappings within a mapping by name, each with keys that are ``known``."""
        value = self._need(key)
        named = isinstance(value, dict) and all(isinstance(name, str) for name in value)
        if not named or not all(isinstance(each, dict) for each in value.values()):
            raise self.error(key, f"names, each with entries {', '.join(known)}", value)
        return [
            (name, Entries(self.path, each, known, f"{self._section}{key}.{name}."))
            for name, each in value.items()
        ]

    def listed(self, key: str, known: Sequence[str]) -> list[Entries]:
        """Return the mappings of a list, each with keys that are ``known``."""
        value = self._need(key)
        if not _is_list_of(value, dict):
            raise self.error(key, f"a list of entries {', '.join(known)}", value)
        return [
            Entries(self.path, each, known, f"{self._section}{key}[{i}].")
            for i, each in enumerate(value)
        ]

    def __contains__(self, key: str) -> bool:
        """Tell whether there is an entry."""
        return key in self._mapping

    def text(self, key: str, default: str | None = None) -> str:
        """Return a text; without a ``default`` it must be there."""
        if default is not None and key not in self._mapping:
            return default
        value = self._need(key)
        if not isinstance(value, str):
            raise self.error(key, "a text", value)
        return value

    def texts(self, key: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """Return texts that are all different; without a ``default`` there must be some."""
        if default is not None and key not in self._mapping:
            return default
        value = self._need(key)
        if not _is_list_of(value, str) or len(set(value)) != len(value):
            raise self.error(key, "a list of texts, none twice", value)
        if default is None and not value:
            raise self.error(key, "at least one text", value)
        return tuple(value)

    def flag(self, key: str, default: bool | None = None) -> bool:
        """Return true or false; without a ``default`` it must be there."""
        if default is not None and key not in self._mapping:
            return default
        value = self._need(key)
        if not isinstance(value, bool):
            raise self.error(key, "true or false", value)
        return value

    def numbers_from(self, key: str, low: int, high: int) -> tuple[int, ...]:
        """Return whole numbers from ``low`` to ``high``, at least one, none twice."""
        value = self._need(key)
        whole = _is_list_of(value, int) and not any(isinstance(each, bool) for each in value)
        if not (whole and value and low <= min(value) and max(value) <= high):
            raise self.error(key, f"numbers {low} to {high}", value)
        if len(set(value)) != len(value):
            raise self.error(key, "every number once", value)
        return tuple(value)

    def number(self, key: str) -> float:
        """Return a finite number, at least 0."""
        value = self._need(key)
        if not is_number(value) or value < 0:
            raise self.error(key, "a finite number, at least 0", value)
        return float(value)

    def scale(self, key: str, default: float) -> float:
        """Return a finite number above 0, ``default`` without an entry."""
        if key not in self._mapping:
            return default
        if not (value := self.number(key)) > 0.0:
            raise self.error(key, "a number above 0", value)
        return value

    def vector(self, key: str, size: int, default: np.ndarray | None = None) -> np.ndarray:
        """Return ``size`` finite numbers; without a ``default`` they must be there."""
        if default is not None and key not in self._mapping:
            return default
        value = self._need(key)
        if not (isinstance(value, list) and len(value) == size and all(map(is_number, value))):
            raise self.error(key, f"{size} finite numbers", value)
        return np.array(value, dtype=float)

    def place(self, key: str, default: np.ndarray | None = None) -> np.ndarray:
        """Return a point on a link [m], shape (3,), no farther from its frame than a link is long.

        Raises:
            RobotError: not three numbers, or farther away.
        """
        point = self.vector(key, 3, default)
        if (far := float(np.abs(point).max())) > LONGEST:
            hint = unit_hint(far, LONGEST, "m")
            expected = f"at most {LONGEST:g} m from the link's frame"
            raise RobotError(f"{self.where(key)}: expected {expected}, got {far:g} m{hint}")
        return point

    def positive(self, key: str, size: int, default: np.ndarray | None = None) -> np.ndarray:
        """Return ``size`` finite numbers above 0; without a ``default`` they must be there."""
        if default is not None and key not in self._mapping:
            return default
        values = self.vector(key, size)
        if np.any(values <= 0.0):
            raise self.error(key, "positive numbers", values.tolist())
        return values

    def not_negative(self, key: str, size: int, default: np.ndarray | None = None) -> np.ndarray:
        """Return ``size`` finite numbers of 0 or more; without a ``default`` they must be there."""
        values = self.vector(key, size, default)
        if np.any(values < 0.0):
            raise self.error(key, "numbers of at least 0", values.tolist())
        return values

    def value(self, key: str) -> Any:
        """Return an entry as it stands; it must be there."""
        return self._need(key)

    def _need(self, key: str) -> Any:
        if key not in self._mapping:
            raise RobotError(f"{self.path}: entry {self._section + key!r} is missing")
        return self._mapping[key]

    def error(self, key: str, expected: str, got: object) -> RobotError:
        """Return the error of an entry that is not what was expected."""
        return RobotError(f"{self.where(key)}: expected {expected}, got {shortened(got)}")

    def where(self, key: str) -> str:
        """Return file and key."""
        return f"{self.path}: {self._section}{key}"


def is_number(value: object) -> bool:
    """Return whether a value of a YAML is a number of a size that a robot's can have."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number and -LARGEST <= value <= LARGEST  # type: ignore[operator]


def _is_list_of(value: object, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(each, kind) for each in value)
