# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What became of the requests: a goal is decided on once it begins or is refused, not before."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Decisions:
    """Reported with every cycle."""

    number: int = 0  # of the request decided on last, 0 before the first
    refusal: str = ""  # why that one is not carried out, "" if it is
    begun: int = 0  # number of the goal that was begun last, 0 without one

    def decide(self, number: int, refusal: str = "") -> None:
        """Note that a request is carried out, or why not."""
        self.number, self.refusal = number, refusal

    def begin(self, number: int) -> None:
        """Note that the approach of a goal begins."""
        self.decide(number)
        self.begun = number
