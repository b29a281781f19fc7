# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The node's supervision of the loop: reads its cycles, sends requests, detects faults."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import islice
from math import inf
from typing import Protocol

from impact_drivers.franka.loop.loop_cycle import LoopCycle, LoopState
from impact_drivers.franka.loop.protection import STILL_RAISED
from impact_drivers.franka.memory.command_block import CommandWriter
from impact_drivers.franka.memory.request import RequestKind
from impact_drivers.franka.memory.ring import RingReader

AT_ONCE = 50  # cycles that are read at once, before other work
RESTORED_WITHIN = 20.0  # time limit for lowering the thresholds of a killed loop [s]
PAUSE = 0.001  # polling period while waiting for the loop's answer [s]


class SupervisedLoop(Protocol):
    """Interface of a loop; see :class:`.LoopProcess`."""

    cycles: RingReader
    commands: CommandWriter

    @property
    def is_alive(self) -> bool:
        """Whether it runs."""

    @property
    def ended_in_order(self) -> bool:
        """Whether it has ended, with the arm's collision thresholds low."""

    def pause(self, duration: float) -> None:
        """Wait while it runs for some time [s]."""

    def stop(self, *, at_once: bool) -> None:
        """Terminate it."""

    def restore(self) -> str | None:
        """Lower the arm's collision thresholds when it has ended; None during the attempt."""

    def said(self) -> list[str]:
        """Return its printed lines."""

    def exit_reason(self) -> str:
        """Return how it ended, in one line."""

    def close(self) -> None:
        """Release it, once it has ended."""


