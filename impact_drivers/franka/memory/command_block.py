# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Requests of the node to the loop: one at a time, and a deadman counter."""

from __future__ import annotations

import time
from math import inf

from impact_drivers.exceptions import LinkError
from impact_drivers.franka.arm.collision_behavior import CollisionBehavior
from impact_drivers.franka.memory.checked_record import CheckedRecord
from impact_drivers.franka.memory.request import (
    REQUEST,
    Request,
    RequestKind,
    pack_goal,
    unpack_goal,
    unpack_need,
)
from impact_drivers.franka.memory.shared_memory import SharedMemory
from impact_qp.control.plan import Plan

WORD = 8  # of the two counters before the request [bytes]
SIZE = 2 * WORD + REQUEST.itemsize


class _Block:
    """Layout of counters and request."""

    def __init__(self, memory: SharedMemory, start: int) -> None:
        """Map the block in a memory.

        Args:
            memory: shared by loop and node.
            start: of the block in it [bytes].
        """
        self._counters = memory.view(start, 2 * WORD, "Q")  # deadman; number of the request
        self._request = memory.view(start + 2 * WORD, REQUEST.itemsize)
        self._record = CheckedRecord(REQUEST)


class CommandWriter(_Block):
    """The node's end."""

    def beat(self) -> None:
        """Increase the deadman counter: the loop brakes if it stays constant."""
        self._counters[0] += 1

    def ask(
        self,
        kind: RequestKind,
        plan: Plan | None = None,
        need: CollisionBehavior | None = None,
    ) -> int:
        """Send a request; it replaces the previous one.

        Args:
            kind: of request.
            plan: of a goal; the loop uses its surface, speed, limits and behaviour afterwards, and
                its own parameters otherwise.
            need: predicted observation of the arm in the hit; None: its thresholds stay low.

        Returns:
            the number of the request.
        """
        number = self._counters[1] + 1
        fields = self._record.fields
        fields["number"], fields["kind"] = number, kind
        fields["asked"] = time.monotonic_ns()
        if plan is not None:
            pack_goal(plan, need, fields)
        self._record.write_to(self._request)
        self._counters[1] = number
        return int(number)


class CommandReader(_Block):
    """The loop's end."""

    def __init__(self, memory: SharedMemory, start: int, oldest: float = inf) -> None:
        """Start with requests made before this process began.

        Args:
            memory: as of the base.
            start: likewise.
            oldest: largest age of a request that begins a motion [s].
        """
        super().__init__(memory, start)
        self._taken, self._oldest = 0, oldest

    @property
    def beats(self) -> int:
        """Deadman counter of the node."""
        return self._counters[0]

    def take(self, defaults: Plan) -> Request | None:
        """Return a request that was not taken yet; None without one, or while it is written.

        Args:
            defaults: plan of the parameters, for fields that a goal does not set.

        Raises:
            LinkError: the request is too old to begin; it counts as taken.
            ControlError: a goal's plan cannot be used; likewise.
            OutOfRangeError: so does one with a number out of its range.
            RobotError: so does one with an invalid normal.
        """
        if self._counters[1] == self._taken or not self._record.read_from(self._request):
            return None
        fields = self._record.fields
        number = int(fields["number"])
        if number == self._taken:
            return None
        self._taken, kind = number, RequestKind(int(fields["kind"]))
        age = (time.monotonic_ns() - int(fields["asked"])) * 1e-9
        if kind.begins and age > self._oldest:
            raise LinkError(
                f"{kind.name.lower()}: asked {age:.2f} s ago, expected at most {self._oldest:g} s"
            )
        if kind is not RequestKind.GOAL:
            return Request(number, kind)
        return Request(number, kind, unpack_goal(fields, defaults), unpack_need(fields))

    @property
    def taken(self) -> int:
        """Number of the request taken last, 0 before the first."""
        return self._taken
