# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One arm of several that act on one object: states in, commands out, with guards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState

from impact_msgs.msg import ControllerStatus, DetectorStatus
from impact_qp.arms.plan_start import PlanStart
from impact_qp.ros.control_cycle import ControlCycle, Watching
from impact_qp.ros.outputs import Outputs
from impact_qp.ros.spread_status import spread_status
from impact_qp.spreading.command import SpreadCommand
from impact_qp.spreading.guarded_spreading import GuardedSpreading
from impact_ros.node.checked_callback import checked_callback
from impact_ros.qos import LOCKSTEP, SENSOR

STATES, DETECTIONS = "joint_states", "impact_detector/status"


class SpreadWatching(Watching, Protocol):
    """Parameters of when an arm is stopped."""

    evidence_age: float


class SpreadArm(ControlCycle):
    """Topics and control cycle of an arm whose plan is a part of that of all arms.

    Attributes:
        prefix: of its topics.
    """

    _guarded: GuardedSpreading

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
        self._plan_start, self._on_stop, self._on_wait = start, on_stop, on_wait
        self._evidence_age = watching.evidence_age
        self.prefix = prefix = f"{name}/" if name else ""
        profile = LOCKSTEP if watching.lockstep else SENSOR
        outputs = Outputs(
            node,
            control.controller.robot,
            "torque",
            lockstep=watching.lockstep,
            prefix=f"{prefix}impact_qp",
        )
        super().__init__(
            node, control, outputs, watching, name=name, evidence_age=watching.evidence_age
        )
        self._listeners = [
            node.create_subscription(
                kind, prefix + topic, checked_callback(node, prefix + topic, *take), profile
            )
            for kind, topic, *take in (
                (JointState, STATES, self.take_state, self.drop_state),
                (DetectorStatus, DETECTIONS, self.take_status, None),
            )
        ]

    def activate(self) -> None:
        """Follow the plan from the next state on."""
        self._guarded.activate()
        self.reset()

    def destroy(self) -> None:
        """Destroy the topics and the timer."""
        for subscription in self._listeners:
            self._node.destroy_subscription(subscription)
        super().destroy()

    # --- the situation --------------------------------------------------------------------------

    @property
    def diagnosis(self) -> str:
        """The fault, and what the model does not explain."""
        return "; ".join(each for each in (self.fault, self.watch.counts.note) if each)

    @property
    def refusal(self) -> str:
        """Why the arm must not be activated, "" if it may, by its last state if that is fresh."""
        control, fresh = self._guarded, self.inputs.state_age <= self.state_timeout
        known = self._lockstep or fresh or control.doubts
        return f"{self.label}{control.refusal}" if known and control.refusal else ""

    @property
    def waits(self) -> bool:
        """Whether a state is to be answered: once the plan has started."""
        return super().waits and self._plan_start.ready

    @property
    def resting(self) -> bool:
        """Whether the arm is not commanded, or no more."""
        return not self._guarded.answers

    # --- the cycle ------------------------------------------------------------------------------

    def _arrived(self, stamp: int, arrival: float) -> None:
        self._plan_start.known(self.name, stamp, arrival)

    def _answer_waiting(self) -> None:
        if (stamp := self.pending) is not None:
            self._plan_start.arrived(self.name, stamp, sees=self.inputs.ready(stamp))
        self._on_wait()

    def _command(
        self, stamp: int, q: np.ndarray, dq: np.ndarray, impact: bool
    ) -> SpreadCommand | None:
        when = self._plan_start.time(self.name, stamp)
        if not self.fault and (problem := self._blind(when, stamp)):
            self._guarded.stop(problem)
        return self._guarded.answer(when, q, dq, impact=impact)

    def _blind(self, when: float, stamp: int) -> str:
        """Return why the arm must not continue towards its impact, "" if it may."""
        waits = self._guarded.controller.impact_time is None
        if not waits or self._plan_start.may_be_blind(when) or self.inputs.ready(stamp):
            return ""
        return f"no status of a ready detector within {self._evidence_age:g} s"

    def _note(self, command: SpreadCommand, stamp: Any) -> dict[str, np.ndarray]:
        self.watch.counts.infeasible += not command.solved
        return {"velocity": command.joint_velocity, "effort": command.reference_torque}

    def _described(self, command: SpreadCommand, stamp: Any) -> ControllerStatus:
        text = self.diagnosis or ("deactivated" if self._guarded.inactive else "")
        return spread_status(command, self.watch.counts, text, stamp, self._guarded.fault_kind)

    def _described_rest(self, reason: str, stamp: Any) -> ControllerStatus:
        fault = self._guarded.fault_kind
        return spread_status(None, self.watch.counts, self.fault or reason, stamp, fault)

    def look(self) -> None:
        """Stop if states or detection status stop arriving, once the plan has started."""
        if self._plan_start.ready:
            super().look()

    def _say_stopped(self, reason: str) -> None:
        self._on_stop(self.name, reason)
