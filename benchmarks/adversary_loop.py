# SPDX-License-Identifier: Apache-2.0
"""The controller as its node runs it, without ROS: a state in, what is sent out.

The guarded controller where there is one, the bare one else: one interface for both.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from impact_qp import Command, ControlError, ImpactController, Phase, Plan
from impact_robots import Robot

SILENCE = 20_000_000  # without an answer the arm is put to rest [ns]
MOST_MISSED = 10  # cycles in a row, by default


class Sent(NamedTuple):
    """What leaves in one cycle."""

    values: np.ndarray  # shape (n,), unit of the interface
    phase: Phase
    relaxed: tuple[str, ...]  # limits that gave way


class Loop:
    """What every loop does: watches for silence, and sends what brings the arm to rest."""

    def __init__(self, robot: Robot, plan: Plan, period: float) -> None:
        """Create the controller for a period [s]."""
        self._robot, self._period = robot, period
        self.core = ImpactController(robot, plan, period=period)
        self._forget()

    def _forget(self) -> None:
        self.fault = ""  # why it has stopped for good
        self._stamp, self._answered = -1, -1  # of the last state, and when it was answered [ns]
        self._silent = False
        self._resting: Iterator[np.ndarray] | None = None

    def cycle(
        self, now: int, stamp: int, q: np.ndarray, dq: np.ndarray, impact: bool, ready: bool
    ) -> Sent | None:
        """Return what is sent when a state arrives, None if nothing is; times in [ns]."""
        self._answered = now if self._answered < 0 else self._answered
        if self._resting is None:
            command = self._answer(now, stamp, q, dq, impact, ready)
            if command is not None:
                self._answered, self._silent = now, False
                return self._sent(command)
        return self.idle(now)

    def idle(self, now: int) -> Sent | None:
        """Return what is sent when none arrives."""
        if self._answered >= 0 and now - self._answered >= SILENCE and not self._silent:
            self._lose("silence")
        values = None if self._resting is None else next(self._resting, None)
        if values is None:
            self._resting = None
            return None
        return Sent(np.array(values), Phase.HOLD, ())

    def _lose(self, reason: str) -> None:
        """Begin to put the arm to rest."""
        self.fault = self.fault or reason
        self.core.stop()
        self._silent, self._resting = True, self._settle()

    def _sent(self, command: Command) -> Sent:
        values = {"torque": command.driver_torque, "velocity": command.velocity}
        kind = self.core.plan.interface
        return Sent(values.get(kind, command.position), command.phase, command.relaxed)

    def stop(self) -> None:
        """Brake and hold."""
        self.core.stop()

    def _answer(
        self, now: int, stamp: int, q: np.ndarray, dq: np.ndarray, impact: bool, ready: bool
    ) -> Command | None:
        raise NotImplementedError

    def _settle(self) -> Iterator[np.ndarray]:
        raise NotImplementedError


class BareLoop(Loop):
    """The controller by itself: believes every finite state, repeats answers to repeated stamps."""

    _last: Command | None = None

    def _answer(
        self, now: int, stamp: int, q: np.ndarray, dq: np.ndarray, impact: bool, ready: bool
    ) -> Command | None:
        if stamp == self._stamp and self._last is not None:
            return self._last
        if stamp < self._stamp:
            self.fault = "clock"
            self.core.stop()
        self._stamp = stamp
        try:
            self._last = self.core.update(q, dq, impact=impact, ready=ready)
        except ControlError:
            return None
        return self._last

    def _settle(self) -> Iterator[np.ndarray]:
        self.core.let_go()
        rest = self.core.rest()
        if rest is not None:
            yield rest

    def reset(self) -> None:
        """Activate it again."""
        self.core.reset()
        self._forget()

    def change(self, plan: Plan) -> None:
        """Take a goal, unless there is a fault."""
        if not self.fault:
            core = ImpactController(self._robot, plan, period=self._period)
            core.take_over(self.core)
            self.core = core


class GuardedLoop(Loop):
    """The controller between its guards, and what watches the pace of its cycles."""

    def __init__(self, robot: Robot, plan: Plan, period: float) -> None:
        """Create all of it."""
        from impact_qp.guarded import GuardedController
        from impact_qp.ros.supervision import CycleWatch

        super().__init__(robot, plan, period)
        self._guarded = GuardedController(self.core)
        self._watch = CycleWatch(period, MOST_MISSED)

    def _answer(
        self, now: int, stamp: int, q: np.ndarray, dq: np.ndarray, impact: bool, ready: bool
    ) -> Command | None:
        if stamp == self._stamp:
            return None
        if stamp < self._stamp:
            self._fail("clock")
            self._watch.resume()
        self._stamp = stamp
        if not self._watch.take(stamp, now * 1e-9):
            return None
        try:
            command = self._guarded.cycle(stamp, q, dq, impact=impact, ready=ready)
        except ControlError:
            return None
        if command is None:
            if not self._silent:
                self._lose(self._guarded.fault)
            return None
        self._watch.answered(0.0)
        if reason := self._guarded.fault or self._watch.problem:
            self._fail(reason)
        return command

    def _fail(self, reason: str) -> None:
        self.fault = self.fault or reason
        self.core.stop()

    def _settle(self) -> Iterator[np.ndarray]:
        return self._guarded.settle()

    def reset(self) -> None:
        """Activate it again."""
        self._guarded.reset()
        self._watch.reset()
        self._forget()

    def change(self, plan: Plan) -> None:
        """Take a goal, unless there is a fault."""
        if not self.fault:
            self._guarded.adopt(ImpactController(self._robot, plan, period=self._period))
            self.core = self._guarded.controller


def make_loop(robot: Robot, plan: Plan, period: float) -> Any:
    """Return the guarded controller in its loop, the bare one where there is no other."""
    guarded = find_spec("impact_qp.guarded") is not None
    return (GuardedLoop if guarded else BareLoop)(robot, plan, period)
