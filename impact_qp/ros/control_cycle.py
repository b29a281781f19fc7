# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One control cycle: from a joint state to the command that answers it."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
from sensor_msgs.msg import JointState

from impact_msgs.msg import ControllerStatus, DetectorStatus
from impact_qp.control.command import Command
from impact_qp.control.guarded import GuardedController
from impact_qp.control.status import BLIND, command_fields, remark
from impact_qp.ros.inputs import Inputs
from impact_qp.ros.messages import status_message
from impact_qp.ros.outputs import Outputs
from impact_qp.ros.safe_stop import SafeStop
from impact_qp.ros.stamp_steps import StampSteps
from impact_qp.ros.supervision import CycleWatch
from impact_robots.exceptions import ImpactError
from impact_ros.messages import to_nanoseconds
from impact_ros.node.throttled_log import ThrottledLog

SPARE = 0.6  # of a period after a state, when deferrable work must have begun [-]

# stamp of the state [ns], its q and dq (n,), the command, its status, the detector is ready
OnAnswer = Callable[[int, np.ndarray, np.ndarray, Command, ControllerStatus, bool], None]


class ControlCycle:
    """Answers states at the rate of the controller; in lockstep each after its detection status.

    Attributes:
        idle: activated, without any motion so far.
        steps: of the states' stamps, in lockstep.
    """

    def __init__(
        self,
        guarded: GuardedController,
        watch: CycleWatch,
        inputs: Inputs,
        outputs: Outputs,
        safe_stop: SafeStop,
        *,
        lockstep: bool,
        on_answer: OnAnswer,
        logger: Any,
    ) -> None:
        """Answer the states in ``inputs`` through ``outputs``.

        Args:
            guarded: the controller.
            watch: of the cycles' pace.
            inputs: states and detection status.
            outputs: commands and reports.
            safe_stop: for faults.
            lockstep: a state is answered after its detection status, and again when repeated.
            on_answer: called after each answer.
            logger: of the node.
        """
        self._guarded, self._watch, self._inputs, self._outputs = guarded, watch, inputs, outputs
        self._safe_stop, self._lockstep = safe_stop, lockstep
        self._on_answer, self._log = on_answer, ThrottledLog(logger)
        self.steps = StampSteps(guarded.controller.period)
        self._spare = SPARE * guarded.controller.period
        self.reset()

    def reset(self) -> None:
        """Restart without any state."""
        self.idle = False
        self._pending: JointState | None = None
        self._received = 0.0  # arrival of the pending state [s of ``time.perf_counter``]

    def take_state(self, message: JointState) -> None:
        """Take a state, and answer it unless its detection status is still to come.

        Raises:
            ImpactError: the state is unusable.
        """
        stamp, safe_stop = to_nanoseconds(message.header.stamp), self._safe_stop
        if self._lockstep:
            self.steps.take(stamp)
        if not safe_stop.engaged:
            self._look_at(message, stamp)
            return
        if stamp == safe_stop.stamp:
            self._take_repeated()
            return
        if not self._lockstep:
            safe_stop.look()  # first call after a pause: this or the watchdog
        if stamp < safe_stop.stamp:
            safe_stop.jump_back(stamp)
        self._pending, self._received = message, time.perf_counter()
        if not self._lockstep or self._inputs.judged(message):
            self._answer(message, stamp)

    def _look_at(self, message: JointState, stamp: int) -> None:
        """Take a state without answering it: the position of the arm before an activation."""
        q, dq = self._inputs.read(message)
        if self._guarded.accepts(stamp, q, dq):
            self._inputs.take_state(q, dq, stamp)

    def _take_repeated(self) -> None:
        """Answer a repeated state in lockstep, where answers may be lost, as before.

        Elsewhere a repeated stamp means that the driver has stalled; the time-out goes on.
        """
        if self._lockstep:
            self._outputs.repeat_answer()

    def drop_state(self, _reason: str) -> None:
        """Count an unusable state."""
        self._watch.counts.dropped += 1

    def take_status(self, message: DetectorStatus) -> None:
        """Take the detection status; in lockstep, answer the state that waits for it.

        Raises:
            ImpactError: the status is unusable.
        """
        to_nanoseconds(message.header.stamp)
        self._inputs.take_status(message)
        waits = self._safe_stop.engaged and self._lockstep
        if waits and self._pending is not None and self._inputs.judged(self._pending):
            self._answer(self._pending, to_nanoseconds(self._pending.header.stamp))

    def _answer(self, message: JointState, stamp: int) -> None:
        """Compute and send the command for one state."""
        started = time.perf_counter()
        self._pending = None
        if (answer := self._command(message, stamp)) is None:
            return
        command, q, dq = answer
        self._safe_stop.notice(self._guarded.fault)
        status = self._send(message.header.stamp, command, time.perf_counter() - started)
        self._safe_stop.answered(stamp, command.phase)
        self._on_answer(stamp, q, dq, command, status, self._inputs.impact(stamp))
        self._guarded.catch_up(inf if self._lockstep else self._received + self._spare)

    def _command(
        self, message: JointState, stamp: int
    ) -> tuple[Command, np.ndarray, np.ndarray] | None:
        """Return the command for a state, with its q and dq; None if nothing new must be sent."""
        impact = self._inputs.impact(stamp)
        try:
            q, dq = self._inputs.read(message)
            command = None
            if self._guarded.accepts(stamp, q, dq, impact=impact):
                if not self._is_due(stamp):
                    return None
                self._safe_stop.usable()
                self._safe_stop.notice(self.steps.problem or self._watch.problem)
                ready = not self._waits_for(stamp)
                command = self._guarded.answer(stamp, q, dq, impact=impact, ready=ready)
        except ImpactError as error:
            self.drop_state("")
            self._log.warning(f"joint_states dropped: {error}")
            return None
        if command is None:
            self._safe_stop.distrust(stamp)
            return None
        self._inputs.take_state(q, dq, stamp)
        return command, q, dq

    def _is_due(self, stamp: int) -> bool:
        """Tell whether a state must be answered, or arrived faster than the rate."""
        return self._lockstep or self._watch.take(stamp, self._received)

    def _waits_for(self, stamp: int) -> str:
        """Return why the arm may not approach at a state's stamp [ns], "" if it may."""
        if not self._inputs.ready(stamp):
            return BLIND
        known = self.steps.right or not self._lockstep
        return "" if known else "waiting: the step of the states' stamps is not known"

    def _send(self, stamp: Any, command: Command, solve_time: float) -> ControllerStatus:
        """Send a command, computed in ``solve_time`` [s], and its reports; return the status."""
        controller, outputs, counts = self._guarded.controller, self._outputs, self._watch.counts
        outputs.begin_answer(controller.interface.values(command), stamp)
        cycle_time = outputs.sent - self._received
        if not self._lockstep:
            self._watch.answered(cycle_time)
        counts.infeasible += bool(command.relaxed)
        status = self._status(command, stamp)
        status.solve_time, status.cycle_time = solve_time, cycle_time
        outputs.announce(command.due, controller.plan, stamp)
        motion = {"velocity": command.velocity, "effort": command.reference_torque}
        outputs.finish_answer(status, stamp, **motion)
        return status

    def _status(self, command: Command, stamp: Any) -> ControllerStatus:
        """Return the status of a command, without its computation times."""
        self._watch.counts.note = command.note
        return status_message(
            self._watch.counts,
            remark(
                command,
                fault=self._safe_stop.fault,
                waits=self._waits_for(to_nanoseconds(stamp)),
            ),
            stamp,
            fault=self._safe_stop.fault_kind,
            limits=self._guarded.controller.plan.impact_limits,
            **command_fields(command, idle=self.idle),
        )
