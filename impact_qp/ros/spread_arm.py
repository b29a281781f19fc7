# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One arm of several that act on one object: states in, commands out, safe whatever arrives."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState

from impact_msgs.msg import DetectorStatus
from impact_qp.ros.inputs import Inputs
from impact_qp.ros.plan_start import PlanStart
from impact_qp.ros.spread_port import SpreadPort, spread_status
from impact_qp.ros.stamp_steps import StampSteps
from impact_qp.ros.supervision import CycleWatch
from impact_qp.spreading.guarded_spreading import GuardedSpreading
from impact_qp.watching_parameters import WatchingParameters
from impact_robots.exceptions import ImpactError
from impact_ros.boundary import guarded
from impact_ros.messages import from_nanoseconds, to_nanoseconds
from impact_ros.qos import LOCKSTEP, SENSOR
from impact_ros.throttled_log import ThrottledLog

STATES, VERDICTS = "joint_states", "impact_detector/status"


class SpreadArm:
    """Topics, watches and the guarded controller of one arm.

    Attributes:
        name: namespace of its topics; empty: the node's.
        engaged: it was commanded since the configuration; states are answered.
        fault: why it was stopped, "" while it was not.
    """

    def __init__(
        self,
        node: Node,
        name: str,
        control: GuardedSpreading,
        start: PlanStart,
        watching: WatchingParameters,
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
            on_stop: hears the name of an arm that stops, and why.
            on_wait: called when a state waits to be answered.
        """
        robot, controller = control.controller.robot, control.controller
        self.name, self._node, self._control, self._plan_start = name, node, control, start
        self._log = ThrottledLog(node.get_logger())
        self._watching, self._on_stop, self._on_wait = watching, on_stop, on_wait
        self.watch = CycleWatch(controller.period, watching.max_consecutive_missed)
        self._inputs, self._steps = Inputs(robot), StampSteps(controller.period)
        self._port = SpreadPort(node, robot, name, lockstep=watching.lockstep)
        prefix, profile = f"{name}/" if name else "", LOCKSTEP if watching.lockstep else SENSOR
        self._listeners = [
            node.create_subscription(
                kind, prefix + topic, guarded(node, prefix + topic, *take), profile
            )
            for kind, topic, *take in (
                (JointState, STATES, self._take_state, self._drop),
                (DetectorStatus, VERDICTS, self._take_verdict, None),
            )
        ]
        self.engaged = False
        self._begin()

    def _begin(self) -> None:
        self.stamp, self._received = -1, 0.0
        self._pending: JointState | None = None
        self._settling: Iterator[np.ndarray] | None = None
        self._resting = False

    @property
    def fault(self) -> str:
        """Why the arm was stopped."""
        return self._control.fault

    def activate(self) -> None:
        """Follow the plan from the next state on."""
        for part in (self._control, self.watch, self._inputs):
            part.reset()
        self._begin()
        self.engaged = True

    def destroy(self) -> None:
        """Destroy the topics."""
        for subscription in self._listeners:
            self._node.destroy_subscription(subscription)
        self._port.destroy()

    # --- what arrives -------------------------------------------------------------------------

    def _take_state(self, message: JointState) -> None:
        stamp = to_nanoseconds(message.header.stamp)
        if not self.engaged:
            self._control.accepts(stamp, *self._inputs.read(message))
            return
        if stamp == self.stamp:
            if self._watching.lockstep:
                self._port.repeat()
            return
        if self._watching.lockstep:
            self._steps.take(stamp)
        else:
            self.look()
        if stamp < self.stamp:
            self.stop(f"clock jumped back by {(self.stamp - stamp) * 1e-9:.3f} s")
            self.watch.resume()
        self._pending, self._received = message, time.perf_counter()
        self._plan_start.arrived(self.name, stamp)
        self._on_wait()

    def _take_verdict(self, message: DetectorStatus) -> None:
        to_nanoseconds(message.header.stamp)
        self._inputs.take_verdict(message)
        if self.engaged and self._watching.lockstep:
            self._on_wait()

    def _drop(self, _reason: str) -> None:
        self.watch.counts.dropped += 1

    # --- what is answered ---------------------------------------------------------------------

    @property
    def waits(self) -> bool:
        """Whether a state is to be answered: in lockstep once the verdict on it is there."""
        message = self._pending
        if message is None or self._settling is not None or not self._plan_start.ready:
            return False
        return not self._watching.lockstep or self._inputs.judged(message)

    @property
    def resting(self) -> bool:
        """Whether no usable state comes; the arm was brought to rest."""
        return self._resting

    def answer_pending(self) -> None:
        """Answer the state that waits, if one does."""
        message = self._pending
        if message is None or not self.waits:
            return
        self._pending, stamp = None, to_nanoseconds(message.header.stamp)
        try:
            q, dq = self._inputs.read(message)
            believed = self._control.accepts(stamp, q, dq, impact=self._inputs.impact)
        except ImpactError as error:
            self._drop("")
            self._log.warning(f"{self._label}joint_states dropped: {error}")
            return
        if not believed:
            self._lose(stamp)
        elif self._watching.lockstep or self.watch.take(stamp, self._received):
            self._answer(message.header.stamp, stamp, q, dq)

    def _answer(self, header_stamp: Any, stamp: int, q: np.ndarray, dq: np.ndarray) -> None:
        """Compute and send the command for a state."""
        started = time.perf_counter()
        if problem := self._steps.problem or self.watch.problem:
            self.stop(problem)
        when = self._plan_start.time(stamp)
        command = self._control.answer(when, q, dq, impact=self._inputs.impact)
        if command is None:
            self._lose(stamp)
            return
        self._inputs.take_state(q, dq)
        self.stamp, self._resting = stamp, False
        self.watch.counts.infeasible += not command.solved
        status = spread_status(command, dq, self.watch.counts, self.fault, header_stamp)
        status.solve_time = time.perf_counter() - started
        status.cycle_time = time.perf_counter() - self._received
        self._port.answer(command, status, header_stamp)
        if not self._watching.lockstep:
            self.watch.answered(time.perf_counter() - self._received)
        if self.fault:
            self._on_stop(self.name, self.fault)

    # --- what stops ---------------------------------------------------------------------------

    @property
    def _label(self) -> str:
        return f"{self.name}/" if self.name else ""

    def look(self) -> None:
        """Stop when the states or the detector fall silent; outside lockstep."""
        if not self.engaged or self._resting or not self._plan_start.ready:
            return
        states, verdicts = self._inputs.state_age, self._inputs.verdict_age
        if states > self._watching.state_timeout:
            self.stop(f"no joint state for {states:.3f} s")
            self._lose(self.stamp)
        elif verdicts > self._watching.state_timeout and not self.fault:
            self.stop(f"no detector status for {verdicts:.3f} s")

    def stop(self, reason: str) -> None:
        """Brake and hold until the node is activated again; others hear of it."""
        self._control.stop(reason)
        self._on_stop(self.name, self.fault)

    def _lose(self, stamp: int) -> None:
        """Bring the arm to rest: its states are not believed, or a command must not be sent."""
        self._drop("")
        self._on_stop(self.name, self.fault)
        if not self._resting:
            self.stamp = stamp
            self.rest(self.fault)

    def rest(self, reason: str) -> None:
        """Begin to bring the arm to gravity compensation, at its torque rates; see `settle`."""
        stamp = from_nanoseconds(max(self.stamp, 0))
        self._resting, self._settling = True, self._control.settle()
        self._port.report(spread_status(None, np.zeros(1), self.watch.counts, reason, stamp))

    def settle(self) -> bool:
        """Send the next torque on the way to rest; return whether there was one."""
        if self._settling is None:
            return False
        torque = next(self._settling, None)
        if torque is None:
            self._settling = None
            self.watch.resume()
            return False
        self._port.send(torque, from_nanoseconds(max(self.stamp, 0)))
        return True
