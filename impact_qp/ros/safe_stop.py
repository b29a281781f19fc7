# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Stops by the state machine: brake while states arrive, ramp to rest without, then silence."""

from __future__ import annotations

from typing import Any

from impact_qp.control.guarded import GuardedController
from impact_qp.control.phases import Phase
from impact_qp.control.state_machine import (
    Action,
    Event,
    Fault,
    Lifecycle,
    MotionState,
    StateMachine,
)
from impact_qp.ros.inputs import Inputs
from impact_qp.ros.messages import status_message
from impact_qp.ros.outputs import Outputs
from impact_qp.ros.supervision import CycleWatch
from impact_ros.messages import from_nanoseconds


class SafeStop:
    """Reports events to the state machine, and executes its stops.

    Attributes:
        stamp: of the state answered last [ns], -1 before the first.
        state_timeout: age of state or detection status that is a fault [s].
    """

    def __init__(
        self,
        machine: StateMachine,
        guarded: GuardedController,
        watch: CycleWatch,
        inputs: Inputs,
        outputs: Outputs,
        *,
        state_timeout: float,
        logger: Any,
    ) -> None:
        """Stop the arm of ``guarded``.

        Args:
            machine: state machine of the node.
            guarded: the controller.
            watch: of its cycles.
            inputs: with the watched ages.
            outputs: for the rest commands.
            state_timeout: age of state or detection status that is a fault [s].
            logger: of the node.
        """
        self._machine = machine
        self._guarded, self._watch, self._inputs, self._outputs = guarded, watch, inputs, outputs
        self.state_timeout, self._logger = state_timeout, logger
        self.reset()

    def reset(self) -> None:
        """Restart with no command sent."""
        self.stamp = -1

    def actions(self) -> dict[Action, Any]:
        """Return the implementations of the stopping actions, each called with the reason."""
        return {
            Action.STOP: lambda reason: self._guarded.stop(),
            Action.RAMP: self._ramp,
            Action.SILENCE: self._rest,
        }

    # --- the situation ------------------------------------------------------------------------

    @property
    def active(self) -> bool:
        """Whether the controller may move the arm."""
        return self._machine.situation.lifecycle is Lifecycle.ACTIVE

    @property
    def engaged(self) -> bool:
        """Whether states are answered, or would be if usable."""
        return self._machine.situation.motion is not MotionState.SILENT

    @property
    def resting(self) -> bool:
        """Whether the commands were ramped to rest, because no usable state arrives."""
        return self._machine.situation.motion in (MotionState.RAMP, MotionState.REST)

    @property
    def fault(self) -> str:
        """Why the arm was stopped, "" if it was not."""
        return self._machine.reason

    @property
    def fault_kind(self) -> Fault:
        """The fault code of the stop."""
        return self._machine.situation.fault

    # --- what happens -------------------------------------------------------------------------

    def answered(self, stamp: int, phase: Phase) -> None:
        """Report that the state with that stamp [ns] has a command, of a phase."""
        self.stamp = stamp
        motion = self._machine.situation.motion
        if motion is MotionState.MOVE and phase.stands:
            motion = self._take(Event.FINISHED)
        if motion is MotionState.BRAKE and phase is Phase.HOLD:
            self._take(Event.AT_REST)
        elif motion is MotionState.HOLD and phase is Phase.BRAKE:
            self._take(Event.PUSHED)

    def usable(self) -> None:
        """Report a usable state, which may be the first one for a while."""
        if self.resting:
            self._take(Event.STATES_BACK)

    def look(self) -> None:
        """Stop if states or detection status stop arriving."""
        if not self._machine.situation.answers:
            return
        state_age, status_age = self._inputs.state_age, self._inputs.status_age
        if state_age > self.state_timeout:
            self.lose_states(f"no joint state for {state_age:.3f} s")
        elif self.active and not self.fault and status_age > self.state_timeout:
            self._fault(f"no detector status for {status_age:.3f} s")

    def notice(self, problem: str) -> None:
        """Stop for a problem: too many missed cycles, or a refused approach."""
        if problem and self.active and not self.fault:
            self._fault(problem)

    def jump_back(self, stamp: int) -> None:
        """Stop because the clock jumped back to ``stamp`` [ns]; later stamps count from there."""
        self._fault(f"clock jumped back by {(self.stamp - stamp) * 1e-9:.3f} s")
        self._watch.resume()
        self.stamp = stamp - 1  # one jump, one stop

    def distrust(self, stamp: int) -> None:
        """Ramp the arm to rest: its states are not trusted, or a command is invalid."""
        self._watch.counts.dropped += 1
        if self._machine.situation.fault is not Fault.LATCHED:
            self.stamp = stamp
            self._say_stopped(self._guarded.fault)
            self._take(Event.DISTRUST, self._guarded.fault)

    def lose_states(self, reason: str) -> None:
        """Ramp the arm to rest: a driver would hold the last command in any case."""
        self._say_stopped(reason)
        self._take(Event.STATES_LOST, reason)

    def _fault(self, reason: str) -> None:
        self._say_stopped(reason)
        self._take(Event.FAULT, reason)

    def _say_stopped(self, reason: str) -> None:
        if self.active and not self.fault:
            self._logger.error(f"stopped: {reason}; deactivate and activate to go on")

    def _take(self, event: Event, reason: str = "") -> MotionState:
        self._machine.take(event, reason)
        return self._machine.situation.motion

    # --- what is done -------------------------------------------------------------------------

    def _ramp(self, reason: str) -> None:
        self._guarded.stop()
        self._rest(reason)
        self._take(Event.RAMPED)

    def _rest(self, reason: str) -> None:
        """Ramp the commands to rest at the robot's rate limits; takes a tenth of a second."""
        controller, stamp = self._guarded.controller, from_nanoseconds(max(self.stamp, 0))
        limits = controller.plan.impact_limits
        status = status_message(
            self._watch.counts, reason, stamp, fault=self.fault_kind, limits=limits
        )
        self._outputs.announce(False, controller.plan, stamp)
        self._outputs.report(status)
        self._outputs.send_in_steps(self._guarded.settle(), stamp, controller.period)
        self._watch.resume()
