# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The governor's node, and another controller with a robot's driver, over real DDS."""

import contextlib

import numpy as np
from controller_bench import LOOK, MS, OK, QUIET, TIME_OUT
from geometry_msgs.msg import TwistStamped
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64, Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from impact_msgs.msg import ControllerStatus
from impact_qp.governor.node import ImpactGovernorNode
from impact_qp.governor.streams import STREAMS
from impact_ros.messages import from_nanoseconds
from impact_ros.node.spin import spin
from impact_ros.qos import RECORD, STREAM

TRIES = 50  # on a busy machine a state is soon old


class ForeignNode(Node):
    """Sends states and commands, and keeps what it hears."""

    def __init__(self, context, interface):
        super().__init__("foreign", context=context)
        kind, topic = STREAMS[interface].kind, f"impact_governor/{STREAMS[interface].topic}"
        self.states = self.create_publisher(JointState, "joint_states", STREAM)
        self.commands = self.create_publisher(kind, f"{topic}_in", STREAM)
        self.sent, self.factors, self.status, self.echo = [], [], [], []
        for each, name, heard in (
            (kind, topic, self.sent),
            (Float64, "impact_governor/factor", self.factors),
            (ControllerStatus, "impact_governor/status", self.status),
            (JointState, "joint_states", self.echo),
        ):
            self.create_subscription(each, name, heard.append, RECORD)

    @property
    def matched(self):
        """Everybody has found everybody."""
        heard = all(each.get_publisher_count() for each in self.subscriptions)
        return (
            heard
            and self.states.get_subscription_count() == 2
            and self.commands.get_subscription_count() == 1
        )


class GovernorBench:
    """The node and who talks to it, served by one executor."""

    def __init__(self, context, robot, q, interface, **parameters):
        self.robot, self.q, self.interface, self.stamp = robot, q, interface, 0
        given = {"interface": interface, "lockstep": True} | parameters  # as machines are busy
        overrides = [Parameter(name, value=value) for name, value in given.items()]
        self.node = ImpactGovernorNode(context=context, parameter_overrides=overrides)
        self.driver = ForeignNode(context, interface)

    def spin(self, until=None, timeout=TIME_OUT):
        reason = spin([self.node, self.driver], until=until, timeout=timeout, look_every=LOOK)
        assert until is None or reason == "condition", reason

    def start(self):
        """Configure, and activate as soon as the node has seen a state that is not too old."""
        assert self.node.trigger_configure() == OK
        self.spin(lambda: self.driver.matched)
        for _ in range(TRIES):
            self.state()
            if self.node.trigger_activate() == OK:
                return self
        raise AssertionError("the governor was not activated")

    def state(self, q=None, dq=None, after=4 * MS, **changes):
        """Send a state, at the start and at rest without values, and see it arrive."""
        driver, n = self.driver, self.robot.dof
        self.stamp += after
        message = JointState(
            name=list(self.robot.joint_names),
            position=[float(x) for x in (self.q if q is None else q)],
            velocity=[float(x) for x in (np.zeros(n) if dq is None else dq)],
        )
        for name, value in changes.items():
            setattr(message, name, value)
        from_nanoseconds(self.stamp, message.header.stamp)
        count = len(driver.echo)
        driver.states.publish(message)
        self.spin(lambda: len(driver.echo) > count)

    def command(self, values):
        """Return the message of a command."""
        values = [float(x) for x in values]
        if self.interface == "twist":
            message = TwistStamped()
            for vector, part in (
                (message.twist.linear, values[:3]),
                (message.twist.angular, values[3:]),
            ):
                vector.x, vector.y, vector.z = part
            return message
        if self.interface == "trajectory":
            order = list(reversed(range(len(values))))  # names say which is which
            point = JointTrajectoryPoint(
                positions=[values[k] for k in order],
                velocities=[0.25] * len(values),
                accelerations=[1.0] * len(values),
            )
            names = [self.robot.joint_names[k] for k in order]
            return JointTrajectory(joint_names=names, points=[point])
        return Float64MultiArray(data=values)

    def answer(self, message):
        """Send a command and return the newest answer and its status."""
        driver, count, reported = self.driver, len(self.driver.sent), len(self.driver.status)
        driver.commands.publish(message)
        self.spin(lambda: len(driver.sent) > count and len(driver.status) > reported)
        return driver.sent[-1], driver.status[-1]

    def values(self, message):
        """Return the numbers of an answer in the robot's order."""
        if self.interface == "twist":
            twist = message.twist
            return np.array(
                [getattr(v, axis) for v in (twist.linear, twist.angular) for axis in "xyz"]
            )
        if self.interface == "trajectory":
            order = [list(message.joint_names).index(name) for name in self.robot.joint_names]
            return np.array(message.points[0].positions)[order]
        return np.array(message.data)

    def unanswered(self, message):
        """Return whether a command gets no answer."""
        count = len(self.driver.sent)
        self.driver.commands.publish(message)
        self.spin(timeout=QUIET)
        return len(self.driver.sent) == count

    def close(self):
        with contextlib.suppress(Exception):  # a test has shut it down already
            self.node.trigger_shutdown()
        self.node.destroy_node()
        self.driver.destroy_node()
