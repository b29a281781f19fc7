# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A recording through the live node over DDS and through `detect`: the same events, bit for bit."""

import json
import time

import numpy as np
import pytest
from iim_hit import iim_hit, led

pytest.importorskip("rclpy")

from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState

from impact_bags import BagWriter
from impact_cli.command_line import run
from impact_detector.node import DetectorNode
from impact_msgs.msg import DetectorStatus, ImpactEstimate, ImpactEvent
from impact_ros.messages import fill, from_nanoseconds, to_nanoseconds
from impact_ros.qos import LATCHED, RECORD, STREAM
from impact_sim.driver.sensors import PANDA_NOISE

TIME_OUT = 20.0  # [s]
MILLISECOND = 1_000_000


@pytest.fixture(scope="module")
def rows(panda):
    """Return q, dq, tau of a noisy arm that hits a wall, one row per millisecond."""
    q, velocity, tau = led(*iim_hit(panda, 0.15, after_contact=0.15), 300)
    random, noise = np.random.default_rng(1), PANDA_NOISE
    return np.stack(
        [
            q + noise.position * random.standard_normal(q.shape),
            velocity + noise.velocity * random.standard_normal(q.shape),
            tau + noise.torque * random.standard_normal(q.shape),
        ],
        axis=1,
    )


@pytest.fixture
def bag(rows, panda, tmp_path):
    """Return the recording of these states."""
    folder = tmp_path / "hit"
    with BagWriter(folder) as writer:
        types = writer.typestore.types
        for k, (q, dq, tau) in enumerate(rows):
            stamp = types["builtin_interfaces/msg/Time"](0, k * MILLISECOND)
            header = types["std_msgs/msg/Header"](stamp, "")
            message = types["sensor_msgs/msg/JointState"](
                header, list(panda.joint_names), q, dq, tau
            )
            kind = "sensor_msgs/msg/JointState"
            writer.write("/joint_states", kind, message, time_ns=k * MILLISECOND)
    return folder


class Player:
    """Plays states to the node, each when the one before it has been judged."""

    def __init__(self, context, names):
        self.names = names
        detectors = Parameter("detectors", value=["fused", "momentum", "acceleration"])
        self.node = DetectorNode(context=context, parameter_overrides=[detectors])
        self.peer = Node("player", context=context)
        self.out = self.peer.create_publisher(JointState, "joint_states", STREAM)
        self.statuses, self.events, self.estimates = [], [], []
        self.peer.create_subscription(
            DetectorStatus, "impact_detector/status", self.statuses.append, RECORD
        )
        self.peer.create_subscription(
            ImpactEvent, "impact_detector/impact", self.events.append, LATCHED
        )
        self.peer.create_subscription(
            ImpactEstimate, "impact_detector/estimate", self.estimates.append, LATCHED
        )
        self.executor = SingleThreadedExecutor(context=context)
        for node in (self.node, self.peer):
            self.executor.add_node(node)
        self.until(lambda: self.out.get_subscription_count())
        self.until(lambda: self.peer.count_publishers("impact_detector/status"))

    def until(self, condition):
        end = time.monotonic() + TIME_OUT
        while not condition():
            assert time.monotonic() < end, "timed out"
            self.executor.spin_once(timeout_sec=0.1)

    def play(self, rows):
        for k, (q, dq, tau) in enumerate(rows):
            message = JointState(name=list(self.names))
            from_nanoseconds(k * MILLISECOND, message.header.stamp)
            fill(message.position, q)
            fill(message.velocity, dq)
            fill(message.effort, tau)
            self.out.publish(message)
            self.until(lambda k=k: len(self.statuses) > k)

    def close(self):
        self.executor.shutdown()
        self.node.destroy_node()
        self.peer.destroy_node()


def test_the_node_and_the_command_agree_bit_for_bit(context, panda, rows, bag, capsys):
    player = Player(context, panda.joint_names)
    try:
        player.play(rows)
        player.until(lambda: len(player.events) >= 3 and player.estimates)
    finally:
        player.close()
    status = run(["detect", str(bag), "--detectors", "fused,momentum,acceleration", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert status == 0
    offline = [
        (event["detector"], event["statistic"], round(event["detection_time_s"] * 1e9))
        for event in told["events"]
    ]
    names = {3: "acceleration", 4: "momentum", 5: "fused"}
    live = [
        (names[event.detector], event.statistic, to_nanoseconds(event.detection_time))
        for event in player.events
    ]
    assert sorted(live) == sorted(offline)
    assert {event[0] for event in offline} == set(names.values())
    (estimate,) = player.estimates
    first = next(event for event in told["events"] if event["detector"] == "fused")
    assert (first["link"], first["contact"]) == (estimate.link, estimate.contact)
    assert first["contact"] == panda.contact_frame and first["expected"] is None
    direction = estimate.direction
    assert first["direction"] == [direction.x, direction.y, direction.z]
    largest = max(each.statistic for each in player.statuses if each.ready)
    assert largest == told["largest_statistic"]
