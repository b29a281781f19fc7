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
from impact_ros.message_fields import (
    joint_state_fields,
    stamped,
    wrench_batch_fields,
    wrench_fields,
    write,
)
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
            self._publish_batch(measurement)
        time, base = START_NS + measurement.time_ns, self.robot.base_frame
        write(wrench := WrenchStamped(), stamped(time, base, wrench_fields(measurement.forces[-1])))
        self._wrench.publish(wrench)
        values = measurement.q, measurement.dq, measurement.tau
        fields = joint_state_fields(self.robot.joint_names, *values)
        write(state := JointState(), stamped(time, "", fields))
        self._states.publish(state)

    def _publish_batch(self, measurement: Measurement) -> None:
        """Publish the forces of a cycle, stamped with the time of the first one."""
        period = CYCLE_NS // len(measurement.forces)
        first = START_NS + measurement.time_ns - CYCLE_NS + period
        fields = wrench_batch_fields(period, measurement.forces)
        write(batch := WrenchBatch(), stamped(first, self.robot.base_frame, fields))
        self._batch.publish(batch)

    def checked(self, message: JointCommand, measurement: Measurement) -> np.ndarray:
        """Return a command's values in the robot's joint order, shape (n,).

        Args:
            message: the command.
            measurement: that it answers.

        Raises:
            ImpactError: not what this robot's driver would accept.
        """
        return checked_command(message, self.robot, self.interface, measurement.q)
