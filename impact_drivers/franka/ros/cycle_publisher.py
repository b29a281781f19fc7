# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Publishes the loop's cycles under the topic names of the suite's own nodes."""

from __future__ import annotations

from typing import Any

from rclpy.node import Node
from sensor_msgs.msg import JointState

from impact_detector.ros.messages import status_message as detector_status_message
from impact_drivers.franka.loop.loop_cycle import (
    LoopCounts,
    LoopCycle,
    LoopState,
    counts_of,
    loop_status,
)
from impact_msgs.msg import ControllerStatus, DetectorStatus, ImpactAnnouncement, JointCommand
from impact_qp.control.plan import Plan
from impact_qp.control.state_machine import Fault
from impact_qp.ros.announcer import Announcer
from impact_qp.ros.messages import (
    command_message,
    desired_message,
    status_message,
)
from impact_robots import Robot
from impact_ros.message_fields import joint_state_fields, write
from impact_ros.messages import from_nanoseconds
from impact_ros.qos import LATCHED, RECORD

# Several cycles are sent at once, so the queues are deep: reliable subscribers lose none.
TOPICS = {
    "joint_states": JointState,
    "impact_qp/command": JointCommand,
    "impact_qp/desired_joint_states": JointState,
    "impact_qp/status": ControllerStatus,
    "impact_detector/status": DetectorStatus,
}


class CyclePublisher:
    """Publishes states, commands, detection statuses, controller reports and announcements."""

    def __init__(self, node: Node) -> None:
        """Create the publishers on ``node``."""
        self._publishers = {
            topic: node.create_publisher(kind, topic, RECORD) for topic, kind in TOPICS.items()
        }
        self._announcement = node.create_publisher(
            ImpactAnnouncement, "impact_qp/announcement", LATCHED
        )

    def begin(self, robot: Robot) -> None:
        """Start with an arm, without an announcement."""
        self._robot, self._answered = robot, False
        self._announcer = Announcer(self._announcement, robot)

    def publish(self, cycle: LoopCycle, plan: Plan, *, idle: bool) -> ControllerStatus | None:
        """Send a cycle; return the controller's status if the state was answered.

        Args:
            cycle: of the loop.
            plan: that it carries out.
            idle: no goal since the activation.
        """
        stamp = from_nanoseconds(cycle.time)
        self._send("joint_states", self._state(cycle, stamp))
        if cycle.status is not None:
            self._send("impact_detector/status", detector_status_message(cycle.status, ""))
        if cycle.state is LoopState.CHANGING:
            return None
        answered, self._answered = self._answered, cycle.answer is not None
        if cycle.answer is None:
            if answered:
                self.stopped(cycle.time, plan, cycle.counts, cycle.fault)
            return None
        command = cycle.answer
        if cycle.sent is not None:
            sent = command_message(self._robot, "torque", cycle.sent, stamp)
            self._send("impact_qp/command", sent)
        motion = {"velocity": command.velocity, "effort": command.reference_torque}
        desired = desired_message(self._robot.joint_names, stamp, **motion)
        self._send("impact_qp/desired_joint_states", desired)
        status = self._status(cycle, plan, idle=idle)
        self._send("impact_qp/status", status)
        return status

    def news(self, cycle: LoopCycle, plan: Plan) -> ImpactAnnouncement | None:
        """Publish and return the announcement of a cycle, if it has changed."""
        due = cycle.answer is not None and cycle.answer.due
        return self._announcer.announce(due, plan, from_nanoseconds(cycle.time))

    def stopped(self, stamp: int, plan: Plan, counts: LoopCounts, reason: str) -> None:
        """Report that there are no commands from the state with that stamp [ns] on."""
        status = status_message(
            counts_of(counts),
            reason,
            from_nanoseconds(stamp),
            fault=Fault.STOPPED if reason else Fault.NONE,
            limits=plan.impact_limits,
        )
        self._send("impact_qp/status", status)

    def _status(self, cycle: LoopCycle, plan: Plan, *, idle: bool) -> ControllerStatus:
        """Return the status of a cycle that was answered."""
        status = ControllerStatus()
        from_nanoseconds(cycle.time, status.header.stamp)
        write(status, loop_status(ControllerStatus, cycle, plan.impact_limits, idle=idle))
        return status

    def _send(self, topic: str, message: Any) -> None:
        self._publishers[topic].publish(message)

    def _state(self, cycle: LoopCycle, stamp: Any) -> JointState:
        message = JointState()
        message.header.stamp = stamp
        write(message, joint_state_fields(self._robot.joint_names, cycle.q, cycle.dq, cycle.tau))
        return message
