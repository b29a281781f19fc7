# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A goal before its start: checked in another thread, sent to the loop, then begun or refused."""

from __future__ import annotations

import time
from concurrent.futures import Future
from typing import NamedTuple

from impact_drivers.franka.arm.collision_behavior import CollisionBehavior
from impact_qp.control.plan import Plan
from impact_qp.goals.goal import End, GoalRun, Prepared


class CheckedGoal(NamedTuple):
    """A goal that has passed the node's checks."""

    run: GoalRun
    need: CollisionBehavior | None  # of its hit; None: the arm's thresholds stay low

    @property
    def plan(self) -> Plan:
        """Kind of the request to the loop."""
        return self.run.plan


class PendingGoal(Future[Prepared | End]):
    """Done once the loop has begun or refused the goal.

    Attributes:
        work: checks it.
        number: of the request to the loop, 0 before it is sent.
        withdrawn: its client has cancelled it.
    """

    def __init__(self, work: Future[CheckedGoal | End]) -> None:
        """Wait for the check."""
        super().__init__()
        self.work = work
        self.number, self._asked = 0, 0.0
        self.withdrawn = False

    def cancel(self) -> bool:
        """Withdraw the goal, in any stage."""
        self.withdrawn = True
        return super().cancel()

    def asked(self, number: int) -> None:
        """Record that the request was sent."""
        self.number, self._asked = number, time.monotonic()

    @property
    def waited(self) -> float:
        """Time since the request was sent [s]."""
        return time.monotonic() - self._asked

    def answer(self, answer: Prepared | End) -> None:
        """Set the result, unless it was cancelled."""
        if not self.done():
            self.set_result(answer)
