# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What stops the arm, and how: it brakes while states arrive, and is brought to rest without."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from impact_msgs.msg import ControllerStatus
from impact_qp.control.guarded import GuardedController
from impact_qp.ros.goal import INPUT_LOST, End
from impact_qp.ros.inputs import Inputs
from impact_qp.ros.messages import status_message
from impact_qp.ros.outputs import Outputs
from impact_qp.ros.supervision import CycleWatch
from impact_ros.messages import from_nanoseconds


class SafeStop:
    """Stops the arm for a fault, until it is activated again.

    Attributes:
        active: the controller may move the arm.
        engaged: it has commanded the arm since the configuration; states are answered.
        fault: why the arm was stopped, "" while it was not.
        resting: no usable state comes; the arm was brought to rest.
        stamp: of the state answered last [ns], -1 before the first.
        state_timeout: age of state or verdict that is a fault [s].
    """

    def __init__(
        self,
        guarded: GuardedController,
        watch: CycleWatch,
        inputs: Inputs,
        outputs: Outputs,
        *,
        state_timeout: float,
        end_goal: Callable[[End], None],
        logger: Any,
    ) -> None:
        """Stop what ``guarded`` controls.

        Args:
            guarded: the controller.
            watch: of its cycles.
            inputs: whose ages are watched.
            outputs: by which the arm is brought to rest.
            state_timeout: age of state or verdict that is a fault [s].
            end_goal: ends the goal that is carried out, if any.
            logger: of the node.
        """
        self._guarded, self._watch, self._inputs, self._outputs = guarded, watch, inputs, outputs
        self.state_timeout = state_timeout
        self._end_goal, self._logger = end_goal, logger
        self.active = False
        self.reset()

    def reset(self) -> None:
        """Start without fault, and from no command sent."""
        self.engaged = self.resting = False
        self.fault, self.stamp = "", -1

    def activate(self) -> None:
        """Let the controller move the arm from the next state on, without a fault so far."""
        self.reset()
        self.active = self.engaged = True

    def answered(self, stamp: int) -> None:
        """Note that the state with that stamp [ns] has a command."""
        self.stamp, self.resting = stamp, False

    def look(self) -> None:
        """Stop when the states or the detector fall silent."""
        if not self.engaged or self.resting:
            return
        state_age, verdict_age = self._inputs.state_age, self._inputs.verdict_age
        if state_age > self.state_timeout:
            self.lose_states(f"no joint state for {state_age:.3f} s")
        elif self.active and not self.fault and verdict_age > self.state_timeout:
            self.stop(f"no detector status for {verdict_age:.3f} s")

    def notice(self, problem: str) -> None:
        """Stop for a problem: too many cycles missed, or an approach that must not begin."""
        if problem and self.active and not self.fault:
            self.stop(problem)

    def jump_back(self, stamp: int) -> None:
        """Stop because the clock jumped back to ``stamp`` [ns]; from there on it counts anew."""
        self.stop(f"clock jumped back by {(self.stamp - stamp) * 1e-9:.3f} s")
        self._watch.resume()
        self.stamp = stamp - 1  # one jump, one stop

    def distrust(self, stamp: int) -> None:
        """Bring the arm to rest: its states are not believed, or a command must not be sent."""
        self._watch.counts.dropped += 1
        if not self.resting:
            self.stamp = stamp
            self.lose_states(self._guarded.fault)

    def lose_states(self, reason: str) -> None:
        """Bring the arm to rest: a driver would hold the last command, whatever the arm does."""
        if self.active:
            self.stop(reason)
        self.resting = True
        self.rest(reason)

    def stop(self, reason: str) -> None:
        """Brake and hold until the node is activated again."""
        self.fault = reason
        self._guarded.stop()
        self._end_goal(End(INPUT_LOST, reason))
        self._logger.error(f"stopped: {reason}; deactivate and activate to go on")

    def rest(self, reason: str) -> None:
        """Bring the arm to rest at the robot's rate limits; takes a tenth of a second."""
        controller, stamp = self._guarded.controller, from_nanoseconds(max(self.stamp, 0))
        status = status_message(controller.plan, self._watch.counts, reason, stamp)
        status.mode = ControllerStatus.MODE_STOPPED
        self._outputs.announce(False, controller.plan, stamp)
        self._outputs.report(status)
        self._outputs.send_in_steps(self._guarded.settle(), stamp, controller.period)
        self._watch.resume()
