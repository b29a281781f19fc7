# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What a humanoid is sent by the controller of a grab, and what is reported of it."""

from __future__ import annotations

from typing import Any

from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from impact_msgs.msg import ControllerStatus, GrabStatus, JointCommand
from impact_qp.body.guarded_grab import GrabAnswer
from impact_qp.body.phase_modes import mode_of
from impact_qp.control.state_machine import Fault
from impact_qp.control.status import Counts
from impact_qp.ros.messages import command_message, status_message
from impact_robots.robot import Robot
from impact_ros.messages import fill
from impact_ros.qos import STREAM


class HumanoidPort:
    """Publishers of the controller, by the names that `impact_qp` has.

    In lockstep the command leaves last, so that all else is there when it arrives.
    """

    def __init__(self, node: Node, robot: Robot, limits: str, *, lockstep: bool) -> None:
        """Create the publishers on ``node``; ``limits`` are the impact limits in force."""
        self._node, self._robot, self._limits, self._lockstep = node, robot, limits, lockstep
        make = node.create_publisher
        self._commands = make(JointCommand, "impact_qp/command", STREAM)
        self._values = make(Float64MultiArray, "impact_qp/commands", STREAM)
        self._desired = make(JointState, "impact_qp/desired_joint_states", STREAM)
        self._status = make(ControllerStatus, "impact_qp/status", STREAM)
        self._grab = make(GrabStatus, "~/grab", STREAM)
        self._answer: list[tuple[Any, Any]] = []

    def destroy(self) -> None:
        """Destroy the publishers."""
        for publisher in (self._commands, self._values, self._desired, self._status, self._grab):
            self._node.destroy_publisher(publisher)

    def answer(
        self,
        answer: GrabAnswer,
        fault: Fault,
        counts: Counts,
        times: tuple[float, float],
        stamp: Any,
    ) -> None:
        """Send an answer and its reports.

        Args:
            answer: to a state.
            fault: why nothing may move, if so.
            counts: so far.
            times: to compute it, and since the state came [s].
            stamp: of the state.
        """
        reports = [
            (self._desired, self._desired_message(answer, stamp)),
            (self._status, self._status_message(answer, fault, counts, times, stamp)),
            (self._grab, grab_message(answer, stamp)),
        ]
        plain = Float64MultiArray()
        fill(plain.data, answer.positions)
        stamped = command_message(self._robot, "position", answer.positions, stamp)
        commands = [(self._values, plain), (self._commands, stamped)]
        self._answer = [*reports, *commands] if self._lockstep else [*commands[::-1], *reports]
        self.repeat()

    def repeat(self) -> None:
        """Send the last answer again."""
        for publisher, message in self._answer:
            publisher.publish(message)

    def forget(self) -> None:
        """Forget the last answer: it was to states before an activation."""
        self._answer = []

    def report(self, counts: Counts, text: str, stamp: Any, fault: Fault) -> None:
        """Say that nothing is commanded any more, and why."""
        self._status.publish(status_message(counts, text, stamp, fault=fault, limits=self._limits))

    def _desired_message(self, answer: GrabAnswer, stamp: Any) -> JointState:
        message = JointState(name=self._robot.joint_names)
        message.header.stamp = stamp
        fill(message.position, answer.positions)
        return message

    def _status_message(
        self,
        answer: GrabAnswer,
        fault: Fault,
        counts: Counts,
        times: tuple[float, float],
        stamp: Any,
    ) -> ControllerStatus:
        """Return the status; what a single surface has, as gap and normal, is unknown."""
        said, (solve_time, cycle_time) = answer.said, times
        return status_message(
            counts,
            answer.problem or said.phase,
            stamp,
            fault=fault,
            limits=self._limits,
            mode=mode_of(said.phase, held=bool(answer.problem)),
            active_constraints=list(answer.active),
            speed_bound=said.bound,
            solve_time=solve_time,
            cycle_time=cycle_time,
        )


def grab_message(answer: GrabAnswer, stamp: Any) -> GrabStatus:
    """Return how far the grab has got."""
    message = GrabStatus(**answer.said.fields())
    message.header.stamp = stamp
    return message
