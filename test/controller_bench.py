# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A controller node, and a robot's driver and detector that talk to it over real DDS."""

import numpy as np
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from impact_msgs.msg import ControllerStatus, DetectorStatus, ImpactAnnouncement, JointCommand
from impact_qp.node import ImpactQpNode
from impact_ros.messages import from_nanoseconds
from impact_ros.node.spin import spin
from impact_ros.qos import RECORD, RECORD_LATCHED, STREAM

TIME_OUT = 20.0  # [s]
LOOK = 5e-4  # answers take less than a millisecond, and a test waits for thousands [s]
QUIET = 0.1  # long enough for an answer that must not come [s]
MS = 1_000_000  # [ns]
PATIENT = {
    "state_timeout": 10.0,
    "max_consecutive_missed": 1_000_000,
    "simulated": True,
}  # as a test's machine is
OK = TransitionCallbackReturn.SUCCESS


class Driver(Node):
    """A robot's driver and a detector: sends states and verdicts, keeps all it hears."""

    def __init__(self, context):
        super().__init__("driver", context=context)
        self.states = self.create_publisher(JointState, "joint_states", STREAM)
        self.verdicts = self.create_publisher(DetectorStatus, "impact_detector/status", STREAM)
        self.echo, self.commands, self.values, self.desired, self.status = [], [], [], [], []
        for kind, topic, heard in (
            (JointState, "joint_states", self.echo),
            (DetectorStatus, "impact_detector/status", self.echo),
            (JointCommand, "impact_qp/command", self.commands),
            (Float64MultiArray, "impact_qp/commands", self.values),
            (JointState, "impact_qp/desired_joint_states", self.desired),
            (ControllerStatus, "impact_qp/status", self.status),
        ):
            self.create_subscription(kind, topic, heard.append, RECORD)
        self.announced = []
        self.create_subscription(
            ImpactAnnouncement, "impact_qp/announcement", self.announced.append, RECORD_LATCHED
        )

    @property
    def matched(self):
        """Both of its streams have two listeners, and every topic of the controller a source."""
        heard = all(subscription.get_publisher_count() for subscription in self.subscriptions)
        return heard and all(
            publisher.get_subscription_count() == 2 for publisher in (self.states, self.verdicts)
        )


class Bench:
    """A controller node and its driver, served by one executor."""

    def __init__(self, context, robot, q, parameters):
        self.robot, self.q = robot, q
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        self.node = ImpactQpNode(context=context, parameter_overrides=overrides)
        self.driver = Driver(context)

    def spin(self, until=None, timeout=TIME_OUT):
        reason = spin([self.node, self.driver], until=until, timeout=timeout, look_every=LOOK)
        assert until is None or reason == "condition", reason

    def configure(self):
        """Configure, and wait until both sides know each other."""
        assert self.node.trigger_configure() == OK
        own = ("impact_qp/command", "impact_qp/status", "impact_qp/desired", "impact_qp/commands")
        publishers = [p for p in self.node.publishers if p.topic_name[1:].startswith(own)]
        assert len(publishers) == 4
        self.spin(
            lambda: self.driver.matched and all(p.get_subscription_count() == 1 for p in publishers)
        )

    def start(self):
        """Configure, let the detector be ready, and activate."""
        self.configure()
        self.send(self.verdict(0))
        assert self.node.trigger_activate() == OK
        return self

    def state(self, stamp, q=None, dq=None, order=None):
        """Return a state in any order of the joints; at the start and at rest without values."""
        order = range(self.robot.dof) if order is None else order
        q, dq = self.q if q is None else q, np.zeros(self.robot.dof) if dq is None else dq
        message = JointState(
            name=[self.robot.joint_names[i] for i in order],
            position=[float(q[i]) for i in order],
            velocity=[float(dq[i]) for i in order],
        )
        from_nanoseconds(stamp, message.header.stamp)
        return message

    def send(self, message):
        """Publish a state or a detection status and see it arrive."""
        driver, count = self.driver, len(self.driver.echo)
        is_state = isinstance(message, JointState)
        (driver.states if is_state else driver.verdicts).publish(message)
        self.spin(lambda: len(driver.echo) > count)

    def verdict(self, stamp, impact=False, ready=True):
        message = DetectorStatus(impact=impact, ready=ready)
        from_nanoseconds(stamp, message.header.stamp)
        return message

    def answer(self, message):
        """Send a state and return command and status that answer it."""
        driver = self.driver
        heard = driver.commands, driver.status, driver.values
        counts = [len(each) for each in heard]
        self.send(message)
        self.spin(lambda: all(len(h) > c for h, c in zip(heard, counts, strict=True)))
        return driver.commands[counts[0]], driver.status[counts[1]]

    def move(self, first, to, steps=100):
        """Move the arm from where it starts, a state each millisecond; return the next stamp."""
        dq = (to - self.q) / (steps * 1e-3)
        for k in range(steps):
            self.send(self.verdict(first + k * MS))
            self.answer(self.state(first + k * MS, self.q + dq * k * 1e-3, dq))
        return first + steps * MS

    def next(self, count):
        """Return the command number ``count``, and the status that came with it."""
        heard = (self.driver.status, self.driver.values, self.driver.desired, self.driver.commands)
        self.spin(lambda: all(len(each) > count for each in (heard[0], heard[1], heard[3])))
        return self.driver.commands[count], self.driver.status[count]

    def fall_silent(self):
        """Let the newest messages be older than the time-out, without waiting for it."""
        inputs = self.node._cycle.inputs
        inputs.state_time -= 1e3
        inputs.status_time -= 1e3
        self.node._cycle.look()

    def rest(self, count):
        """Return the last of the commands from number ``count`` on, which bring the arm to rest."""
        heard = self.driver
        self.spin(lambda: heard.status and heard.status[-1].mode == ControllerStatus.MODE_STOPPED)
        self.spin(lambda: len(heard.commands) > count and not any(heard.commands[-1].values))
        self.spin(lambda: len(heard.values) == len(heard.commands))
        return heard.commands[-1], heard.status[-1]

    def unanswered(self, message=None):
        """Return whether a message (or nothing at all) gets no command."""
        count = len(self.driver.commands)
        if message is not None:
            self.send(message)
        self.spin(timeout=QUIET)
        return len(self.driver.commands) == count

    def close(self):
        self.node.destroy_node()
        self.driver.destroy_node()
