# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The part that all guarded controllers share: lifecycle, stops, faults and the ramp to rest.

An arm, one of several arms and a humanoid are commanded by different controllers. Whether anything
is commanded at all, and why not, is decided by one state machine for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from impact_qp.control.state_machine import (
    Action,
    Event,
    Fault,
    Lifecycle,
    MotionState,
    StateMachine,
)
from impact_qp.guards.last_check import LastCheck
from impact_qp.guards.plausibility import StateGate
from impact_qp.interface import CommandInterface
from impact_robots.robot import Robot


class Guarded:
    """A controller that commands only while the state machine allows it.

    Attributes:
        machine: lifecycle, motion and faults; a fault is kept until the next activation.
        refusal: why the robot must not be activated, by its last state that was looked at.
    """

    def __init__(self, machine: StateMachine | None = None) -> None:
        """Do what ``machine`` says; none: one of its own."""
        self.machine = StateMachine() if machine is None else machine
        self.machine.actions = {
            Action.RESET: lambda _: self.begin_anew(),
            Action.STOP: lambda _: self._brake(),
            Action.HOLD_ANEW: lambda _: self._hold_anew(),
            Action.RAMP: self._rest,
            Action.SILENCE: self._rest,
        }
        self.refusal = ""

    # --- what a controller implements -----------------------------------------------------------

    def begin_anew(self) -> None:
        """Start over from the measured state."""
        raise NotImplementedError

    def _brake(self) -> None:
        """Brake, then hold."""
        raise NotImplementedError

    def _hold_anew(self) -> None:
        """Hold where the robot is with the next state."""

    def _rest(self, reason: str) -> None:
        """Ramp the commands to rest, without states."""
        raise NotImplementedError

    # --- the situation --------------------------------------------------------------------------

    @property
    def fault(self) -> str:
        """Why the robot was stopped, "" while it was not."""
        return self.machine.reason

    @property
    def fault_kind(self) -> Fault:
        """What that means for it."""
        return self.machine.situation.fault

    @property
    def latched(self) -> bool:
        """Whether states or commands cannot be trusted: nothing is commanded any more."""
        return self.fault_kind is Fault.LATCHED

    @property
    def answers(self) -> bool:
        """Whether states are answered with commands."""
        return self.machine.situation.answers

    @property
    def engaged(self) -> bool:
        """Whether the robot is commanded, or would be if its states were usable."""
        return self.machine.situation.motion is not MotionState.SILENT

    @property
    def inactive(self) -> bool:
        """Whether the node is not active, or no more."""
        return self.machine.situation.lifecycle is not Lifecycle.ACTIVE

    # --- what happens ---------------------------------------------------------------------------

    def deactivate(self) -> None:
        """Brake, ramp the commands to rest, and then send nothing."""
        self.machine.take(Event.DEACTIVATED, "deactivated")

    def clean_up(self, reason: str = "cleaned up") -> None:
        """Ramp the commands to rest, without states."""
        self.machine.take(Event.CLEANED_UP, reason)

    def stop(self, reason: str) -> None:
        """Brake and hold from the next state on; the first reason is kept as the fault."""
        self.machine.take(Event.FAULT, reason)

    def lose(self, reason: str) -> None:
        """Ramp the commands to rest: no usable states come."""
        self.machine.take(Event.STATES_LOST, reason)

    def distrust(self, reason: str) -> None:
        """Ramp the commands to rest: states or commands are not to be trusted any more."""
        self.machine.take(Event.DISTRUST, reason)


class ArmController(Protocol):
    """What a :class:`GuardedArm` needs of its controller."""

    robot: Robot
    period: float  # of control [s]

    @property
    def interface(self) -> CommandInterface:
        """What the arm is sent, and was sent last."""

    def settle(self) -> Iterator[np.ndarray]:
        """Yield what to send, once a period, from the last command to rest, shape (n,) each."""


