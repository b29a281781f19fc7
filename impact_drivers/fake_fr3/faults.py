# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with the arm, or on the way to it, on purpose: by cycle of a motion."""

from __future__ import annotations

from typing import NamedTuple

NEVER = -1


class Faults(NamedTuple):
    """Cycles are counted from 0 in every motion; ``NEVER``: it does not happen."""

    lose_from: int = NEVER  # commands are lost from this cycle on
    lose_count: int = 0  # so many in a row
    skip: int = NEVER  # the state after this cycle does not arrive
    nan_from: int = NEVER  # states are not a number from this cycle on
    nan_count: int = 0
    user_stop: int = NEVER  # somebody presses the button
    refuses_thresholds: bool = False  # after a reflex, until it is recovered from
    errors_at_connect: tuple[str, ...] = ()  # that the arm has from before

    def loses(self, cycle: int) -> bool:
        """Whether the command of a cycle is lost."""
        return self.lose_from != NEVER and 0 <= cycle - self.lose_from < self.lose_count

    def spoils(self, cycle: int) -> bool:
        """Whether the state of a cycle is not a number."""
        return self.nan_from != NEVER and 0 <= cycle - self.nan_from < self.nan_count


NO_FAULTS = Faults()
