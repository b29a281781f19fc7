# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Allowed values of a record's field: the same for YAML files, node parameters and options.

Example:
    @dataclass(frozen=True)
    class Push:
        mass: Annotated[float, entry("Of the box", unit="kg", above=0.0)]
        detector: Annotated[str, entry("Whose detections count", choices=("fused", "momentum"))]
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, get_type_hints

SCALARS: dict[type, str] = {
    bool: "true or false",
    int: "an integer",
    float: "a number",
    str: "a text",
}
_OTHER_UNITS = {  # that are written by mistake, and how many of them the unit has
    "m": ("millimetres", 1000.0),
    "m/s": ("millimetres per second", 1000.0),
    "s": ("milliseconds", 1000.0),
    "rad": ("degrees", 180.0 / math.pi),
}


@dataclass(frozen=True, kw_only=True)
class Entry:
    """Allowed values.

    Attributes:
        description: What it does, one sentence.
        unit: Unit of the value, empty if it has none.
        low: Smallest value allowed, None for no limit.
        high: Largest value allowed, None for no limit.
        above: Every allowed value is larger, None for no limit.
        choices: Values allowed, None for all.
    """

    description: str = ""
    unit: str = ""
    low: float | None = None
    high: float | None = None
    above: float | None = None
    choices: Collection[Any] | None = None

    def allows(self, value: Any) -> bool:
        """Tell whether a value, or each element of a tuple, is in range or one of the choices."""
        if isinstance(value, tuple):
            return all(map(self.allows, value))
        if self.choices is not None:
            return value in self.choices
        low_ok = self.low is None or value >= self.low
        above_ok = self.above is None or value > self.above
        return low_ok and above_ok and (self.high is None or value <= self.high)

    def expected(self, kind: str) -> str:
        """Return a description of the allowed values.

        Args:
            kind: of the value, such as "a number".
        """
        if self.choices is not None:
            return f"one of {', '.join(str(choice) for choice in self.choices)}"
        unit = f" [{self.unit}]" if self.unit else ""
        if self.low is not None and self.high is not None:
            return f"{kind} from {self.low:g} to {self.high:g}{unit}"
        if self.low is not None:
            return f"{kind} of at least {self.low:g}{unit}"
        above = "" if self.above is None else f" above {self.above:g}"
        return f"{kind}{above}" + ("" if self.high is None else f" of at most {self.high:g}") + unit

    def line(self, kind: str, got: Any) -> str:
        """Return what was expected and got, and if that looks like another unit."""
        return f"expected {self.expected(kind)}, got {got!r}{self.hint(got)}"

    def hint(self, got: Any) -> str:
        """Return what ends an error if a value would be allowed in another unit."""
        if self.high is None or not isinstance(got, int | float):
            return ""
        return unit_hint(got, self.high, self.unit)


def unit_hint(value: float, most: float, unit: str) -> str:
    """Return what ends an error if a number above ``most`` would be allowed in another unit."""
    name, ratio = _OTHER_UNITS.get(unit, ("", 1.0))
    return f", which looks like {name}" if most < value <= ratio * most else ""


def entry(description: str, **options: Any) -> Entry:
    """Return the allowed values of a field; options are the other attributes of :class:`Entry`."""
    return Entry(description=description, **options)


@cache
def entries_of(record: type) -> Mapping[str, Entry]:
    """Return the allowed values of the annotated fields of a record, by name."""
    hints = get_type_hints(record, include_extras=True)
    allowed = {
        name: each
        for name, hint in hints.items()
        for each in getattr(hint, "__metadata__", ())
        if isinstance(each, Entry)
    }
    return MappingProxyType(allowed)
