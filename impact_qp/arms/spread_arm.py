# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One arm of several that act on one object: states in, commands out, with guards."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState

from impact_msgs.msg import DetectorStatus
from impact_qp.arms.plan_start import PlanStart
from impact_qp.ros.inputs import Inputs
from impact_qp.ros.outputs import Outputs
from impact_qp.ros.spread_status import spread_status
from impact_qp.ros.stamp_steps import StampSteps
from impact_qp.ros.supervision import CycleWatch
from impact_qp.spreading.guarded_spreading import GuardedSpreading
from impact_robots.exceptions import ImpactError
from impact_ros.messages import from_nanoseconds, to_nanoseconds
from impact_ros.node.boundary import guarded
from impact_ros.node.throttled_log import ThrottledLog
from impact_ros.qos import LOCKSTEP, SENSOR

STATES, DETECTIONS = "joint_states", "impact_detector/status"


class SpreadWatching(Protocol):
    """Parameters of when an arm is stopped."""

    state_timeout: float
    max_consecutive_missed: int
    lockstep: bool
    evidence_age: float


class SpreadArm:
    """Topics, watches and the guarded controller of one arm.

    Attributes:
        name: namespace of its topics; empty: the node's.
        stamp: of the state answered last [ns], -1 before the first.
    """

    def __init__(
        self,
        node: Node,
        name: str,
        control: GuardedSpreading,
        start: PlanStart,
        watching: SpreadWatching,
        on_stop: Callable[[str, str], None],
        on_wait: Callable[[], None],
    ) -> None:
        """Create the arm's topics.

        Args:
            node: that owns them.
            name: namespace of the topics; empty: the node's.
            control: the arm's controller.
            start: of the plan of all arms.
            watching: when to stop.
            on_stop: called with the name of an arm that stops, and the reason.
            on_wait: called when a state is ready to be answered.
        """
        robot, controller = control.controller.robot, control.controller
        self.name, self._node, self._control, self._plan_start = name, node, control, start
        self._log = ThrottledLog(node.get_logger())
        self._watching, self._on_stop, self._on_wait = watching, on_stop, on_wait
        self.watch = CycleWatch(controller.period, watching.max_consecutive_missed)
        self._inputs = Inputs(robot, watching.evidence_age)
        self._steps = StampSteps(controller.period)
        prefix, profile = f"{name}/" if name else "", LOCKSTEP if watching.lockstep else SENSOR
        self._outputs = Outputs(
            node, robot, "torque", lockstep=watching.lockstep, prefix=f"{prefix}impact_qp"
        )
        self._listeners = [
            node.create_subscription(
                kind, prefix + topic, guarded(node, prefix + topic, *take), profile
            )
            for kind, topic, *take in (
                (JointState, STATES, self._take_state, self._drop),
                (DetectorStatus, DETECTIONS, self._take_status, None),
            )
        ]
        self._begin()

    def _begin(self) -> None:
        self.stamp, self._received = -1, 0.0
        self._pending: JointState | None = None

    # --- the life cycle -----------------------------------------------------------------------

    @property
    def fault(self) -> str:
        """Why the arm was stopped, "" while it was not."""
        return self._control.fault

    @property
    def diagnosis(self) -> str:
        """The fault, and what the model does not explain."""
        return "; ".join(each for each in (self.fault, self.watch.counts.note) if each)

    @property
    def refusal(self) -> str:
        """Why the arm must not be activated, "" if it may, by its last state if that is fresh."""
        known = self._watching.lockstep or self._inputs.state_age <= self._watching.state_timeout
        return f"{self._label}{self._control.refusal}" if known and self._control.refusal else ""

    def activate(self) -> None:
        """Follow the plan from the next state on."""
        self._control.activate()
        for part in (self.watch, self._inputs, self._outputs):
            part.reset()
        self._begin()

    def deactivate(self) -> None:
        """Brake, come to rest, and then send nothing."""
        self._control.deactivate()
        self._pending = None if not self._control.engaged else self._pending

    def rest(self, reason: str) -> None:
        """Begin to come to rest without states if the arm still brakes, see `settle`."""
        self._control.lose(reason)

    def release(self, reason: str) -> None:
        """Begin to come to rest without states, see `settle`."""
        if self._control.engaged:
            self._report(reason)
        self._control.clean_up()

    def destroy(self) -> None:
        """Destroy the topics."""
        for subscription in self._listeners:
            self._node.destroy_subscription(subscription)
        self._outputs.destroy()

    # --- what arrives -------------------------------------------------------------------------

    def _take_state(self, message: JointState) -> None:
        stamp, arrival = to_nanoseconds(message.header.stamp), time.perf_counter()
        self._plan_start.known(self.name, stamp, arrival)
        if not self._control.engaged:
            q, dq = self._inputs.read(message)
            self._inputs.take_state(q, dq, stamp)
            self._control.look(stamp, q, dq)
            return
        if stamp == self.stamp:
            if self._watching.lockstep:
                self._outputs.repeat_answer()
            return
        if self._watching.lockstep:
            self._steps.take(stamp)
        else:
            self.look()
        if stamp < self.stamp:
            self.stop(f"clock jumped back by {(self.stamp - stamp) * 1e-9:.3f} s")
            self.watch.resume()
        self._pending, self._received = message, arrival
        self._plan_start.arrived(self.name, stamp, sees=self._inputs.ready(stamp))
        self._on_wait()

    def _take_status(self, message: DetectorStatus) -> None:
        to_nanoseconds(message.header.stamp)
        self._inputs.take_status(message)
        if self._control.engaged and self._watching.lockstep:
            self._on_wait()

    def _drop(self, _reason: str) -> None:
        self.watch.counts.dropped += 1

    # --- what is answered ---------------------------------------------------------------------

    @property
    def waits(self) -> bool:
        """Whether a state is to be answered: in lockstep once its detection status has arrived."""
        message = self._pending
        if message is None or self._control.settling or not self._plan_start.ready:
            return False
        return not self._watching.lockstep or self._inputs.judged(message)

    @property
    def pending(self) -> int | None:
        """Stamp of the state that waits [ns], none if none does."""
        message = self._pending
        return None if message is None else to_nanoseconds(message.header.stamp)

    @property
    def newest(self) -> int | None:
        """Stamp of the last usable state, None before the first [ns]."""
        return self._inputs.newest

    @property
    def resting(self) -> bool:
        """Whether the arm is not commanded, or no more."""
        return not self._control.machine.situation.answers

    def answer_pending(self) -> None:
        """Answer the state that waits, if one does."""
        message = self._pending
        if message is None or not self.waits:
            return
        self._pending, stamp = None, to_nanoseconds(message.header.stamp)
        impact, before = self._inputs.impact(stamp), self.fault
        try:
            q, dq = self._inputs.read(message)
            believed = self._control.accepts(stamp, q, dq, impact=impact)
        except ImpactError as error:
            self._drop("")
            self._log.warning(f"{self._label}joint_states dropped: {error}")
            return
        if not believed:
            self._drop("")
        elif self._watching.lockstep or self.watch.take(stamp, self._received):
            self._answer(message.header.stamp, stamp, q, dq, impact)
        self._tell_others(before)
        if self._control.settling:
            self.stamp = max(stamp, self.stamp)
            self._report(self.fault or "deactivated")

    def _answer(
        self, header_stamp: Any, stamp: int, q: np.ndarray, dq: np.ndarray, impact: bool
    ) -> None:
        """Compute and send the command for a state."""
        started, when = time.perf_counter(), self._plan_start.time(self.name, stamp)
        if problem := self._steps.problem or self.watch.problem or self._blind(when, stamp):
            self._control.stop(problem)
        command = self._control.answer(when, q, dq, impact=impact)
        solved = time.perf_counter()
        if command is None:
            return
        self._outputs.begin_answer(command.driver_torque, header_stamp)
        self._inputs.take_state(q, dq, stamp)
        self.stamp, self.watch.counts.note = stamp, command.note
        self.watch.counts.infeasible += not command.solved
        text = self.diagnosis or ("deactivated" if self._control.inactive else "")
        fault = self._control.machine.situation.fault
        status = spread_status(command, self.watch.counts, text, header_stamp, fault)
        status.solve_time = solved - started
        status.cycle_time = self._outputs.sent - self._received
        motion = {"velocity": command.joint_velocity, "effort": command.reference_torque}
        self._outputs.finish_answer(status, header_stamp, **motion)
        if not self._watching.lockstep:
            self.watch.answered(status.cycle_time)

    def _blind(self, when: float, stamp: int) -> str:
        """Return why the arm must not continue towards its impact, "" if it may."""
        waits = self._control.controller.impact_time is None
        if not waits or self._plan_start.may_be_blind(when) or self._inputs.ready(stamp):
            return ""
        return f"no status of a ready detector within {self._watching.evidence_age:g} s"

    def _tell_others(self, before: str) -> None:
        """Report a new fault to the other arms."""
        if self.fault and not before:
            self._on_stop(self.name, self.fault)

    # --- what stops ---------------------------------------------------------------------------

    @property
    def _label(self) -> str:
        return f"{self.name}/" if self.name else ""

    def look(self) -> None:
        """Stop if states or detection status stop arriving; outside lockstep."""
        if self.resting or not self._plan_start.ready:
            return
        states, verdicts = self._inputs.state_age, self._inputs.status_age
        if states > self._watching.state_timeout:
            self._lose(f"no joint state for {states:.3f} s")
        elif verdicts > self._watching.state_timeout and not self.fault:
            self.stop(f"no detector status for {verdicts:.3f} s")

    def stop(self, reason: str) -> None:
        """Brake and hold until the next activation; the other arms are informed."""
        before = self.fault
        self._control.stop(reason)
        self._tell_others(before)

    def _lose(self, reason: str) -> None:
        """Ramp commands to rest: no states arrive."""
        before = self.fault
        self._control.lose(reason)
        self._report(self.fault or reason)
        self._drop("")
        self._tell_others(before)

    def _report(self, reason: str) -> None:
        """Publish that only the ramp to rest is commanded, and why."""
        stamp = from_nanoseconds(max(self.stamp, 0))
        fault = self._control.machine.situation.fault
        self._outputs.report(spread_status(None, self.watch.counts, reason, stamp, fault))

    def settle(self) -> bool:
        """Send the next torque of the ramp to rest; return whether another one may follow."""
        if not self._control.settling:
            return False
        torque = self._control.settle()
        if torque is None:
            self.watch.resume()
            return False
        self._outputs.send(torque, from_nanoseconds(max(self.stamp, 0)))
        return True
