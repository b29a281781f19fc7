# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A controller's publishers, and the order and timing of their messages."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from rclpy.duration import Duration
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from impact_msgs.msg import ControllerStatus, ImpactAnnouncement, JointCommand
from impact_qp.control.plan import Plan
from impact_qp.ros.announcer import Announcer
from impact_qp.ros.messages import command_message, desired_message
from impact_robots import Robot
from impact_ros.messages import fill, from_nanoseconds
from impact_ros.node.stream_writer import StreamWriter
from impact_ros.qos import LATCHED, STREAM

Addressed = tuple[Any, Any]  # a publisher and its message
ACKNOWLEDGED_WITHIN = Duration(seconds=0.1)  # the last command, before its publisher is destroyed


class Outputs:
    """Sends commands, reports and announcements.

    An answer is a command and its reports. The command is sent first, but last in lockstep, so that
    all other messages have arrived before it. Outside lockstep only the stamped command is sent to
    nobody; the other messages are made for those that subscribe, and sent to them.

    Attributes:
        owners: whose the commands' topics are, see :class:`.DiagnosticsReporter`.
        sent: when the last answer's command was sent [s of ``time.perf_counter``].
    """

    def __init__(
        self,
        node: Node,
        robot: Robot,
        interface: str,
        *,
        lockstep: bool,
        prefix: str = "impact_qp",
        announces: bool = False,
    ) -> None:
        """Create the publishers.

        Args:
            node: that owns them.
            robot: of the commands.
            interface: of the command.
            lockstep: see above.
            prefix: of the topics.
            announces: publish announcements of impacts, too.
        """
        self._node, self._robot, self._lockstep = node, robot, lockstep
        # a command's two messages, filled again each time: creating them takes longer than sending
        self._plain = Float64MultiArray()
        command = command_message(robot, interface, np.zeros(robot.dof), from_nanoseconds(0))
        self._stamped = StreamWriter(command, "values")
        make = node.create_publisher
        self._commands = make(JointCommand, f"{prefix}/command", STREAM)
        self._values = make(Float64MultiArray, f"{prefix}/commands", STREAM)
        self._desired = make(JointState, f"{prefix}/desired_joint_states", STREAM)
        self._status = make(ControllerStatus, f"{prefix}/status", STREAM)
        self._publishers = [self._commands, self._values, self._desired, self._status]
        topics = (each.topic_name for each in (self._commands, self._values))
        self.owners = dict.fromkeys(topics, "this node's")
        self._announcer: Announcer | None = None
        if announces:
            announcement = make(ImpactAnnouncement, f"{prefix}/announcement", LATCHED)
            self._publishers.append(announcement)
            self._announcer = Announcer(announcement, robot)
        self.reset()

    def reset(self) -> None:
        """Restart with nothing sent."""
        self.sent = 0.0
        self._replies: tuple[Addressed, ...] = ()
        self._answer: tuple[Addressed, ...] = ()
        if self._announcer is not None:
            self._announcer.reset()

    def destroy(self) -> None:
        """Destroy the publishers, see :func:`wait_for_last`."""
        wait_for_last(self._commands, self._values)
        for publisher in self._publishers:
            self._node.destroy_publisher(publisher)

    def begin_answer(self, values: np.ndarray, stamp: Any) -> None:
        """Send the command of an answer, (n,), outside lockstep.

        Args:
            values: of the command.
            stamp: the state's, anything with the fields of a builtin_interfaces/Time.
        """
        if self._lockstep:
            self._replies = self._addressed(values, stamp)
        else:
            self.send(values, stamp)
        self.sent = time.perf_counter()

    def finish_answer(
        self,
        status: Callable[[], ControllerStatus],
        stamp: Any,
        more: Iterable[Addressed] = (),
        **motion: Any,
    ) -> None:
        """Send the reports of an answer, and in lockstep its command.

        Args:
            status: returns that of the controller.
            stamp: of the state which it answers.
            more: reports.
            **motion: commanded, as of :func:`.desired_message`.
        """
        if self._lockstep:
            desired = desired_message(self._robot.joint_names, stamp, **motion)
            reports = (self._desired, desired), (self._status, status()), *more
            self._answer = (*reports, *self._replies)
            _send(self._answer)
            return
        if _is_heard(self._desired):
            self._desired.publish(desired_message(self._robot.joint_names, stamp, **motion))
        if _is_heard(self._status):
            self._status.publish(status())
        _send(more)

    def repeat_answer(self) -> None:
        """Send the last answer again."""
        _send(self._answer)

    def send(self, values: np.ndarray, stamp: Any) -> None:
        """Send a command, (n,); the stamped one, which is waited for, in lockstep last."""
        if self._lockstep:
            _send(self._addressed(values, stamp))
            return
        self._commands.publish(self._stamped.write(values, stamp))
        if _is_heard(self._values):
            fill(self._plain.data, values)
            self._values.publish(self._plain)

    def report(self, status: ControllerStatus) -> None:
        """Send a status without an answer."""
        self._status.publish(status)

    def announce(self, due: bool, plan: Plan, stamp: Any) -> None:
        """Announce whether the plan's impact is due, if that has changed."""
        assert self._announcer is not None
        self._announcer.announce(due, plan, stamp)

    def _addressed(self, values: np.ndarray, stamp: Any) -> tuple[Addressed, Addressed]:
        """Return a command's two messages, the stamped one last."""
        fill(self._plain.data, values)
        return (self._values, self._plain), (self._commands, self._stamped.write(values, stamp))


def wait_for_last(*publishers: Any) -> None:
    """Wait until the last message of each publisher has arrived, 0.1 s at most for each.

    Publishers of commands store one message, and destroy it with themselves.
    """
    for publisher in publishers:
        publisher.wait_for_all_acked(ACKNOWLEDGED_WITHIN)


def _is_heard(publisher: Any) -> bool:
    """Return whether anybody subscribes: messages to nobody are converted, too."""
    return bool(publisher.get_subscription_count())


def _send(messages: Iterable[Addressed]) -> None:
    """Publish each message with its publisher."""
    for publisher, message in messages:
        publisher.publish(message)
