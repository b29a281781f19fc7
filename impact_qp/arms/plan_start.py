# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Start of the common plan of several arms: at one time for all of them. No ROS."""

from __future__ import annotations

from collections.abc import Sequence

from impact_qp.arms.clock_offsets import ClockOffsets

READY_WITHIN = 0.06  # of the plan, in which detectors learn, in lockstep [s]
TOGETHER = 3.0  # largest difference of the states' times at the start, in periods


class PlanStart:
    """The zero of the plan's time, on the clock of the first arm.

    Several arms are one machine: the plan starts once states of all of them arrive, by clocks whose
    offsets are known, and once all detectors would see an impact. In lockstep there is one clock,
    and the plan starts with the first states; detectors get :data:`READY_WITHIN` of it.
    """

    def __init__(
        self, arms: Sequence[str], *, period: float = 1e-3, lockstep: bool = False
    ) -> None:
        """Wait for the arms of these names, with a control period [s]."""
        self._arms, self._lockstep, self._period = tuple(arms), lockstep, period
        self._clocks = ClockOffsets(self._arms, period)
        self.reset()

    def reset(self) -> None:
        """Wait again for all of them; measured clock offsets stay."""
        self._zero: int | None = None
        self._offsets = dict.fromkeys(self._arms, 0)
        self._stamps: dict[str, int] = {}
        self._ready = dict.fromkeys(self._arms, False)

    @property
    def ready(self) -> bool:
        """Whether the plan has started."""
        return self._zero is not None

    @property
    def problem(self) -> str:
        """Why it cannot start, "" if it may."""
        return "" if self.ready or self._lockstep else self._clocks.problem

    @property
    def waits_for(self) -> str:
        """The missing input, "" if none."""
        if self.ready:
            return ""
        silent = [arm for arm in self._arms if arm not in self._stamps]
        if silent:
            return f"states of {', '.join(name or 'the arm' for name in silent)}"
        blind = [arm for arm in self._arms if not self._ready[arm]]
        if blind:
            return f"the detector of {', '.join(name or 'the arm' for name in blind)}"
        return "the clocks of the arms"

    def known(self, arm: str, stamp: int, arrival: float) -> None:
        """Take a state for the comparison of clocks, also of an arm that is not active.

        Args:
            arm: its name.
            stamp: of the state [ns].
            arrival: by a clock of this process [s].
        """
        if not self.ready and not self._lockstep:
            self._clocks.arrived(arm, stamp, arrival)

    def arrived(self, arm: str, stamp: int, *, sees: bool) -> None:
        """Take a state of an active arm.

        Args:
            arm: its name.
            stamp: of the state [ns].
            sees: its detector is ready.
        """
        if self.ready:
            return
        self._stamps[arm], self._ready[arm] = stamp, sees
        if len(self._stamps) < len(self._arms):
            return
        if not self._lockstep:
            if not (self._clocks.known and all(self._ready.values())):
                return
            self._offsets = {name: self._clocks.offset(name) for name in self._arms}
        stamps = [at - self._offsets[name] for name, at in self._stamps.items()]
        if self._lockstep or max(stamps) - min(stamps) <= TOGETHER * self._period * 1e9:
            self._zero = max(stamps)  # else one arm's state is too old: the next one will do

    def time(self, arm: str, stamp: int) -> float:
        """Return the plan's time at a stamp [ns] of an arm, not before its start [s]."""
        zero = 0 if self._zero is None else self._zero
        return max(0, stamp - self._offsets[arm] - zero) * 1e-9

    def may_be_blind(self, time: float) -> bool:
        """Tell whether a detector may still learn at a time of the plan [s]."""
        return self._lockstep and time <= READY_WITHIN
