# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Named choices: one registry per kind, which user code can extend.

Example:
    FRICTION_LAWS.register(FrictionLaw("none", frictionless, "no friction at all"))
    predict(state, surface, robot, law="none")
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Protocol, TypeVar

from impact_robots.exceptions import ImpactError


class Named(Protocol):
    """Requirements of an entry."""

    @property
    def name(self) -> str:
        """Name by which it is chosen."""


Entry = TypeVar("Entry", bound=Named)


class NameTakenError(ImpactError):
    """The name of a new entry is already taken."""

    is_wrong_input = True


class Registry(Mapping[str, Entry]):
    """Entries by name, in the order in which they were registered."""

    def __init__(
        self, kind: str, unknown: Callable[[str, str, Iterable[str]], ImpactError]
    ) -> None:
        """Begin without entries.

        Args:
            kind: of the entries, for messages.
            unknown: creates the error of an unknown name from kind, name and choices.
        """
        self.kind = kind
        self._unknown = unknown
        self._entries: dict[str, Entry] = {}

    def register(self, entry: Entry) -> Entry:
        """Add an entry under its name, and return it.

        Raises:
            NameTakenError: the name is already taken.
        """
        if entry.name in self._entries:
            taken = ", ".join(self._entries)
            raise NameTakenError(f"{self.kind}: expected a name beside {taken}, got {entry.name!r}")
        self._entries[entry.name] = entry
        return entry

    def remove(self, name: str) -> None:
        """Remove an entry.

        Raises:
            ImpactError: unknown name, of the registry's own class.
        """
        del self._entries[self.named(name).name]

    def named(self, name: str) -> Entry:
        """Return the entry of a name.

        Raises:
            ImpactError: unknown name, of the registry's own class.
        """
        entry = self._entries.get(name)
        if entry is None:
            raise self._unknown(self.kind, name, self)
        return entry

    def __getitem__(self, name: str) -> Entry:
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def import_modules(package: str, path: Iterable[str], first: Iterable[str] = ()) -> None:
    """Import every module of a package, so that each can register its entries.

    Args:
        package: its ``__name__``.
        path: its ``__path__``.
        first: modules that come before the others, in this order; the others by their names.
    """
    for name in (*first, *(module.name for module in pkgutil.iter_modules(path))):
        import_module(f"{package}.{name}")
