# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Numbers of the command line: parsed and range-checked, or a usage error.

The range of each option is checked where it is used; here only numbers that are not finite, or too
large for any option, are refused.
"""

from __future__ import annotations

import math
from argparse import ArgumentTypeError

LARGEST = 1e9  # in SI units; as a time it still fits 64-bit nanoseconds
LARGEST_SEED = 2**63 - 1  # the largest integer of a ROS parameter
LARGEST_COUNT = 1_000_000  # trials, processes


def number(text: str) -> float:
    """Return a number."""
    try:
        return _sane(float(text), text)
    except ValueError:
        raise ArgumentTypeError(f"expected a number, got {text!r}") from None


def positive(text: str) -> float:
    """Return a number above 0."""
    if not (value := number(text)) > 0.0:
        raise ArgumentTypeError(f"expected a number above 0, got {text!r}")
    return value


def numbers(text: str) -> tuple[float, ...]:
    """Return comma-separated numbers."""
    try:
        return tuple(_sane(float(part), text) for part in text.split(","))
    except ValueError:
        message = f"expected numbers separated by commas, got {text!r}"
        raise ArgumentTypeError(message) from None


def not_negative(text: str) -> tuple[float, ...]:
    """Return comma-separated numbers, at least 0."""
    values = numbers(text)
    if min(values) < 0.0:
        raise ArgumentTypeError(f"expected numbers of at least 0, got {text!r}")
    return values


def bounds(text: str) -> tuple[float, float]:
    """Return the range of ``low,high``, or of one number."""
    values = numbers(text)
    if len(values) > 2:
        raise ArgumentTypeError(f"expected a number or low,high, got {text!r}")
    return values[0], values[-1]


def open_bounds(text: str) -> tuple[float, float]:
    """Return the range of ``low,high``, or of one number; high may be ``inf``."""
    low, comma, high = text.partition(",")
    if comma and high.strip() == "inf":
        return number(low), math.inf
    return bounds(text)


def whole(text: str) -> int:
    """Return an integer."""
    try:
        value = int(text)
    except ValueError:
        raise ArgumentTypeError(f"expected a whole number, got {text!r}") from None
    _sane(value, text)
    return value


def count(text: str) -> int:
    """Return a count, at least 1."""
    value = float(text) if text.isdecimal() else 0.0
    if value < 1:
        raise ArgumentTypeError(f"expected a whole number, at least 1, got {text!r}")
    if value > LARGEST_COUNT:
        raise ArgumentTypeError(f"expected a whole number, at most {LARGEST_COUNT}, got {text!r}")
    return int(value)


def seed(text: str) -> int:
    """Return a seed."""
    if not text.isdecimal() or len(text) > 19 or int(text) > LARGEST_SEED:
        raise ArgumentTypeError(f"expected an integer from 0 to 2^63 - 1, got {text!r}")
    return int(text)


def _sane(value: float, text: str) -> float:
    if not -LARGEST <= value <= LARGEST:
        raise ArgumentTypeError(
            f"expected finite numbers from -{LARGEST:g} to {LARGEST:g}, got {text!r}"
        )
    return value
