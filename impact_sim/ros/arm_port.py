# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The topics of one simulated arm: its driver's, and those of the force sensor at its tool."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from geometry_msgs.msg import WrenchStamped
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from impact_msgs.msg import JointCommand, WrenchBatch
from impact_robots.robot import Robot
from impact_ros.messages import fill, from_nanoseconds, set_vector
from impact_ros.node.checked_callback import checked_callback
from impact_ros.qos import LATCHED, LOCKSTEP, STREAM
from impact_sim.driver.arm_driver import CYCLE_NS, Interface
from impact_sim.driver.simulation import START_NS, Measurement
from impact_sim.ros.command_check import checked_command

COMMAND = "impact_qp/command"


class ArmPort:
    """Publishes what an arm measures, and says which commands its driver accepts.

    Publishes `joint_states`, `wrench` (1 kHz) and `wrench_batch` (force on the robot in base axes),
    and hears `impact_qp/command`, all in one namespace.
    """

    def __init__(
        self,
        node: Node,
        robot: Robot,
        on_command: Callable[[JointCommand], None],
        note_dropped: Callable[[str], None],
        *,
        interface: Interface = Interface.TORQUE,
        namespace: str = "",
    ) -> None:
        """Create the topics.

        Args:
            node: that owns them.
            robot: the arm.
            on_command: gets every command.
            note_dropped: gets a line about each command that ``on_command`` could not use.
            interface: what commands mean.
            namespace: of the topics; empty: the node's.
        """
        self.robot, self.interface = robot, interface
        prefix = f"{namespace}/" if namespace else ""
        self._states = node.create_publisher(JointState, f"{prefix}joint_states", STREAM)
        self._wrench = node.create_publisher(WrenchStamped, f"{prefix}wrench", STREAM)
        self._batch = node.create_publisher(WrenchBatch, f"{prefix}wrench_batch", STREAM)
        self._description = node.create_publisher(String, f"{prefix}robot_description", LATCHED)
        self._description.publish(String(data=robot.urdf))
        topic = prefix + COMMAND
        heard = checked_callback(node, topic, on_command, note_dropped)
        self._node = node
        self._input = node.create_subscription(JointCommand, topic, heard, LOCKSTEP)

    @property
    def peers(self) -> int:
        """Nodes that hear the states and have a command to send: 0 until somebody is there."""
        if self._node.count_publishers(self._input.topic_name) == 0:
            return 0
        return self._states.get_subscription_count()

    def publish(self, measurement: Measurement) -> None:
        """Publish a measurement, the joint state last: it asks for the answer."""
        if measurement.time_ns > 0:
            self._batch.publish(self._batch_message(measurement))
        self._wrench.publish(self._wrench_message(measurement))
        self._states.publish(self._state_message(measurement))

    def checked(self, message: JointCommand, measurement: Measurement) -> np.ndarray:
        """Return a command's values in the robot's joint order, shape (n,).

        Args:
            message: the command.
            measurement: that it answers.

        Raises:
            ImpactError: not what this robot's driver would accept.
        """
        return checked_command(message, self.robot, self.interface, measurement.q)

    def _state_message(self, measurement: Measurement) -> JointState:
        message = JointState(name=self.robot.joint_names)
        from_nanoseconds(START_NS + measurement.time_ns, message.header.stamp)
        fill(message.position, measurement.q)
        fill(message.velocity, measurement.dq)
        fill(message.effort, measurement.tau)
        return message

    def _wrench_message(self, measurement: Measurement) -> WrenchStamped:
        message = WrenchStamped()
        from_nanoseconds(START_NS + measurement.time_ns, message.header.stamp)
        message.header.frame_id = self.robot.base_frame
        set_vector(message.wrench.force, measurement.forces[-1])
        return message

    def _batch_message(self, measurement: Measurement) -> WrenchBatch:
        period = CYCLE_NS // len(measurement.forces)
        message = WrenchBatch(sample_period=period * 1e-9)
        first = START_NS + measurement.time_ns - CYCLE_NS + period
        from_nanoseconds(first, message.header.stamp)
        message.header.frame_id = self.robot.base_frame
        fill(message.force, measurement.forces)
        return message
