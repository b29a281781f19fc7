# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One hit from rest to rest, requested by a program instead of the node."""

from __future__ import annotations

from dataclasses import dataclass, field

from impact_drivers.franka.arm.collision_behavior import CollisionBehavior
from impact_drivers.franka.loop.loop_cycle import LoopCycle, LoopState
from impact_drivers.franka.memory.request import Request, RequestKind
from impact_qp.control.phases import Phase
from impact_qp.control.plan import Plan

HELD = 150  # cycles before the approach: the detector has learnt, and 100 commands have arrived
AFTER = 200  # cycles after the hit, or after the arm has stopped itself
TIMEOUT = 15_000  # cycles without an end


@dataclass
class Hit:
    """Holds, approaches, and ends when the arm is at rest; both client and listener of the loop.

    Attributes:
        plan: of the hit.
        need: predicted observation of the arm in it; None: its thresholds stay low.
        cycles: all reported cycles, in order.
        refusal: why the approach was not begun, "" if it was.
    """

    plan: Plan
    need: CollisionBehavior | None = None
    cycles: list[LoopCycle] = field(default_factory=list)
    refusal: str = ""
    taken: int = 0
    _held: int = 0
    _after: int = 0
    _beats: int = 0

    @property
    def beats(self) -> int:
        """Deadman counter; the client is in this process, so it always increases."""
        self._beats += 1
        return self._beats

    def take(self, defaults: Plan) -> Request | None:
        """Return the next request, or None; see :class:`.Requests`."""
        if (kind := self._due()) is None:
            return None
        self.taken += 1
        if kind is not RequestKind.GOAL:
            return Request(self.taken, kind)
        return Request(self.taken, kind, self.plan, self.need)

    def report(self, cycle: LoopCycle) -> None:
        """Take a cycle."""
        self.cycles.append(cycle)
        controls = cycle.state in (LoopState.CONTROLLING, LoopState.CHANGING)
        self._held += controls
        self.refusal = self.refusal or cycle.refusal
        if self.taken and (not controls or self._stands(cycle) or self.refusal):
            self._after += 1

    def _due(self) -> RequestKind | None:
        if self.taken == 0:
            return RequestKind.HOLD
        if self._after >= AFTER or len(self.cycles) >= TIMEOUT or self.refusal:
            return RequestKind.END
        return RequestKind.GOAL if self.taken == 1 and self._held >= HELD else None

    def _stands(self, cycle: LoopCycle) -> bool:
        """Whether the arm is at rest after the approach."""
        answer = cycle.answer
        return cycle.begun > 0 and answer is not None and answer.phase is Phase.HOLD
