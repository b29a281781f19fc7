# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What somebody at a real arm is asked before it moves; only "yes" is yes."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from impact_robots.exceptions import UsageError

SPEED_CAP = 0.1  # of every hit [m/s]
SLOWEST_FIRST = ("robust", "joint_load")  # limits that bound every admissible impulse

NEAREST, FARTHEST = 0.02, 0.3  # of the surface from the tool [m]
Ask = Callable[[str], str]


class Questions:
    """Asks on the terminal."""

    def __init__(self, ask: Ask = input, *, is_terminal: bool | None = None) -> None:
        """Ask by ``ask``, if there is a terminal."""
        self._ask = ask
        self._is_terminal = sys.stdin.isatty() if is_terminal is None else is_terminal

    def require_terminal(self) -> None:
        """Refuse to move an arm that nobody stands at.

        Raises:
            UsageError: there is no terminal.
        """
        if not self._is_terminal:
            raise UsageError(
                "hit: expected a terminal to ask on; --unattended with --distance goes without"
            )

    def distance(self, position: np.ndarray, axis: np.ndarray) -> float:
        """Return how far in front of the tool the surface is [m].

        Args:
            position: of the contact point, base axes, shape (3,) [m].
            axis: along which it goes, base axes, shape (3,).

        Raises:
            UsageError: the answer is no such distance.
        """
        place, way = (np.array2string(values, precision=3) for values in (position, axis))
        text = (
            f"The tool's tip is at {place} m and points along {way}. How far is the surface [m]? "
        )
        return checked_distance(self._asked(text), "distance")

    def agrees(self, question: str) -> bool:
        """Ask; anything but "yes" is no."""
        return self._asked(f"{question} Type yes: ") == "yes"

    def _asked(self, text: str) -> str:
        try:
            return self._ask(text).strip()
        except EOFError:
            return ""


def checked_distance(text: str | float, name: str) -> float:
    """Return a distance of the surface [m].

    Raises:
        UsageError: it is none, or out of its range.
    """
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not NEAREST <= value <= FARTHEST:
        raise UsageError(f"{name}: expected {NEAREST:g} to {FARTHEST:g} m, got {text!r}")
    return value
