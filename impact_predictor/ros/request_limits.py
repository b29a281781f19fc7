# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Limits of a request's size and numbers. Needs no ROS."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from impact_robots.exceptions import OutOfRangeError
from impact_ros.messages import non_finite

MOST_CONTACTS = 16  # that hit at once; time grows with more than their square
LARGEST = 1e6  # of any number: [rad], [rad/s], [m], [-], [1/s]; squares and products stay finite
LONGEST_MESSAGE = 500  # characters of a response's message


def at_most(name: str, items: Sequence[Any], most: int) -> None:
    """Refuse a list that is too long.

    Raises:
        OutOfRangeError: more than ``most`` items.
    """
    if len(items) > most:
        raise OutOfRangeError(name, f"at most {most}", len(items))


def in_bounds(**numbers: float) -> None:
    """Refuse numbers that are too large to be one; NaN passes, its range is checked elsewhere.

    Raises:
        OutOfRangeError: a number beyond plus or minus ``LARGEST``.
    """
    for name, value in numbers.items():
        if abs(value) > LARGEST:
            raise OutOfRangeError(name, f"a number of at most {LARGEST:g}", value)


def impossible(names: Sequence[str], **columns: np.ndarray) -> list[str]:
    """Refuse joint values that are not finite or too large.

    Args:
        names: of the n joints.
        **columns: arrays of shape (n,) by name.

    Returns:
        "joint4 velocity" for each such value; empty when all are possible.
    """
    bounded = {
        label: np.where(np.abs(values) < LARGEST, values, np.nan)
        for label, values in columns.items()
    }
    return non_finite(names, **bounded)


def short(text: str) -> str:
    """Return one line of at most ``LONGEST_MESSAGE`` characters."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_MESSAGE else line[: LONGEST_MESSAGE - 3] + "..."
