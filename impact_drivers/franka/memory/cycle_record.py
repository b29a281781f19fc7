# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The fixed layout of a cycle in shared memory: written by the loop, read by the node.

It is derived from the annotations of :class:`LoopCycle` and of the records in it.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import lru_cache
from types import UnionType
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np

from impact_detector.signals.sample import DetectionStatus
from impact_drivers.franka.arm.arm_state import DOF
from impact_drivers.franka.loop.loop_cycle import LoopCycle
from impact_drivers.franka.memory.checked_record import CHECKSUM

LINE, NAMES = 400, 240  # longest texts [bytes]; what is longer is cut
SEPARATOR = b"\n"  # between names
LEFT_OUT = {(DetectionStatus, "detection"), (DetectionStatus, "suppressed")}  # read as None


class _Codec(NamedTuple):
    """The way of one value to shared memory and back."""

    entries: list[tuple[Any, ...]]  # of the layout
    write: Callable[[Any, Any], None]  # takes the value and the fields
    read: Callable[[Any], Any]  # takes the fields
    as_it_is: str = ""  # field that takes the value without a change; empty: none


def _number(name: str, *form: Any, back: Callable[[Any], Any]) -> _Codec:
    def write(value: Any, fields: Any) -> None:
        fields[name] = value

    return _Codec([(name, *form)], write, lambda fields: back(fields[name]), name)


def _text(name: str, form: str, to: Callable[[Any], Any], back: Callable[[Any], Any]) -> _Codec:
    def write(value: Any, fields: Any) -> None:
        fields[name] = to(value)

    return _Codec([(name, form)], write, lambda fields: back(fields[name]))


def _optional(name: str, hint: Any) -> _Codec:
    inner, known = _codec(name, hint), f"{name}?"

    def write(value: Any, fields: Any) -> None:
        fields[known] = value is not None
        if value is not None:
            inner.write(value, fields)

    entries = [(known, "u1"), *inner.entries]
    return _Codec(entries, write, lambda fields: inner.read(fields) if fields[known] else None)


def _record(kind: Any, prefix: str = "") -> _Codec:
    hints = get_type_hints(kind).items()
    parts = {name: _codec(prefix + name, hint) for name, hint in hints if _is_sent(kind, name)}

    easy = [(name, part.as_it_is) for name, part in parts.items() if part.as_it_is]
    rest = [(name, part.write) for name, part in parts.items() if not part.as_it_is]

    def write(value: Any, fields: Any) -> None:  # in each cycle of the loop: as few calls as can be
        for name, field in easy:
            fields[field] = getattr(value, name)
        for name, part in rest:
            part(getattr(value, name), fields)

    def read(fields: Any) -> Any:
        return kind(**{name: part.read(fields) for name, part in parts.items()})

    return _Codec([entry for part in parts.values() for entry in part.entries], write, read)


def _is_sent(kind: Any, name: str) -> bool:
    return (kind, name) not in LEFT_OUT


def _codec(name: str, hint: Any) -> _Codec:
    """Return the codec of a value of a type; names of fields in a record have its own before."""
    if isinstance(hint, UnionType):
        return _optional(name, get_args(hint)[0])
    if hint is np.ndarray:
        return _number(name, "<f8", DOF, back=np.ndarray.copy)
    if get_origin(hint) is tuple:
        return _text(name, f"S{NAMES}", _joined, _split)
    if hint is str:
        return _text(name, f"S{LINE}", _encoded, _decoded)
    if hint in (int, float, bool):
        form = {int: "<i8", float: "<f8", bool: "u1"}[hint]
        return _number(name, form, back=hint)
    if issubclass(hint, Enum):
        members = tuple(hint)
        numbers = {member: number for number, member in enumerate(members)}
        return _text(name, "u1", numbers.__getitem__, lambda value: members[value])
    return _record(hint, f"{name}.")


@lru_cache(maxsize=256)  # the same few lines, a thousand times a second
def _encoded(text: str) -> bytes:
    return text.encode()[:LINE]


@lru_cache(maxsize=256)
def _joined(names: tuple[str, ...]) -> bytes:
    text = SEPARATOR.join(name.encode() for name in names)
    return text if len(text) <= NAMES else text[:NAMES].rpartition(SEPARATOR)[0]


def _decoded(text: bytes) -> str:
    return text.decode(errors="replace")


@lru_cache(maxsize=256)
def _split(text: bytes) -> tuple[str, ...]:
    return tuple(_decoded(text).split("\n")) if text else ()


_CYCLE = _record(LoopCycle)
CYCLE = np.dtype([CHECKSUM, ("number", "<u8"), *_CYCLE.entries])


def pack(cycle: LoopCycle, fields: Any) -> None:
    """Write a cycle to a record of layout ``CYCLE``."""
    _CYCLE.write(cycle, fields)


def unpack(fields: Any) -> LoopCycle:
    """Return the cycle of a record of layout ``CYCLE``; its arrays are copies."""
    cycle: LoopCycle = _CYCLE.read(fields)
    return cycle
