# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Named choices: one place that knows them all, and into which a user's own are put too.

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
    """What can be registered."""

    @property
    def name(self) -> str:
        """By which it is chosen."""


Entry = TypeVar("Entry", bound=Named)


class NameTakenError(ImpactError):
    """Something is to be registered by a name that something else has."""

    is_wrong_input = True


class Registry(Mapping[str, Entry]):
    """Entries by name, in the order in which they were registered."""

    def __init__(
        self, kind: str, unknown: Callable[[str, str, Iterable[str]], ImpactError]
    ) -> None:
        """Begin without entries.

        Args:
            kind: what the entries are, for messages.
            unknown: makes the error of a name that nobody has, of kind, name and choices.
        """
        self.kind = kind
        self._unknown = unknown
        self._entries: dict[str, Entry] = {}

    def register(self, entry: Entry) -> Entry:
        """Add an entry under its name, and return it.

        Raises:
            NameTakenError: there is one of that name already.
        """
        if entry.name in self._entries:
            taken = ", ".join(self._entries)
            raise NameTakenError(f"{self.kind}: expected a name beside {taken}, got {entry.name!r}")
        self._entries[entry.name] = entry
        return entry

    def remove(self, name: str) -> None:
        """Forget an entry.

        Raises:
            ImpactError: there is none of that name, of the registry's own class.
        """
        del self._entries[self.named(name).name]

    def named(self, name: str) -> Entry:
        """Return the entry of a name.

        Raises:
            ImpactError: there is none of that name, of the registry's own class.
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
    """Import every module of a package, so that each can register what it holds.

    Args:
        package: its ``__name__``.
        path: its ``__path__``.
        first: modules that come before the others, in this order; the others by their names.
    """
    for name in (*first, *(module.name for module in pkgutil.iter_modules(path))):
        import_module(f"{package}.{name}")
