# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Turns a mapping out of a YAML into a frozen record, by the types of the record's fields."""

from __future__ import annotations

import math
import types
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from impact_robots.entry import SCALARS, Entry, entries_of, unit_hint
from impact_robots.exceptions import TaskError
from impact_robots.validation import HEAVIEST

Record = TypeVar("Record")
MOST = {"m": 10.0, "m/s": 10.0, "rad": 2.0 * math.pi, "kg": HEAVIEST}  # in a cell, generously


def typed_entries(
    kind: type, entries: Mapping[str, Any], where: str, *, leave_out: str = "", **others: Any
) -> dict[str, Any]:
    """Return some of a record's entries, each of its field's type, lists turned into tuples.

    Args:
        kind: a dataclass.
        entries: by field name.
        where: they are from, for errors.
        leave_out: a field that is no entry.
        **others: types of entries that are no fields.

    Raises:
        TaskError: an entry is unknown or of another type; says which.
    """
    hints = _types_of(kind) | others
    hints.pop(leave_out, None)
    for name in entries:
        if name not in hints:
            choices = ", ".join(hints)
            raise TaskError(f"{where}: expected entries of {choices}, got {name!r}")
    allowed, free = entries_of(kind), Entry()
    return {
        name: _typed(entries[name], hints[name], allowed.get(name, free), f"{where}: {name}")
        for name in entries
    }


@cache
def _types_of(kind: type) -> dict[str, Any]:
    """Return the types of a dataclass's fields by name, to be looked at only."""
    return get_type_hints(kind)


def record_of(kind: type[Record], entries: Mapping[str, Any], where: str) -> Record:
    """Return a dataclass made of entries, lists turned into tuples.

    Args:
        kind: a dataclass.
        entries: by field name; all fields.
        where: they are from, for errors.

    Raises:
        TaskError: an entry is missing, unknown, or of another type; says which.
    """
    typed = typed_entries(kind, entries, where)
    missing = [field.name for field in fields(kind) if field.name not in typed]  # type: ignore[arg-type]
    if missing:
        raise TaskError(f"{where}: entries missing: {', '.join(missing)}")
    return kind(**typed)


def check_size(value: Any, where: str, unit: str = "m") -> None:
    """Refuse numbers that no cell has, in arrays of any shape [``unit``], and what is no number.

    Raises:
        TaskError: there is one; says if it looks like another unit.
    """
    if isinstance(value, str) or not np.isfinite(np.asarray(value, dtype=float)).all():
        raise TaskError(f"{where}: expected a number in {unit}, got {value!r}")
    far, most = float(np.max(np.abs(value), initial=0.0)), MOST[unit]
    if far > most:
        hint = unit_hint(far, most, unit)
        raise TaskError(f"{where}: expected at most {most:.3g} {unit}, got {far:g} {unit}{hint}")


def _typed(value: Any, hint: Any, allowed: Entry, where: str) -> Any:
    """Return a value as a type asks for.

    Raises:
        TaskError: it is of another type, or not allowed.
    """
    try:
        converted = _converted(value, hint)
    except (TypeError, ValueError, OverflowError):
        raise TaskError(f"{where}: {allowed.line(_words(hint), value)}") from None
    if converted is not None and not allowed.allows(converted):
        raise TaskError(f"{where}: {allowed.line(_words(hint), value)}")
    return converted


def _converted(value: Any, hint: Any) -> Any:
    """Return a value as a type asks for; raises TypeError, ValueError or OverflowError."""
    kind, parts = get_origin(hint), get_args(hint)
    if kind in (Union, types.UnionType):
        return None if value is None else _converted(value, parts[0])
    if hasattr(hint, "_fields"):
        return _named(value, hint)
    if kind is tuple:
        items = list(value) if isinstance(value, list | tuple) else _refuse()
        if len(parts) == 2 and parts[1] is Ellipsis:
            return tuple(_converted(item, parts[0]) for item in items)
        return tuple(_converted(item, part) for item, part in zip(items, parts, strict=True))
    if kind is dict:
        return dict(value) if isinstance(value, Mapping) else _refuse()
    if hint is float:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return float(value) if number and math.isfinite(value) else _refuse()
    return value if type(value) is hint else _refuse()


def _named(value: Any, hint: Any) -> Any:
    """Return a named tuple of entries; raises as :func:`_converted`."""
    if type(value) is hint:
        return value
    if not isinstance(value, Mapping) or not set(value) <= set(hint._fields):
        raise TypeError
    hints = get_type_hints(hint)
    return hint(**{name: _converted(each, hints[name]) for name, each in value.items()})


def _refuse() -> Any:
    raise TypeError


def _words(hint: Any) -> str:
    """Return what a type asks for, in words."""
    kind, parts = get_origin(hint), get_args(hint)
    if kind in (Union, types.UnionType):
        return _words(parts[0])
    if kind is tuple:
        if len(parts) == 2 and parts[1] is Ellipsis:
            return f"a list, each {_words(parts[0])}"
        return f"{len(parts)} times {_words(parts[0])}"
    if kind is dict:
        return "a mapping"
    if hasattr(hint, "_fields"):
        return f"entries of {', '.join(hint._fields)}, with numbers"
    return "a finite number" if hint is float else SCALARS.get(hint, hint.__name__)
