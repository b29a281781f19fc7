# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The variant of the benchmark fci over DDS: a state goes to the nodes, a command comes back."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import franky_sim
import numpy as np
import rclpy
import yaml
from rclpy.context import Context
from rclpy.node import Node
from rclpy.task import Future
from sensor_msgs.msg import JointState

from impact_bringup.experiments.child import child_process
from impact_bringup.experiments.domain import own_domain
from impact_bringup.lifecycle import LifecycleClient
from impact_drivers.franka.arm.arm_state import ArmState
from impact_msgs.msg import JointCommand
from impact_robots import load_robot
from impact_robots.dynamics import ArmDynamics
from impact_ros import qos
from impact_ros.messages import from_nanoseconds, to_nanoseconds
from impact_ros.node.closing import close
from impact_ros.node.spin import make_executor

URDF = Path(franky_sim.__file__).parent / "assets" / "fr3.urdf"
NAMES = tuple(f"fr3_joint{i}" for i in range(1, 8))
PATIENCE = 0.015  # for a command; the arm forgives 20 lost ones [s]
START_TIME_OUT = 60.0  # [s]
MILLISECOND = 1_000_000
DISTANCE, SPEED = 0.1, 0.001  # of the surface [m], and towards it [m/s]


@contextlib.contextmanager
def suite_over_dds(q: np.ndarray) -> Iterator[Callable[[ArmState], np.ndarray]]:
    """Run controller and detector in another process; yield what answers a state by them.

    What it answers is zeros: how long it takes does not depend on that.

    Args:
        q: where the arm is, shape (7,) [rad].
    """
    with own_domain(), tempfile.TemporaryDirectory() as folder:
        settings, log = Path(folder) / "suite.yaml", Path(folder) / "suite.log"
        settings.write_text(yaml.safe_dump(_parameters(q)))
        arguments = ["--ros-args", "--params-file", str(settings)]
        context = Context()
        rclpy.init(args=[], context=context)
        driver = _Driver(context)
        try:
            with child_process("impact_bringup.suite", arguments, log):
                driver.meet()
                yield driver.answer
        finally:
            driver.close()


def _parameters(q: np.ndarray) -> dict[str, Any]:
    """Return the nodes' parameters for a surface in front of the tool."""
    robot = load_robot("fr3", urdf=URDF)
    point = ArmDynamics(robot)(q, np.zeros(robot.dof))
    axis = point.rotation[:, 2]
    arm = {"robot": "fr3", "urdf": str(URDF)}
    controller = arm | {
        "contact_point": (point.position + DISTANCE * axis).tolist(),
        "contact_normal": (-axis).tolist(),
        "impact_limits": "robust",
        "speed": SPEED,
        "state_timeout": 1.0,
        "max_consecutive_missed": 1_000_000,
    }
    nodes = {"impact_qp": controller, "impact_detector": arm, "impact_predictor": arm}
    return {name: {"ros__parameters": dict(values)} for name, values in nodes.items()}


class _Driver:
    """Sends states and waits for their commands."""

    def __init__(self, context: Context) -> None:
        self._node, self._executor = Node("driver", context=context), make_executor(context)
        self._executor.add_node(self._node)
        self._states = self._node.create_publisher(JointState, "joint_states", qos.STREAM)
        self._node.create_subscription(JointCommand, "impact_qp/command", self._take, qos.RECORD)
        self._message = JointState(name=list(NAMES))
        self._number, self._answered, self._zeros = 0, 0, np.zeros(7)

    def meet(self) -> None:
        """Find the nodes and activate the controller."""
        client = LifecycleClient(self._node, "impact_qp", self._wait)
        if not self._wait(client.ready, START_TIME_OUT):
            raise TimeoutError("the suite did not start")
        client.request("configure")
        if not self._wait(lambda: self._states.get_subscription_count() >= 3, START_TIME_OUT):
            raise TimeoutError("the nodes did not find each other")
        client.request("activate")

    def answer(self, state: ArmState) -> np.ndarray:
        """Send a state, and wait for its command, if it comes in time."""
        message, self._number = self._message, self._number + 1
        message.position, message.velocity = state.q.tolist(), state.dq.tolist()
        message.effort = state.tau.tolist()
        from_nanoseconds(self._number * MILLISECOND, message.header.stamp)
        self._states.publish(message)
        self._wait(lambda: self._answered >= self._number, PATIENCE, 0.001)
        return self._zeros

    def close(self) -> None:
        """End the node and its context."""
        self._executor.shutdown()
        close(self._node, context=self._node.context)

    def _take(self, message: JointCommand) -> None:
        self._answered = to_nanoseconds(message.header.stamp) // MILLISECOND

    def _wait(self, condition: Callable[[], bool], limit: float, step: float = 0.01) -> bool:
        end, never = perf_counter() + limit, Future()
        while not condition() and perf_counter() < end:
            self._executor.spin_until_future_complete(never, timeout_sec=step)
        return condition()
