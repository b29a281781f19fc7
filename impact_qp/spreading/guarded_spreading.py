# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The controller by reference spreading between its guards: of states, and of commands."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from impact_qp.control.last_check import LastCheck
from impact_qp.control.state_machine import (
    Action,
    Event,
    Fault,
    Lifecycle,
    MotionState,
    StateMachine,
)
from impact_qp.guards.plausibility import StateGate
from impact_qp.interface import TorqueInterface
from impact_qp.spreading.command import SpreadCommand
from impact_qp.spreading.controller import SpreadingController
from impact_qp.spreading.modes import StopReason

NEAR = 0.05  # largest distance of the arm from the plan's start [rad]
STILL = 0.1  # highest joint speed there [rad/s]
_FAULTS = (StopReason.OVERSPEED, StopReason.AGAIN)  # stops by the controller that are faults


class GuardedSpreading:
    """Answers plausible states with torques that can be sent.

    Attributes:
        controller: between the guards.
        machine: lifecycle, motion and faults; a fault is stored until the next activation.
    """

    def __init__(self, controller: SpreadingController, start: np.ndarray) -> None:
        """Put guards around a controller; nothing is answered before :meth:`activate`.

        Args:
            controller: newly created.
            start: of its plan, shape (n,) [rad].
        """
        self.controller, self._start = controller, start
        self._gate = StateGate(controller.robot)
        self.machine = StateMachine(
            {
                Action.STOP: lambda _: controller.halt(),
                Action.HOLD_ANEW: lambda _: controller.hold_anew(),
                Action.RAMP: self._ramp,
                Action.SILENCE: self._ramp,
            }
        )
        self.machine.take(Event.CONFIGURED)
        self.refusal = ""  # why the arm must not be activated, by its last state
        self._settling: Iterator[np.ndarray] | None = None
        self._start_over()

    def _start_over(self) -> None:
        self.controller.reset()
        self._check = LastCheck(self.controller.robot, TorqueInterface, self.controller.period)
        self._begun = False

    # --- the life cycle -----------------------------------------------------------------------

    @property
    def fault(self) -> str:
        """Why the arm was stopped, "" if it was not."""
        return self.machine.reason

    @property
    def engaged(self) -> bool:
        """Whether the arm is commanded, or may be with its next state."""
        return self.machine.situation.motion is not MotionState.SILENT or self.settling

    @property
    def settling(self) -> bool:
        """Whether commands are ramping to rest, see :meth:`settle`."""
        return self._settling is not None

    @property
    def inactive(self) -> bool:
        """Whether the node is inactive."""
        return self.machine.situation.lifecycle is not Lifecycle.ACTIVE

    def look(self, stamp: int, q: np.ndarray, dq: np.ndarray) -> None:
        """Take a state of an inactive arm, without an answer; arguments as of `accepts`."""
        finding = self._gate.check(stamp, q, dq)
        self.refusal = finding.problem or self._not_at_start(q, dq)

    def activate(self) -> None:
        """Follow the plan from the next state on; the commands are at rest."""
        self._gate.reset()
        self.refusal = ""
        self._start_over()
        self.machine.take(Event.ACTIVATED_TO_MOVE)

    def deactivate(self) -> None:
        """Brake, ramp the commands to rest, and then send nothing."""
        self.machine.take(Event.DEACTIVATED)
        if not self._begun:  # nothing was sent
            self.machine.take(Event.AT_REST)

    def clean_up(self) -> None:
        """Ramp the commands to rest, without states."""
        self.machine.take(Event.CLEANED_UP)

    def stop(self, reason: str) -> None:
        """Brake and hold from the next cycle on; the first reason is stored as the fault."""
        self.machine.take(Event.FAULT, reason)

    def lose(self, reason: str) -> None:
        """Ramp the commands to rest: no usable states arrive."""
        self.machine.take(Event.STATES_LOST, reason)

    # --- answers ------------------------------------------------------------------------------

    def accepts(self, stamp: int, q: np.ndarray, dq: np.ndarray, *, impact: bool = False) -> bool:
        """Take a state to be answered.

        Args:
            stamp: of the measurement [ns].
            q: joint positions, shape (n,) [rad].
            dq: joint velocities, shape (n,) [rad/s].
            impact: an impact is detected.

        Returns:
            False if it must not be answered: states jumped, and are not trusted until the next
            activation, even if they are consistent.

        Raises:
            ControlError: the state is skipped; gives the reason.
        """
        if self.machine.situation.fault is Fault.LATCHED:
            return False
        fault = self._gate.fault_in(stamp, q, dq, impact=impact)
        if fault:
            self.machine.take(Event.DISTRUST, fault)
            return False
        self.machine.take(Event.STATES_BACK)
        return self.machine.situation.answers

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
        if not self.machine.situation.answers:
            return None
        if not self._begun:
            self._begun = True
            if where := self._not_at_start(q, dq):
                self.stop(where)
        command = self.controller.update(time, q, dq, impact=impact)
        if problem := self._check.torque_problem(command, q):
            self.machine.take(Event.DISTRUST, f"command withheld: {problem}")
            return None
        self._note(command)
        return command

    def _note(self, command: SpreadCommand) -> None:
        """Report stops initiated by the controller to the machine."""
        if command.stop is not None and self.machine.situation.motion is MotionState.MOVE:
            faulty = command.stop in _FAULTS
            self.machine.take(Event.FAULT if faulty else Event.FINISHED, command.stop.value)
        if command.held:
            self.machine.take(Event.AT_REST)

    def _not_at_start(self, q: np.ndarray, dq: np.ndarray) -> str:
        """Return why an arm is not at rest where its plan starts, "" if it is."""
        names = self.controller.robot.joint_names
        joint, fast = int(np.argmax(np.abs(q - self._start))), int(np.argmax(np.abs(dq)))
        if (far := abs(q[joint] - self._start[joint])) > NEAR:
            return f"{names[joint]} is {far:.3g} rad from the plan's start, at most {NEAR:g}"
        if abs(dq[fast]) > STILL:
            return f"{names[fast]} moves at {abs(dq[fast]):.3g} rad/s, at most {STILL:g}"
        return ""

    # --- the ramp to rest ---------------------------------------------------------------------

    def _ramp(self, _reason: str) -> None:
        if self._settling is None:
            self._settling = self.controller.settle()

    def settle(self) -> np.ndarray | None:
        """Return the next torque of the ramp to rest, shape (n,) [N.m]; None: nothing.

        The last one is gravity alone.
        """
        if self._settling is None:
            return None
        torque = next(self._settling, None)
        if torque is None:
            self._settling = None
            self.machine.take(Event.RAMPED)
            return None
        self._check.rested(torque)
        return torque
