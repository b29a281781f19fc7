# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Makes odd messages from good ones: extreme values of its type in any field."""

from __future__ import annotations

from array import array
from copy import deepcopy
from typing import Any

import numpy as np

FLOATS = (
    *(float("nan"), float("inf"), float("-inf"), 1e308, -1e308, 1e300, 1e200, -1e12, 1e7),
    *(5e-324, 1e-300, 1e-9, -0.0, 0.0, 1.0, -1.0, 2.0**63),
)
STRINGS = (
    *("", " ", "nobody", "panda_joint1", "panda_link7", "\u202e\u0000\U0001f916", "a\nb\r\n\tc"),
    *("%s {0} {x} %(y)s", "../../etc", "nan", "ß" * 3000, "coulomb", "impulse", "M"),
)
BITS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}
GIANT = 1_000_000  # length of an array that is far too long
GIANTS = 0.002  # fraction of arrays that become giant
EVERYTHING = 0.05  # fraction of messages of which every field becomes odd


def odd(message: Any, random: np.random.Generator) -> Any:
    """Return a copy of a good message in which one to four fields, or all, are odd."""
    made = deepcopy(message)
    places = list(_places(made))
    count = len(places) if random.random() < EVERYTHING else int(random.integers(1, 5))
    for index in random.permutation(len(places))[:count]:
        owner, field, kind = places[index]
        setattr(owner, field, _odd_value(kind, getattr(owner, field), random))
    return made


def garbled(data: bytes, random: np.random.Generator) -> bytes:
    """Return serialized bytes of which some are lost or changed."""
    kept = bytearray(data[: int(random.integers(len(data) + 1))])
    for place in random.integers(len(kept), size=4) if kept else ():
        kept[place] = int(random.integers(256))
    return bytes(kept)


def _places(message: Any) -> Any:
    """Yield owner, field and type of everything in a message that is no message itself."""
    for field, kind in message.get_fields_and_field_types().items():
        value = getattr(message, field)
        if hasattr(value, "get_fields_and_field_types"):
            yield from _places(value)
            continue
        if kind.startswith("sequence<") and "/" in kind:
            for item in value:
                yield from _places(item)
        yield message, field, kind


def _odd_value(kind: str, value: Any, random: np.random.Generator) -> Any:
    """Return an odd value of a type such as "double", "sequence<string>" or "double[3]"."""
    if kind.startswith("sequence<"):
        return _odd_sequence(kind[len("sequence<") : -1], list(value), random)
    if kind.endswith("]"):
        return np.array([_odd_scalar("double", v, random) for v in value])
    return _odd_scalar(kind, value, random)


def _odd_scalar(kind: str, value: Any, random: np.random.Generator) -> Any:
    if kind in ("double", "float"):
        if random.random() < 0.3:
            return float(random.standard_normal() * 10.0 ** random.integers(-12, 13))
        return float(random.choice(FLOATS))
    if kind == "boolean":
        return bool(random.integers(2))
    if kind == "string":
        return str(random.choice(STRINGS)) if random.random() < 0.9 else value + "x"
    return _odd_integer(kind, random)


def _odd_integer(kind: str, random: np.random.Generator) -> int:
    unsigned = kind.startswith("u") or kind in ("octet", "byte")
    bits = BITS.get(kind.removeprefix("u"), 8)
    low, high = (0, 2**bits - 1) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    near = [low, high, low + 1, high - 1, 0, 1, 2, 77, 1_000_000_000, 2_147_390_000]
    choices = [value for value in near if low <= value <= high]
    return int(choices[int(random.integers(len(choices)))])


def _odd_sequence(kind: str, values: list[Any], random: np.random.Generator) -> Any:
    """Return a sequence of another length or order, or with odd values."""
    number = kind in ("double", "float")
    if random.random() < GIANTS and (number or kind == "string"):
        return array("d", bytes(8 * GIANT)) if number else ["x"] * GIANT
    way = int(random.integers(6))
    if way == 0:
        values = []
    elif way == 1:
        values = values[:-1]
    elif way == 2:
        values = values * int(random.choice([2, 3, 40]))
    elif way == 3:
        values = [values[i] for i in random.permutation(len(values))]
    elif way == 4 and values and not hasattr(values[0], "SLOT_TYPES"):
        place = int(random.integers(len(values)))
        values[place] = _odd_scalar(kind, values[place], random)
    elif "/" not in kind:
        values = [_odd_scalar(kind, "" if kind == "string" else 0, random) for _ in values or "x"]
    return array("d", values) if number else values
