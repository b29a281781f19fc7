# SPDX-License-Identifier: Apache-2.0
"""One interface for the guarded controller and for the bare one: a state in, what is sent out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from impact_qp import Command, ControlError, ImpactController, Phase, Plan
from impact_robots import Robot

try:
    from impact_qp.guarded import GuardedController
except ImportError:
    GuardedController = None


class Sent(NamedTuple):
    """What leaves in one cycle."""

    values: np.ndarray  # shape (n,), unit of the interface
    phase: Phase
    relaxed: tuple[str, ...]  # limits that gave way


def sent(command: Command, interface: str) -> Sent:
    """Return what a driver of an interface is sent of a command."""
    values = {"torque": command.driver_torque, "velocity": command.velocity}
    return Sent(values.get(interface, command.position), command.phase, command.relaxed)


class BareLoop:
    """The controller by itself, as the node runs it."""

    def __init__(self, robot: Robot, plan: Plan, period: float) -> None:
        """Create the controller."""
        self._robot, self._period = robot, period
        self.core = ImpactController(robot, plan, period=period)

    @property
    def fault(self) -> str:
        """Why it has stopped for good, empty if it has not."""
        return ""

    def cycle(
        self, time: int, q: np.ndarray, dq: np.ndarray, impact: bool, ready: bool
    ) -> Sent | None:
        """Return what is sent for a state at ``time`` [ns], None if nothing is."""
        try:
            command = self.core.update(q, dq, impact=impact, ready=ready)
        except ControlError:
            return None
        return sent(command, self.core.plan.interface)

    def stop(self) -> None:
        """Brake and hold."""
        self.core.stop()

    def reset(self) -> None:
        """Start over."""
        self.core.reset()

    def let_go(self) -> None:
        """Note that the driver was put to rest."""
        self.core.let_go()

    def change(self, plan: Plan) -> None:
        """Take a goal."""
        core = ImpactController(self._robot, plan, period=self._period)
        core.take_over(self.core)
        self.core = core


def make_loop(robot: Robot, plan: Plan, period: float) -> Any:
    """Return the guarded controller in its loop, the bare one where there is no other."""
    return BareLoop(robot, plan, period)
