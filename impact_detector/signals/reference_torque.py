# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Pairing of references, such as torques, with measured states."""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

from impact_detector.exceptions import DetectorError
from impact_detector.signals.sample import from_seconds

PREVIOUS = "previous"
SAME = "same"
RULES = (PREVIOUS, SAME)
_KEPT = 1000
Reference = TypeVar("Reference")  # such as torques, shape (n,) [N.m]


class ReferencePairing(Generic[Reference]):
    """Finds the reference of a state, such as its torque, among time-stamped references.

    Two rules: ``previous`` takes the newest reference stamped before the state, because this
    suite's controller stamps its torque with the state k that it answers, and that torque acts
    until state k+1. ``same`` takes the newest reference not after the state, for drivers that
    publish measured and desired values of one instant with equal stamps. With both rules a
    reference older than ``max_age`` is ignored.
    """

    def __init__(self, rule: str = PREVIOUS, max_age: float = 0.05) -> None:
        """Set up.

        Args:
            rule: ``previous`` or ``same``.
            max_age: oldest reference used, relative to the state, > 0 [s].

        Raises:
            DetectorError: unknown rule, or age out of range.
        """
        if rule not in RULES:
            raise DetectorError(f"rule: expected one of {', '.join(RULES)}, got {rule!r}")
        if not max_age > 0:
            raise DetectorError(f"max_age: expected a number > 0 [s], got {max_age}")
        self._strict = rule == PREVIOUS
        self._max_age = from_seconds(max_age)
        self._entries: deque[tuple[int, Reference | None]] = deque(maxlen=_KEPT)

    def add(self, time: int, reference: Reference | None) -> None:
        """Add a reference of ``time`` [ns]; None: unusable.

        A reference that is not newer than the last one starts a new sequence from there.
        """
        while self._entries and self._entries[-1][0] >= time:
            self._entries.pop()
        self._entries.append((time, reference))

    def has(self, time: int) -> bool:
        """Return whether a reference of exactly ``time`` [ns] has come, usable or not."""
        for stamp, _ in reversed(self._entries):  # their stamps rise
            if stamp <= time:
                return stamp == time
        return False

    def find(self, time: int) -> Reference | None:
        """Return the reference of the state of ``time`` [ns], or None."""
        for stamp, reference in reversed(self._entries):
            if stamp < time or (stamp == time and not self._strict):
                return reference if time - stamp <= self._max_age else None
        return None

    def restart(self, time: int) -> None:
        """Delete references later than ``time`` [ns], after a jump back in time."""
        while self._entries and self._entries[-1][0] > time:
            self._entries.pop()
