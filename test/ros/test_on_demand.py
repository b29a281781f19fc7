# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Messages that a node takes when it needs one."""

import pytest

pytest.importorskip("rclpy")

from rclpy.node import Node
from rclpy.serialization import deserialize_message
from std_msgs.msg import Int32

from impact_ros.node.on_demand import OnDemandNode
from impact_ros.node.spin import make_executor
from impact_ros.qos import STREAM

TIME_OUT = 20.0  # [s]


@pytest.fixture
def node(context):
    made = OnDemandNode("node", context=context)
    yield made
    made.destroy_node()


@pytest.fixture
def peer(context):
    """Return a node, with a function that serves both nodes until a condition holds."""
    made, executor = Node("peer", context=context), make_executor(context)

    def spin(node, condition):
        for each in (made, node):
            executor.add_node(each)
        end = made.get_clock().now().nanoseconds + int(TIME_OUT * 1e9)
        while not condition():
            assert made.get_clock().now().nanoseconds < end, "waited in vain"
            executor.spin_once(timeout_sec=0.01)

    made.spin = spin
    yield made
    executor.shutdown()
    made.destroy_node()


def test_the_newest_message_is_taken_once_and_by_no_executor(node, peer):
    newest = node.subscribe_on_demand(Int32, "numbers")
    heard = []
    node.create_subscription(Int32, "numbers", lambda message: heard.append(message.data), STREAM)
    publisher = peer.create_publisher(Int32, "numbers", STREAM)
    peer.spin(node, lambda: publisher.get_subscription_count() == 2)
    assert newest() is None
    for number in (1, 2, 3):
        publisher.publish(Int32(data=number))
        peer.spin(node, lambda: number in heard)  # noqa: B023
    taken = []

    def arrived():  # with the other subscription or a moment later
        if (message := newest()) is not None:
            taken.append(deserialize_message(message, Int32).data)
        return taken[-1:] == [3]

    peer.spin(node, arrived)
    assert taken in ([3], [2, 3])
    assert newest() is None


def test_executors_serve_the_other_subscriptions(node):
    node.subscribe_on_demand(Int32, "left")
    served = node.create_subscription(Int32, "served", lambda message: None, STREAM)
    assert served in list(node.subscriptions)
    assert [each.topic_name for each in node.unserved] == ["/left"]
    assert not {*node.unserved} & {*node.subscriptions}
