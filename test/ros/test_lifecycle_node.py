# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the life cycles of this suite's nodes have in common."""

import gc

import pytest

pytest.importorskip("rclpy")

from rclpy.node import Node

from impact_ros.node.lifecycle_node import SuiteLifecycleNode


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
