# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Compares hits and strikes with what was asked and promised for them."""

from __future__ import annotations

NOT_KEPT = 1.05  # ratio of achieved to requested speed above which a hit was too fast
READING = 0.05  # error of a measured peak, as a fraction of a limit [-]
BROKEN = 2  # hits that exceeded the prediction, after which no other follows


class HitJudge:
    """Says how far later requests are reduced, and when there must be no further hit.

    After a hit more than 5 % too fast, all later requests are reduced by the same factor. After the
    second hit that used more of a limit than predicted, no other follows.

    Attributes:
        over: highest ratio of achieved to requested speed, 1 as long as none was above 1.05 [-].
        problem: why there must be no further hit, "" if there may be.
    """

    def __init__(self, kind: str) -> None:
        """Begin without any.

        Args:
            kind: what the hits are called in the problem.
        """
        self._kind, self._number, self._broken = kind, 0, list[str]()
        self.over, self.problem = 1.0, ""

    def judge(self, asked: float, promised: float, speed: float, used: float) -> None:
        """Take a hit.

        Args:
            asked: requested speed [m/s].
            promised: fraction of a limit that it uses at that speed [-].
            speed: that was measured [m/s].
            used: largest fraction of a limit that was measured [-].
        """
        self._number += 1
        ratio = speed / asked if asked > 0.0 else 1.0
        if ratio > NOT_KEPT:
            self.over = max(self.over, ratio)
        promised *= max(1.0, ratio)
        if used > promised + READING:
            line = f"{self._kind} {self._number} used {used:.2f} of a limit instead of"
            self._broken.append(f"{line} {promised:.2f}")
        if len(self._broken) >= BROKEN:
            self.problem = " and ".join(self._broken)