class GuardedArm(Guarded):
    """An arm's controller between the gate of its states and the check of its commands.

    A ramp to rest sends one command per period, see :meth:`settle`, and answers no states.

    Attributes:
        controller: between the guards.
        resting: reason of the last ramp to rest.
    """

    controller: ArmController

    def __init__(self, controller: ArmController, machine: StateMachine | None = None) -> None:
        """Put guards around a controller; arguments as of :class:`Guarded`."""
        super().__init__(machine)
        self._gate = StateGate(controller.robot)
        self._check = LastCheck(controller.robot, type(controller.interface), controller.period)
        self._settling: Iterator[np.ndarray] | None = None
        self.resting = ""

    def _way_to_rest(self) -> Iterator[np.ndarray]:
        """Return what to send, once a period, until the arm is at rest, shape (n,) each."""
        raise NotImplementedError

    def _not_at_start(self, q: np.ndarray, dq: np.ndarray) -> str:
        """Return why the motion cannot start with a state, (n,) [rad, rad/s]; "": it can."""
        return ""

    @property
    def engaged(self) -> bool:
        """Whether the arm is commanded, or would be if its states were usable."""
        return super().engaged or self.settling

    @property
    def settling(self) -> bool:
        """Whether commands ramp to rest, see :meth:`settle`."""
        return self._settling is not None

    @property
    def doubts(self) -> bool:
        """Whether the states are still implausible, or were a moment ago."""
        return self._gate.doubts

    def look(self, time: int, q: np.ndarray, dq: np.ndarray) -> None:
        """Take a state that is not answered, of an inactive arm; arguments as of `accepts`.

        Raises:
            ControlError: the state is passed over; says why.
        """
        doubted = self.doubts
        fault = self._gate.fault_in(time, q, dq)
        if not (fault and doubted):  # else the first reason says more
            self.refusal = fault or self._not_at_start(q, dq)

    def accepts(self, time: int, q: np.ndarray, dq: np.ndarray, *, impact: bool = False) -> bool:
        """Take a state that is to be answered.

        Args:
            time: of the measurement [ns].
            q: joint positions, shape (n,) [rad].
            dq: joint velocities, shape (n,) [rad/s].
            impact: an impact is detected.

        Returns:
            False if it must not be answered: states jumped, and are not trusted until the next
            activation, even if they are consistent; or the commands ramp to rest.

        Raises:
            ControlError: the state is passed over; says why.
        """
        if fault := self._gate.fault_in(time, q, dq, impact=impact):
            self.distrust(fault)
        elif self.answers:
            return True
        else:
            self.machine.take(Event.STATES_BACK)
        return self.answers

    def _note(self, *, stands: bool, held: bool, fault: str = "", ended: str = "") -> None:
        """Tell the machine what the controller does by itself.

        Args:
            stands: it brakes or holds.
            held: it holds.
            fault: why that is a fault, "" if it is none.
            ended: why it stands, where that is no fault.
        """
        if fault and not self.fault:
            self.machine.take(Event.FAULT, fault)
        motion = self.machine.situation.motion
        if stands and motion is MotionState.MOVE:
            self.machine.take(Event.FINISHED, ended)
        if held:
            self.machine.take(Event.AT_REST, "deactivated")
        elif stands and motion is MotionState.HOLD:
            self.machine.take(Event.PUSHED)

    # --- the ramp to rest ------------------------------------------------------------------------

    def _rest(self, reason: str) -> None:
        if self._settling is None:
            self.resting, self._settling = reason, self._way_to_rest()

    def settle(self) -> np.ndarray | None:
        """Return the next command of the ramp to rest, shape (n,); None: nothing.

        Torques end with gravity alone, velocities with zero, positions where the arm stands.
        """
        if self._settling is None:
            return None
        values = next(self._settling, None)
        if values is not None:
            self._check.rested(values)
            return values
        self._settling = None
        self._check.begin_anew()
        self.machine.take(Event.RAMPED)
        return None
