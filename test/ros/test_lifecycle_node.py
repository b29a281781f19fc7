# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the life cycles of this suite's nodes have in common."""

import gc
import weakref

import pytest

pytest.importorskip("rclpy")

from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.node import Node
from std_msgs.msg import Empty

from impact_robots.exceptions import ImpactError
from impact_ros.node.lifecycle_node import SuiteLifecycleNode
from impact_ros.node.spin import freeze_garbage


@pytest.fixture
def no_collection():
    gc.disable()
    yield
    gc.enable()


def test_a_destroyed_node_is_seen_by_nobody(context, no_collection):
    other = Node("other", context=context)
    node = SuiteLifecycleNode("ends", context=context)
    assert "ends" in other.get_node_names()
    node.destroy_node()
    assert "ends" not in other.get_node_names()
    other.destroy_node()


class Failing(SuiteLifecycleNode):
    """Fails where it is told to."""

    def __init__(self, context, where, error):
        super().__init__("failing", context=context)
        self.where, self.error, self.reasons = where, error, []

    def fail(self, where):
        if where == self.where:
            raise self.error

    def set_up(self):
        self.create_subscription(Empty, "in", lambda _: None, 1)
        self.create_publisher(Empty, "out", 1)
        self.create_timer(1.0, lambda: None)
        self.fail("configure")
        return "whole"

    def begin(self):
        self.fail("activate")
        return ""

    def stop(self):
        self.fail("deactivate")

    def release(self, reason):
        self.reasons.append(reason)
        self.fail("cleanup")

    def counts(self):
        return [len(list(each)) for each in (self.subscriptions, self.publishers, self.timers)]


TRANSITIONS = ("configure", "activate", "deactivate", "cleanup")


@pytest.mark.parametrize("where", TRANSITIONS)
def test_an_error_of_the_node_is_logged_and_leaves_nothing_behind(context, capfd, where):
    node = Failing(context, where, RuntimeError("two\n lines"))
    before = node.counts()
    for name in TRANSITIONS[: TRANSITIONS.index(where)]:
        assert getattr(node, f"trigger_{name}")() == TransitionCallbackReturn.SUCCESS
    assert getattr(node, f"trigger_{where}")() == TransitionCallbackReturn.ERROR
    assert f"{where}: RuntimeError: two lines" in capfd.readouterr().err
    assert node.counts() == before and "an error of the node" in node.reasons
    node.where = ""
    assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS
    assert node.counts() == [count + 1 for count in before]
    node.destroy_node()


def test_a_configuration_that_is_refused_late_leaves_nothing_behind(context, capfd):
    node = Failing(context, "configure", ImpactError("no such robot"))
    before = node.counts()
    assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
    assert "no such robot" in capfd.readouterr().err
    assert node.counts() == before
    node.destroy_node()


def test_a_cleanup_frees_what_the_configuration_left(context, no_collection):
    class Cycle:
        def __init__(self):
            self.own = self

    node, cycle = Failing(context, "", None), Cycle()
    seen = weakref.ref(cycle)
    node.trigger_configure()
    freeze_garbage()
    del cycle
    freeze_garbage()
    assert seen() is not None  # a full look takes long, and `spin` begins with this one
    node.trigger_cleanup()
    assert seen() is None
    node.destroy_node()
