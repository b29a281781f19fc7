# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""franka_ros2's topics need remapping alone: its names, types and best-effort publishers."""

import time

import numpy as np
import pytest

pytest.importorskip("rclpy")

import yaml
from geometry_msgs.msg import WrenchStamped
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState

from impact_detector.node import DetectorNode
from impact_msgs.msg import ImpactEvent
from impact_robots import ArmDynamics
from impact_ros.messages import fill, from_nanoseconds
from impact_ros.qos import LATCHED, SENSOR

TIME_OUT = 20.0  # [s]
MILLISECOND = 1_000_000
BROADCASTER = "franka_robot_state_broadcaster"
REMAPPED = {
    "joint_states": f"{BROADCASTER}/measured_joint_states",
    "impact_qp/desired_joint_states": f"{BROADCASTER}/desired_joint_states",
    "wrench": f"{BROADCASTER}/external_wrench_in_base_frame",
}


class Franka:
    """The driver's publishers, and the detector with their names."""

    def __init__(self, context, robot, parameters):
        remap = [part for a, b in REMAPPED.items() for part in ("-r", f"{a}:={b}")]
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        self.node = DetectorNode(
            context=context, cli_args=["--ros-args", *remap], parameter_overrides=overrides
        )
        self.peer, self.names = Node("driver", context=context), list(robot.joint_names)
        kinds = {"joint_states": JointState, "wrench": WrenchStamped}
        self.out = {
            name: self.peer.create_publisher(kinds.get(name, JointState), topic, SENSOR)
            for name, topic in REMAPPED.items()
        }
        self.events = []
        self.peer.create_subscription(
            ImpactEvent, "impact_detector/impact", self.events.append, LATCHED
        )
        self.executor = SingleThreadedExecutor(context=context)
        for node in (self.node, self.peer):
            self.executor.add_node(node)
        heard = {each.topic_name for each in self.node.subscriptions}
        wanted = [each for each in self.out.values() if each.topic_name in heard]
        assert len(wanted) >= 2
        self.until(lambda: all(each.get_subscription_count() for each in wanted))

    def until(self, condition):
        end = time.monotonic() + TIME_OUT
        while not condition():
            assert time.monotonic() < end, "timed out"
            self.executor.spin_once(timeout_sec=0.05)

    def send(self, name, k, **values):
        """Publish one message of millisecond k, and let it arrive: best effort may drop one."""
        if name == "wrench":
            message = WrenchStamped()
            message.wrench.force.z = values["force"]
        else:
            message = JointState(name=self.names)
            for field, numbers in values.items():
                fill(getattr(message, field), numbers)
        from_nanoseconds(k * MILLISECOND, message.header.stamp)
        self.out[name].publish(message)
        self.executor.spin_once(timeout_sec=0.05)
        self.executor.spin_once(timeout_sec=0.0)

    def close(self):
        self.executor.shutdown()
        self.node.destroy_node()
        self.peer.destroy_node()


@pytest.fixture
def franka(context, panda):
    made = []

    def start(**parameters):
        made.append(Franka(context, panda, parameters))
        return made[-1]

    yield start
    for each in made:
        each.close()


def test_the_example_file_has_what_franka_ros2_needs(project_root):
    text = (project_root / "config" / "franka_fr3.yaml").read_text()
    parameters = yaml.safe_load(text)["/**/impact_detector"]["ros__parameters"]
    assert parameters["reference_excludes_gravity"] is True
    for topic in REMAPPED.values():
        assert topic in text


def test_an_impact_is_found_in_measured_and_desired_joint_states(franka, panda):
    driver = franka(detectors=["torque_error"], bias_samples=0, reference_excludes_gravity=True)
    gravity = ArmDynamics(panda)(panda.stance, np.zeros(7)).g
    hit = np.array([0, 0, 0, 0, 2.0, -2.0, 0])
    for k in range(30):
        at_rest = {"position": panda.stance, "velocity": np.zeros(7)}
        driver.send("impact_qp/desired_joint_states", k, **at_rest, effort=np.zeros(7))
        driver.send("joint_states", k, **at_rest, effort=gravity + (hit if k > 20 else 0.0))
        if driver.events:
            break
    driver.until(lambda: driver.events)
    assert driver.events[0].detector == ImpactEvent.DETECTOR_TORQUE_ERROR
    assert driver.events[0].statistic == pytest.approx(4.0, abs=1e-9)


def test_a_wrist_sensor_at_200_hz_is_heard_too(franka):
    driver = franka(force_threshold=20.0)
    for k in range(0, 200, 5):
        driver.send("wrench", k, force=30.0 if k >= 100 else 0.0)
        if driver.events:
            break
    driver.until(lambda: driver.events)
    (event,) = driver.events
    assert event.detector == ImpactEvent.DETECTOR_FORCE
    assert event.statistic == pytest.approx(30.0)
    assert event.detection_time.nanosec >= 100 * MILLISECOND
