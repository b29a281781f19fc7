# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The controller by reference spreading between its guards: of states, and of commands."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from impact_qp.control.guarded_arm import GuardedArm
from impact_qp.control.state_machine import Event
from impact_qp.guards.last_check import LastCheck
from impact_qp.interface import TorqueInterface
from impact_qp.spreading.command import SpreadCommand
from impact_qp.spreading.controller import SpreadingController
from impact_qp.spreading.modes import StopReason

NEAR = 0.05  # largest distance of the arm from the plan's start [rad]
STILL = 0.1  # highest joint speed there [rad/s]
_FAULTS = (StopReason.OVERSPEED, StopReason.AGAIN)  # stops by the controller that are faults


class GuardedSpreading(GuardedArm):
    """Answers plausible states with torques that can be sent.

    Attributes:
        controller: between the guards.
    """

    controller: SpreadingController

    def __init__(self, controller: SpreadingController, start: np.ndarray) -> None:
        """Put guards around a controller; nothing is answered before :meth:`activate`.

        Args:
            controller: newly created.
            start: of its plan, shape (n,) [rad].
        """
        super().__init__(controller)
        self.controller, self._start = controller, start
        self.begin_anew()
        self.machine.take(Event.CONFIGURED)

    def begin_anew(self) -> None:
        """Restart; earlier states are discarded."""
        self.controller.reset()
        self._gate.reset()
        self._check = LastCheck(self.controller.robot, TorqueInterface, self.controller.period)
        self.refusal, self._begun = "", False

    def _brake(self) -> None:
        self.controller.halt()

    def _hold_anew(self) -> None:
        self.controller.hold_anew()

    def _way_to_rest(self) -> Iterator[np.ndarray]:
        self.controller.halt()
        return self.controller.settle()

    def activate(self) -> None:
        """Follow the plan from the next state on; the commands are at rest."""
        self.machine.take(Event.ACTIVATED_TO_MOVE)

    def deactivate(self) -> None:
        """Brake, ramp the commands to rest, and then send nothing."""
        super().deactivate()
        if not self._begun:  # nothing was sent
            self.machine.take(Event.AT_REST, "deactivated")

    # --- answers ------------------------------------------------------------------------------

    def answer(
        self, time: float, q: np.ndarray, dq: np.ndarray, *, impact: bool = False
    ) -> SpreadCommand | None:
        """Return the command for an accepted state, None if it must not be sent.

        Args:
            time: of the plan [s].
            q: joint positions, shape (n,) [rad].
            dq: joint velocities, shape (n,) [rad/s].
            impact: an impact is detected.
        """
        if not self.answers:
            return None
        if not self._begun:
            self._begun = True
            if where := self._not_at_start(q, dq):
                self.stop(where)
        command = self.controller.update(time, q, dq, impact=impact)
        if problem := self._check.torque_problem(command, q):
            self.distrust(f"command withheld: {problem}")
            return None
        ended = "" if command.stop is None else command.stop.value
        faulty = command.stop in _FAULTS
        self._note(
            stands=bool(ended), held=command.held, fault=ended if faulty else "", ended=ended
        )
        return command

    def _not_at_start(self, q: np.ndarray, dq: np.ndarray) -> str:
        """Return why an arm is not at rest where its plan starts, "" if it is."""
        names = self.controller.robot.joint_names
        joint, fast = int(np.argmax(np.abs(q - self._start))), int(np.argmax(np.abs(dq)))
        if (far := abs(q[joint] - self._start[joint])) > NEAR:
            return f"{names[joint]} is {far:.3g} rad from the plan's start, at most {NEAR:g}"
        if abs(dq[fast]) > STILL:
            return f"{names[fast]} moves at {abs(dq[fast]):.3g} rad/s, at most {STILL:g}"
        return ""
