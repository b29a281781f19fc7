# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What a controller's node publishes, and to whom."""

import numpy as np
import pytest

pytest.importorskip("rclpy")
pytest.importorskip("impact_msgs.msg")

from builtin_interfaces.msg import Time
from rclpy.serialization import deserialize_message

from impact_msgs.msg import ControllerStatus, JointCommand
from impact_qp.ros.outputs import Outputs


class Publisher:
    """Notes what was published, and has as many subscribers as it is given."""

    def __init__(self, topic, sent):
        self.subscribers, self.topic_name, self._sent = 0, topic, sent

    def get_subscription_count(self):
        return self.subscribers

    def publish(self, message):
        self._sent.append((self.topic_name, message))

    def wait_for_all_acked(self, timeout):
        assert timeout.nanoseconds == 1e8
        self._sent.append((self.topic_name, "waited for"))


class Publishers:
    """Stands in for a node."""

    def __init__(self):
        self.sent, self.made = [], {}

    def create_publisher(self, kind, topic, profile):
        name = topic.rsplit("/", 1)[-1]
        self.made[name] = Publisher(name, self.sent)
        return self.made[name]

    def destroy_publisher(self, publisher):
        self.sent.append((publisher.topic_name, "destroyed"))


def answer(panda, *, lockstep, heard=()):
    """Return the topics and messages of one answer, in order."""
    node = Publishers()
    outputs = Outputs(node, panda, "torque", lockstep=lockstep)
    for name in heard:
        node.made[name].subscribers = 1
    outputs.begin_answer(np.arange(7.0), Time(sec=3))
    outputs.finish_answer(ControllerStatus, Time(sec=3), velocity=np.ones(7))
    return node.sent


def test_only_the_command_is_sent_to_nobody(panda):
    ((topic, data),) = answer(panda, lockstep=False)
    message = deserialize_message(data, JointCommand)
    assert topic == "command"
    assert message.joint_names == list(panda.joint_names)
    assert message.header.stamp == Time(sec=3)
    np.testing.assert_array_equal(message.values, np.arange(7.0))


@pytest.mark.parametrize("name", ["commands", "desired_joint_states", "status"])
def test_who_subscribes_gets_the_message_after_the_command(panda, name):
    sent = answer(panda, lockstep=False, heard=[name])
    assert [topic for topic, _ in sent] == ["command", name]


def test_in_lockstep_everything_is_sent_and_the_command_last(panda):
    """An answer may be asked for again, by then by others."""
    topics = [topic for topic, _ in answer(panda, lockstep=True)]
    assert topics == ["desired_joint_states", "status", "commands", "command"]


def test_a_status_that_nobody_reads_is_not_made(panda):
    node, made = Publishers(), []
    outputs = Outputs(node, panda, "torque", lockstep=False)
    outputs.begin_answer(np.arange(7.0), Time(sec=3))
    outputs.finish_answer(lambda: made.append(1), Time(sec=3))
    assert made == []


def test_another_number_of_values_is_not_written(panda):
    outputs = Outputs(Publishers(), panda, "torque", lockstep=False)
    with pytest.raises(ValueError, match="broadcast"):
        outputs.begin_answer(np.arange(6.0), Time(sec=3))


def test_publishers_are_destroyed_once_the_last_command_has_arrived(panda):
    """Whatever node has them; each stores one message, which would be lost with it."""
    node = Publishers()
    Outputs(node, panda, "torque", lockstep=False).destroy()
    assert node.sent[:2] == [("command", "waited for"), ("commands", "waited for")]
    assert {("command", "destroyed"), ("commands", "destroyed")} <= set(node.sent[2:])
