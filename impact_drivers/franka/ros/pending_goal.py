# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A goal on its way to the loop: checked beside the node's thread, then asked for, then decided."""

from __future__ import annotations

import time
from concurrent.futures import Future
from typing import NamedTuple

from impact_drivers.franka.arm.collision_behavior import CollisionBehavior
from impact_qp.control.plan import Plan
from impact_qp.goals.goal import End, GoalRun, Prepared


class CheckedGoal(NamedTuple):
    """A goal that the node would carry out."""

    run: GoalRun
    need: CollisionBehavior | None  # of its hit; none: the arm's thresholds stay low

    @property
    def plan(self) -> Plan:
        """What the loop is asked for."""
        return self.run.plan


class PendingGoal(Future[Prepared | End]):
    """Done once the loop has begun the goal or refused it; until then nothing else changes.

    Attributes:
        work: checks it.
        number: of the request to the loop, 0 before it was asked.
        withdrawn: its client has cancelled it.
    """

    def __init__(self, work: Future[CheckedGoal | End]) -> None:
        """Wait for the check."""
        super().__init__()
        self.work = work
        self.number, self._asked = 0, 0.0
        self.withdrawn = False

    def cancel(self) -> bool:
        """Withdraw the goal, whoever has it by now."""
        self.withdrawn = True
        return super().cancel()

    def asked(self, number: int) -> None:
        """Note that the loop was asked for it."""
        self.number, self._asked = number, time.monotonic()

    @property
    def waited(self) -> float:
        """Time since the loop was asked [s]."""
        return time.monotonic() - self._asked

    def answer(self, answer: Prepared | End) -> None:
        """Say what became of it, unless it was cancelled."""
        if not self.done():
            self.set_result(answer)
