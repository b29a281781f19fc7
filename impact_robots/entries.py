# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The entries of a robot's YAML, checked for type and range; errors name file and key.

Nothing is converted: a string is never a number or a truth value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from reprlib import repr as shortened
from typing import Any

import numpy as np

from impact_robots.entry import Entry, unit_hint
from impact_robots.exceptions import RobotError

LARGEST = 1e12  # above any quantity of a robot in SI units; products of larger ones overflow
LONGEST = 3.0  # from a link's frame to a point on it [m]
ANY, ABOVE_0, AT_LEAST_0 = Entry(), Entry(above=0.0), Entry(low=0.0)
TURN = Entry(low=-2.0 * math.pi, high=2.0 * math.pi, unit="rad")


class Entries:
    """A mapping of a robot's YAML, or a section of it.

    Without a ``default`` an entry must be there. What is wrong is a RobotError, with file and key.
    """

    def __init__(
        self, path: Path, mapping: dict[str, Any], known: Sequence[str], section: str = ""
    ) -> None:
        """Take the mapping.

        Args:
            path: of the file, for errors.
            mapping: what the file holds.
            known: every allowed key.
            section: path within the file, such as ``tool.``.

        Raises:
            RobotError: an unknown key.
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
        value = self._read(key, f"entries {', '.join(known)}", lambda v: isinstance(v, dict))
        return Entries(self.path, value, known, f"{self._section}{key}.")

    def sections(self, key: str, known: Sequence[str]) -> list[tuple[str, Entries]]:
        """Return the mappings within a mapping by name, each with keys that are ``known``."""
        value = self._read(key, f"names, each with entries {', '.join(known)}", _are_named)
        return [
            (name, Entries(self.path, each, known, f"{self._section}{key}.{name}."))
            for name, each in value.items()
        ]

    def listed(self, key: str, known: Sequence[str]) -> list[Entries]:
        """Return the mappings of a list, each with keys that are ``known``."""
        kind = f"a list of entries {', '.join(known)}"
        value = self._read(key, kind, lambda v: _is_list_of(dict, v))
        return [
            Entries(self.path, each, known, f"{self._section}{key}[{i}].")
            for i, each in enumerate(value)
        ]

    def __contains__(self, key: str) -> bool:
        """Tell whether an entry exists."""
        return key in self._mapping

    def text(self, key: str, default: str | None = None, choices: Collection[str] = ()) -> str:
        """Return a text, one of ``choices`` if there are some."""
        allowed = Entry(choices=choices or None)
        return str(self._read(key, "a text", lambda v: isinstance(v, str), default, allowed))

    def texts(self, key: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """Return texts that are all different; without a ``default`` at least one."""
        few, some = (0, "") if default is not None else (1, ", at least one")

        def right(value: Any) -> bool:
            return _is_list_of(str, value) and few <= len(value) == len(set(value))

        return tuple(self._read(key, f"a list of texts, none twice{some}", right, default))

    def flag(self, key: str, default: bool | None = None) -> bool:
        """Return true or false."""
        return bool(self._read(key, "true or false", lambda v: isinstance(v, bool), default))

    def numbers_from(self, key: str, low: int, high: int) -> tuple[int, ...]:
        """Return whole numbers from ``low`` to ``high``, at least one, none twice."""

        def right(value: Any) -> bool:
            whole = isinstance(value, list) and all(type(each) is int for each in value)
            return (
                whole
                and 1 <= len(set(value)) == len(value)
                and set(value) <= {*range(low, high + 1)}
            )

        return tuple(self._read(key, f"numbers {low} to {high}, none twice", right))

    def number(self, key: str, default: float | None = None, allowed: Entry = AT_LEAST_0) -> float:
        """Return a finite number that is ``allowed``."""
        return float(self._read(key, "a finite number", is_number, default, allowed))

    def bounds(
        self,
        key: str,
        default: tuple[float, float] | None = None,
        allowed: Entry = AT_LEAST_0,
    ) -> tuple[float, float]:
        """Return a range, low <= high, of which both ends are ``allowed``; of one number (x, x)."""
        if key in self and is_number(self._mapping[key]):
            return (self.number(key, allowed=allowed),) * 2

        def right(value: Any) -> bool:
            two = isinstance(value, list | tuple) and len(value) == 2 and all(map(is_number, value))
            return two and value[0] <= value[1]

        low, high = self._read(key, "a number or [low, high], each", right, default, allowed)
        return float(low), float(high)

    def vector(
        self, key: str, size: int, default: np.ndarray | None = None, allowed: Entry = ANY
    ) -> np.ndarray:
        """Return ``size`` finite numbers, each of which is ``allowed``, shape (size,)."""

        def right(value: Any) -> bool:
            return isinstance(value, list) and len(value) == size and all(map(is_number, value))

        value = self._read(key, f"{size} finite numbers", right, default, allowed)
        return np.array(value, dtype=float)

    def place(self, key: str, default: np.ndarray | None = None) -> np.ndarray:
        """Return a point on a link in its frame [m], shape (3,), no farther than a link is long."""
        point = self.vector(key, 3, default)
        if (far := float(np.abs(point).max())) > LONGEST:
            hint = unit_hint(far, LONGEST, "m")
            expected = f"at most {LONGEST:g} m from the link's frame"
            raise RobotError(f"{self.where(key)}: expected {expected}, got {far:g} m{hint}")
        return point

    def value(self, key: str) -> Any:
        """Return an entry as it stands; it must be there."""
        if key not in self._mapping:
            raise RobotError(f"{self.path}: entry {self._section + key!r} is missing")
        return self._mapping[key]

    def _read(
        self,
        key: str,
        kind: str,
        right: Callable[[Any], bool],
        default: Any = None,
        allowed: Entry = ANY,
    ) -> Any:
        """Return an entry of a ``kind``, which ``right`` tells, in its range."""
        if default is not None and key not in self._mapping:
            return default
        value = self.value(key)
        if not right(value) or not allowed.allows(tuple(value) if type(value) is list else value):
            raise self.error(key, allowed.expected(kind), value, allowed.hint(value))
        return value

    def error(self, key: str, expected: str, got: object, hint: str = "") -> RobotError:
        """Return the error of an entry that is not what was expected."""
        return RobotError(f"{self.where(key)}: expected {expected}, got {shortened(got)}{hint}")

    def wrong(self, reason: str) -> RobotError:
        """Return the error of a mapping for a reason that names the key."""
        return RobotError(f"{self.path}: {self._section}{reason}")

    def where(self, key: str) -> str:
        """Return file and key."""
        return f"{self.path}: {self._section}{key}"


def is_number(value: object) -> bool:
    """Return whether a value of a YAML is a number of plausible size."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number and -LARGEST <= value <= LARGEST  # type: ignore[operator]


def _is_list_of(kind: type, value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, kind) for each in value)


def _are_named(value: object) -> bool:
    return (
        isinstance(value, dict)
        and _is_list_of(str, list(value))
        and _is_list_of(dict, list(value.values()))
    )
