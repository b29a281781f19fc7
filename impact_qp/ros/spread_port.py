# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What one arm is sent by a controller of several, and what is reported of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from impact_msgs.msg import ControllerStatus, JointCommand
from impact_qp.control.state_machine import Fault
from impact_qp.control.status import Counts
from impact_qp.ros.messages import command_message, status_message
from impact_qp.spreading.command import SpreadCommand
from impact_qp.spreading.modes import Mode
from impact_robots import Robot
from impact_ros.messages import fill
from impact_ros.qos import STREAM

MODES = {
    Mode.ANTE: "approach",
    Mode.INTERIM: "press",
    Mode.POST: "press",
    Mode.STOP: "brake",
}


class SpreadPort:
    """Publishers of one arm, in its namespace and by the names that `impact_qp` has.

    In lockstep the command leaves last, so that all else is there when it arrives.
    """

    def __init__(self, node: Node, robot: Robot, namespace: str, *, lockstep: bool) -> None:
        """Create the publishers on ``node``; an empty namespace is the node's."""
        self._node, self._robot, self._lockstep = node, robot, lockstep
        prefix = f"{namespace}/impact_qp/" if namespace else "impact_qp/"
        make = node.create_publisher
        self._commands = make(JointCommand, f"{prefix}command", STREAM)
        self._values = make(Float64MultiArray, f"{prefix}commands", STREAM)
        self._desired = make(JointState, f"{prefix}desired_joint_states", STREAM)
        self._status = make(ControllerStatus, f"{prefix}status", STREAM)
        self._answer: list[tuple[Any, Any]] = []

    def destroy(self) -> None:
        """Destroy the publishers."""
        for publisher in (self._commands, self._values, self._desired, self._status):
            self._node.destroy_publisher(publisher)

    def answer(self, command: SpreadCommand, status: ControllerStatus, stamp: Any) -> None:
        """Send a command and its reports; ``stamp`` is that of the state which it answers."""
        desired = JointState(name=self._robot.joint_names)
        desired.header.stamp = stamp
        fill(desired.velocity, command.joint_velocity)
        fill(desired.effort, command.reference_torque)
        reports = [(self._desired, desired), (self._status, status)]
        torques = self._torques(command.driver_torque, stamp)
        self._answer = [*reports, *torques[::-1]] if self._lockstep else [*torques, *reports]
        self.repeat()

    def repeat(self) -> None:
        """Send the last answer again."""
        for publisher, message in self._answer:
            publisher.publish(message)

    def send(self, torque: np.ndarray, stamp: Any) -> None:
        """Send a torque that answers no state, shape (n,) [N.m]."""
        for publisher, message in self._torques(torque, stamp):
            publisher.publish(message)

    def report(self, status: ControllerStatus) -> None:
        """Send a status that belongs to no answer."""
        self._status.publish(status)

    def _torques(self, torque: np.ndarray, stamp: Any) -> list[tuple[Any, Any]]:
        stamped = command_message(self._robot, "torque", torque, stamp)
        plain = Float64MultiArray()
        fill(plain.data, torque)
        return [(self._commands, stamped), (self._values, plain)]


def spread_status(
    command: SpreadCommand | None, counts: Counts, text: str, stamp: Any, fault: Fault
) -> ControllerStatus:
    """Return the status of a command; none: nothing is commanded any more.

    What a surface has, as speed bound and gap, is unknown.
    """
    if command is None:
        return status_message(counts, text, stamp, fault=fault)
    doing = command.mode.value
    said = doing if command.stop is None else f"{doing}: {command.stop.value}"
    return status_message(
        counts,
        text or said,
        stamp,
        fault=fault,
        mode="hold" if command.held else MODES[command.mode],
        active_constraints=list(command.active),
    )