class LoopSupervisor:
    """Reads a loop's reports, and ends its use after a fault.

    Attributes:
        loop: that is supervised.
        cycle: the last one; None before the first.
        fault: why there are no commands until the next activation, "" without.
    """

    def __init__(
        self,
        loop: SupervisedLoop,
        on_cycle: Callable[[LoopCycle], None],
        on_fault: Callable[[str], None],
        on_note: Callable[[str], None],
        *,
        state_timeout: float,
        answer_timeout: float,
    ) -> None:
        """Supervise a loop.

        Args:
            loop: that has begun.
            on_cycle: called with each cycle.
            on_fault: called with the first fault after an activation.
            on_note: called with further messages to the user.
            state_timeout: a loop without cycles for longer is a fault [s].
            answer_timeout: time limit for the answer to a request [s].
        """
        self.loop, self._on_cycle, self._on_fault = loop, on_cycle, on_fault
        self._on_note = on_note
        self._state_timeout, self._answer_timeout = state_timeout, answer_timeout
        self._is_lost, self._is_restored = False, False
        self.cycle: LoopCycle | None = None
        self.fault, self._since, self._is_ending = "", 0, False
        self._heard = time.monotonic()

    def look(self) -> None:
        """Read the new cycles; detect a silent loop."""
        self.take()
        silent = time.monotonic() - self._heard
        if not self.loop.is_alive:
            self._lose()
        elif silent > self.patience:
            self.fail(f"no state of the arm for {silent:.3f} s")

    @property
    def patience(self) -> float:
        """Time without a cycle that is a fault [s]: longer between two motions of the arm."""
        changing = self.cycle is not None and self.cycle.state is LoopState.CHANGING
        return max(self._state_timeout, self._answer_timeout if changing else 0.0)

    @property
    def age(self) -> float:
        """Time since the last cycle was reported [s], infinite without one."""
        if self.cycle is None or not self.cycle.reported:
            return inf
        return (time.monotonic_ns() - self.cycle.reported) * 1e-9

    def take(self) -> bool:
        """Increase the deadman counter and read cycles, in order; return whether there were any.

        Their number is limited, so that other callbacks of the node do not wait for long.
        """
        self.loop.commands.beat()
        taken = None
        for taken in islice(self.loop.cycles.read(), AT_ONCE):
            self.cycle, self._heard = taken, time.monotonic()
            self._on_cycle(taken)
            if taken.fault and taken.acknowledged >= self._since:
                self.fail(taken.fault)
        return taken is not None

    def _take_all(self) -> None:
        """Read the last cycles of a loop that has ended."""
        while self.take():
            pass

    def fail(self, reason: str) -> None:
        """Record a fault, if it is the first, and let the loop finish: the arm may still move."""
        if self.fault:
            return
        self.fault = reason
        if not self._is_ending:
            self.loop.commands.ask(RequestKind.FINISH)
        self._on_fault(reason)

    def _lose(self) -> None:
        """Record that the loop has ended without a request."""
        if not self._is_lost:
            self._take_all()
            self._is_lost = True
        if not self.fault:
            self.fail(f"the loop has ended: {self.loop.exit_reason()}")
        self._restore()

    def _restore(self) -> None:
        """Lower the collision thresholds of an arm whose loop has ended; report the result."""
        if self._is_restored or (reason := self.loop.restore()) is None:
            return
        self._is_restored = True
        if reason:
            self._on_note(f"{STILL_RAISED}{reason}")

    def connect(self, patience: float) -> str:
        """Wait for the first cycle; return why the arm cannot be controlled, "" if it can.

        Args:
            patience: time limit [s].
        """
        if self._wait(lambda: self.cycle is not None, patience) or self.fault:
            return self.fault
        return f"no cycle of the loop within {patience:g} s"

    def activate(self) -> str:
        """Clear the fault, let the loop hold the arm; return the reason of a failure, else ""."""
        if not self.loop.is_alive:
            return "the loop has ended; clean up and configure"
        self._heard, self.fault = time.monotonic(), ""
        number = self._since = self.loop.commands.ask(RequestKind.HOLD)
        if not (reason := self._answer(number, or_fault=True)) and not self.fault:
            return ""
        self.loop.commands.ask(RequestKind.FINISH)  # it must not begin later
        return reason or self.fault

    def ask(self, kind: RequestKind) -> str:
        """Send a request and wait until it is done; return the reason of a failure, else ""."""
        if not self.loop.is_alive:
            return "the loop has ended"
        before = self.fault
        reason = self._answer(self.loop.commands.ask(kind))
        return reason or (self.fault if self.fault != before else "")

    def _answer(self, number: int, *, or_fault: bool = False) -> str:
        """Wait for the answer to a request; return the reason of a failure, else "".

        Args:
            number: of the request.
            or_fault: a fault ends the wait, too.
        """

        def is_done() -> bool:
            last = self.cycle
            if last is None or (or_fault and self.fault):
                return bool(self.fault)
            return last.acknowledged >= number and last.state is not LoopState.STOPPING

        if not self._wait(is_done, self._answer_timeout):
            return self.fault or f"no answer within {self._answer_timeout:g} s"
        return "" if self.cycle is None else self.cycle.refusal

    def _wait(self, condition: Callable[[], bool], patience: float) -> bool:
        """Take cycles until a condition holds; return whether it does in time [s]."""
        end = time.monotonic() + patience
        while not condition() and self.loop.is_alive and time.monotonic() < end:
            self.loop.pause(PAUSE)
            self.take()
        if not self.loop.is_alive:
            self._lose()
        return condition()

    def end(self) -> list[str]:
        """Let the arm brake and the loop end; return its printed lines."""
        self._is_ending = True
        if self.loop.is_alive:
            self.loop.commands.ask(RequestKind.END)
        self._await_end()
        for at_once in (False, True):
            if self.loop.is_alive:
                self.loop.stop(at_once=at_once)
                self._await_end()
        self._take_all()
        if not self.loop.ended_in_order:
            self._await_restored()
        lines = self.loop.said()
        self.loop.close()
        return lines

    def _await_restored(self) -> None:
        end = time.monotonic() + RESTORED_WITHIN
        while not self._is_restored and time.monotonic() < end:
            self._restore()
            time.sleep(PAUSE)
        if not self._is_restored:
            self._is_restored = True
            self._on_note(f"{STILL_RAISED}no answer within {RESTORED_WITHIN:g} s")

    def _await_end(self) -> None:
        end = time.monotonic() + self._answer_timeout
        while self.loop.is_alive and time.monotonic() < end:
            self.loop.pause(PAUSE)
            self.take()
