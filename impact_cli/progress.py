# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Progress on standard error: a bar on a terminal, one line per item otherwise."""

from __future__ import annotations

import contextlib
import sys
import time

WIDTH = 30
PERIOD = 0.1  # between updates of the bar [s]
KNOWN = 3.0  # from then on the time left is estimated [s]


class Progress:
    """One progress bar; ``update`` limits its own rate."""

    def __init__(self, label: str) -> None:
        """Start an item of work."""
        self._label = label
        self._terminal = sys.stderr.isatty()
        self._next = 0.0
        self._began = time.monotonic()
        if not self._terminal:
            _write(f"{label} ...\n")

    def update(self, fraction: float, note: str = "") -> None:
        """Show the fraction done, 0 to 1, a short note, and the time left if it is known."""
        now = time.monotonic()
        if not self._terminal or now < self._next:
            return
        self._next = now + PERIOD
        done = round(WIDTH * min(1.0, max(0.0, fraction)))
        bar = "#" * done + "." * (WIDTH - done)
        _write(f"\r{self._label} [{bar}] {note + _left(now - self._began, fraction):<40.40}")

    def close(self, note: str) -> None:
        """Show the result."""
        start = "\r" if self._terminal else ""
        filler = " " * (WIDTH + 44 - len(note)) if self._terminal else ""
        _write(f"{start}{self._label} {note}{filler}\n")


def _left(gone: float, fraction: float) -> str:
    """Return the time that is left after some time [s], if what is done tells it."""
    if gone < KNOWN or not 0.0 < fraction < 1.0:
        return ""
    seconds = gone * (1.0 - fraction) / fraction
    left = f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
    return f" {left} left"


def _write(text: str) -> None:
    """Write; ignore a failed write, which must not end the work."""
    with contextlib.suppress(OSError):
        sys.stderr.write(text)
        sys.stderr.flush()
