# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The launch files in ROS 2's own launch, where it is installed (it is not on PyPI)."""

from pathlib import Path

import pytest

pytest.importorskip("launch_pytest")
pytest.importorskip("launch_ros")

import launch_pytest
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_pytest.actions import ReadyToTest
from lifecycle_msgs.msg import State
from lifecycle_msgs.srv import GetState
from rclpy.context import Context
from rclpy.node import Node

from impact_msgs.msg import ImpactEvent
from impact_ros.node.closing import close
from impact_ros.node.spin import spin
from impact_ros.qos import LATCHED

ROOT = Path(__file__).resolve().parents[2]
TIME_OUT = 60.0  # [s]


def included(name, **arguments):
    """Return a description that launches one of our files, then lets the test begin."""
    source = PythonLaunchDescriptionSource(str(ROOT / "launch" / f"{name}.launch.py"))
    launched = IncludeLaunchDescription(source, launch_arguments=arguments.items())
    return LaunchDescription([launched, ReadyToTest()])


@launch_pytest.fixture
def simulation():
    return included("simulation", impact_limits="existential", namespace="left")


@launch_pytest.fixture
def robot():
    return included("robot")


@launch_pytest.fixture
def replay():
    return included("replay")


@pytest.fixture
def node():
    context = Context()
    context.init(args=[])
    made = Node("watcher", context=context)
    yield made
    close(made, context=context)


@pytest.mark.launch(fixture=simulation)
def test_the_simulated_arm_hits(node):
    events = []
    node.create_subscription(ImpactEvent, "left/impact_detector/impact", events.append, LATCHED)
    assert spin([node], until=lambda: bool(events), timeout=TIME_OUT) == "condition"


@pytest.mark.launch(fixture=robot)
def test_the_robots_controller_waits_to_be_configured(node):
    client = node.create_client(GetState, "impact_qp/get_state")
    assert spin([node], until=client.service_is_ready, timeout=TIME_OUT) == "condition"
    future = client.call_async(GetState.Request())
    assert spin([node], until=future.done, timeout=TIME_OUT) == "condition"
    assert future.result().current_state.id == State.PRIMARY_STATE_UNCONFIGURED


@pytest.mark.launch(fixture=replay)
def test_detector_and_predictor_listen_to_the_recording(node):
    def listening():
        return node.count_subscribers("joint_states") == 2

    assert spin([node], until=listening, timeout=TIME_OUT) == "condition"
