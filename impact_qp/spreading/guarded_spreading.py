# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The controller by reference spreading between its guards: of its states, and of its commands."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from impact_qp.control.last_check import LastCheck
from impact_qp.control.plausibility import StateGate
from impact_qp.spreading.command import SpreadCommand
from impact_qp.spreading.controller import SpreadingController

NEAR = 0.05  # of where the plan starts, where the arm must be [rad]
STILL = 0.1  # at most as fast, there [rad/s]


class GuardedSpreading:
    """Answers states that can be believed with torques that can be sent.

    Attributes:
        controller: in between.
        fault: why the arm was stopped, "" while it was not.
    """

    def __init__(self, controller: SpreadingController, start: np.ndarray) -> None:
        """Put guards around a controller.

        Args:
            controller: as it was made.
            start: where its plan starts, shape (n,) [rad].
        """
        self.controller, self._start = controller, start
        self._gate = StateGate(controller.robot)
        self.reset()

    def reset(self) -> None:
        """Start over, as of an activation; what is known of the states stays."""
        self.controller.reset()
        self._check = LastCheck(self.controller.robot, "torque", self.controller.period)
        self.fault, self._broken, self._begun = "", False, False

    def stop(self, reason: str) -> None:
        """Brake and hold from the next cycle on; the first reason is kept as the fault."""
        self.fault = self.fault or reason
        self.controller.halt()

    def accepts(self, stamp: int, q: np.ndarray, dq: np.ndarray, *, impact: bool = False) -> bool:
        """Take a state, also one that is not to be answered.

        Args:
            stamp: of the measurement [ns].
            q: joint positions, shape (n,) [rad].
            dq: joint velocities, shape (n,) [rad/s].
            impact: the detector holds that the arm has hit something.

        Returns:
            False if there is a fault: the arm is to be brought to rest by :meth:`settle`.

        Raises:
            ControlError: the state is passed over; says why.
        """
        fault = self._gate.fault_in(stamp, q, dq, impact=impact)
        if fault:
            self.stop(fault)
        return not fault

    def answer(
        self, time: float, q: np.ndarray, dq: np.ndarray, *, impact: bool = False
    ) -> SpreadCommand | None:
        """Return the command for a state that was accepted, none if it must not be sent.

        Args:
            time: of the plan [s].
            q: joint positions, shape (n,) [rad].
            dq: joint velocities, shape (n,) [rad/s].
            impact: the detector holds that the arm has hit something.
        """
        if self._broken:
            return None
        if not self._begun:
            self._begun = True
            self._look_at_start(q, dq)
        command = self.controller.update(time, q, dq, impact=impact)
        if problem := self._check.torque_problem(command, q):
            self._broken = True
            self.stop(f"command withheld: {problem}")
            return None
        return command

    def _look_at_start(self, q: np.ndarray, dq: np.ndarray) -> None:
        """Stop an arm that is not at rest where its plan starts."""
        names = self.controller.robot.joint_names
        joint, fast = int(np.argmax(np.abs(q - self._start))), int(np.argmax(np.abs(dq)))
        if (far := abs(q[joint] - self._start[joint])) > NEAR:
            self.stop(f"{names[joint]} is {far:.3g} rad from the plan's start, at most {NEAR:g}")
        elif abs(dq[fast]) > STILL:
            self.stop(f"{names[fast]} moves at {abs(dq[fast]):.3g} rad/s, at most {STILL:g}")

    def settle(self) -> Iterator[np.ndarray]:
        """Yield what to send, once a period, until gravity alone is left, shape (n,) each."""
        for torque in self.controller.settle():
            yield torque
            self._check.rested(torque)
