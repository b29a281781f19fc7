# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Numbers as text."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import Any


def number(
    value: Any, form: str = "", factor: float = 1.0, *, unit: str = "", unknown: str = "-"
) -> str:
    """Return a value as text, ``unknown`` for one that is None or not finite.

    Args:
        value: a number, a text or None.
        form: as of ``format``, such as ".3f".
        factor: converts to the unit that is printed.
        unit: appended to the number.
        unknown: for None, NaN and infinity.
    """
    if value is None or (isinstance(value, float) and not isfinite(value)):
        return unknown
    text = format(value if factor == 1.0 else value * factor, form)
    return f"{text} {unit}" if unit else text


def numbers(values: Iterable[float], form: str = ".3f") -> str:
    """Return several numbers as text."""
    return ", ".join(number(each, form) for each in values)


def span(low: float, high: float, form: str = "g") -> str:
    """Return a range as text, one number where both ends are equal."""
    return format(low, form) if low == high else f"{low:{form}} to {high:{form}}"
