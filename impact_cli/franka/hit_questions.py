# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Questions to the operator of a real arm before it moves; only "yes" is yes."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from impact_robots.exceptions import UsageError

SPEED_CAP = 0.1  # of every hit [m/s]
SLOWEST_FIRST = ("robust", "joint_load")  # limits that hold for every admissible impulse

NEAREST, FARTHEST = 0.02, 0.3  # distance of the surface from the tool [m]
Ask = Callable[[str], str]


class Questions:
    """Asks on the terminal."""

    def __init__(self, ask: Ask = input, *, is_terminal: bool | None = None) -> None:
        """Ask with ``ask``; ``is_terminal``: whether standard input is a terminal."""
        self._ask = ask
        self._is_terminal = sys.stdin.isatty() if is_terminal is None else is_terminal

    def require_terminal(self) -> None:
        """Refuse to move an arm without an operator.

        Raises:
            UsageError: there is no terminal.
        """
        if not self._is_terminal:
            raise UsageError(
                "hit: expected a terminal for its questions; without: --unattended --distance M"
            )

    def distance(self, position: np.ndarray, axis: np.ndarray) -> float:
        """Return the distance from the tool to the surface [m].

        Args:
            position: of the contact point, base axes, shape (3,) [m].
            axis: direction of the tool, base axes, shape (3,).

        Raises:
            UsageError: the reply is no valid distance.
        """
        place, towards = (np.array2string(values, precision=3) for values in (position, axis))
        text = (
            f"The tool tip is at {place} m and points along {towards}."
            " Distance to the surface [m]? "
        )
        return checked_distance(self._asked(text), "distance")

    def agrees(self, question: str) -> bool:
        """Ask a question; any reply but "yes" means no."""
        return self._asked(f"{question} Type yes: ") == "yes"

    def _asked(self, text: str) -> str:
        try:
            return self._ask(text).strip()
        except EOFError:
            return ""


def checked_distance(text: str | float, name: str) -> float:
    """Return a distance of the surface [m].

    Raises:
        UsageError: it is no number, or out of range.
    """
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not NEAREST <= value <= FARTHEST:
        raise UsageError(f"{name}: expected {NEAREST:g} to {FARTHEST:g} m, got {text!r}")
    return value
