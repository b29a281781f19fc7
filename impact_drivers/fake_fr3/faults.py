# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Injected faults of the arm or of its connection, by cycle of a motion."""

from __future__ import annotations

from typing import NamedTuple

NEVER = -1


class Faults(NamedTuple):
    """Cycles are counted from 0 in every motion; ``NEVER``: no fault."""

    lose_from: int = NEVER  # commands are lost from this cycle on
    lose_count: int = 0  # number in a row
    skip: int = NEVER  # the state after this cycle does not arrive
    nan_from: int = NEVER  # states are not a number from this cycle on
    nan_count: int = 0
    user_stop: int = NEVER  # the user stop is pressed
    refuses_thresholds: bool = False  # after a reflex, until it is recovered from
    errors_at_connect: tuple[str, ...] = ()  # present at connection

    def loses(self, cycle: int) -> bool:
        """Whether the command of a cycle is lost."""
        return self.lose_from != NEVER and 0 <= cycle - self.lose_from < self.lose_count

    def spoils(self, cycle: int) -> bool:
        """Whether the state of a cycle is not a number."""
        return self.nan_from != NEVER and 0 <= cycle - self.nan_from < self.nan_count


NO_FAULTS = Faults()
