# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""From a state to its command over real DDS at 1 kHz, compared with a node that only echoes.

This process is the driver; the suite (detector, predictor, controller) is a second one, the echo a
third. Both get every state, half a millisecond apart, so what disturbs one disturbs both. The arm
stands still: what a controller computes does not depend on that. To every second state the echo
answers after the floor of a cycle (``computeAllTerms`` and a bare solve, see ``benchmarks/qp.py``):
what a node would take that has nothing else to do. Run it with ``./impact bench qp_loop`` (a minute
and a half).
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import qp
import rclpy
from beside_echo import beside_echo
from rclpy.context import Context
from rclpy.node import Node
from rclpy.task import Future
from sensor_msgs.msg import JointState

from impact_bringup.lifecycle import LifecycleClient
from impact_msgs.msg import JointCommand
from impact_robots import load_robot
from impact_robots.dynamics import ArmDynamics
from impact_ros import qos
from impact_ros.messages import from_nanoseconds, to_nanoseconds
from impact_ros.node.closing import close
from impact_ros.node.main import main_for
from impact_ros.node.spin import make_executor
from impact_sim.driver.sensors import PANDA_NOISE
from impact_sim.scenarios import load_scenario

ROBOT, SCENARIO = load_robot("panda"), load_scenario("qp_panda_demo")
PERIOD, SECONDS, WARM_UP = 1e-3, 60, 2  # [s]
MILLISECOND = 1_000_000
START_TIME_OUT = 60.0  # [s]
ECHO, FLOOR = "echo", "floor"


class EchoNode(Node):
    """Answers each state with as many numbers, every second one after the floor of a cycle."""

    def __init__(self) -> None:
        super().__init__(ECHO)
        self._floor = qp._floor(qp._approach()[1])
        self._answer = JointCommand(joint_names=list(ROBOT.joint_names), values=[0.0] * ROBOT.dof)
        self._commands = self.create_publisher(JointCommand, "~/command", qos.STREAM)
        self.create_subscription(JointState, "~/joint_states", self._on_state, qos.SENSOR)

    def _on_state(self, message: JointState) -> None:
        if _has_floor(to_nanoseconds(message.header.stamp) // MILLISECOND):
            self._floor(0, (np.array(message.position), np.array(message.velocity)))
        self._answer.header.stamp = message.header.stamp
        self._commands.publish(self._answer)


def _has_floor(k: int) -> bool:
    """Return whether the echo answers state k after the floor of a cycle."""
    return k % 2 == 1


class Driver:
    """Sends states and takes the time until their answers come."""

    def __init__(self, node: Node, executor: Any) -> None:
        self.node, self._executor, self._random = node, executor, np.random.default_rng(0)
        self._q, self._dq = SCENARIO.start(ROBOT), np.zeros(ROBOT.dof)
        self._message = JointState(name=list(ROBOT.joint_names))
        self._held = ArmDynamics(ROBOT)(self._q, np.zeros(ROBOT.dof)).g
        self._publishers, self.delays, self._sent = {}, {}, {}
        for name, states in (("impact_qp", "joint_states"), (ECHO, f"{ECHO}/joint_states")):
            self._publishers[name] = node.create_publisher(JointState, states, qos.STREAM)
            self.delays[name], self._sent[name] = {}, {}
            node.create_subscription(
                JointCommand, f"{name}/command", self._receiver(name), qos.RECORD
            )

    def _receiver(self, name: str) -> Callable[[JointCommand], None]:
        sent, delays = self._sent[name], self.delays[name]

        def receive(message: JointCommand) -> None:
            now, k = perf_counter(), to_nanoseconds(message.header.stamp) // MILLISECOND
            if k in sent:
                delays.setdefault(k, now - sent[k])

        return receive

    def matched(self) -> bool:
        """Return whether everybody has found everybody: detector, predictor, controller, echo."""
        heard = [publisher.get_subscription_count() for publisher in self._publishers.values()]
        return heard[0] >= 3 and heard[1] >= 1

    def wait(self, condition: Callable[[], bool], limit: float) -> bool:
        """Serve the node until a condition holds or a time [s] is over."""
        end, never = perf_counter() + limit, Future()
        while not condition() and perf_counter() < end:
            self._executor.spin_until_future_complete(never, timeout_sec=0.01)
        return condition()

    def run(self, cycles: int, first: int) -> None:
        """Send states at 1 kHz, to the one and half a period later to the other."""
        start, never = perf_counter(), Future()
        for k in range(cycles):
            for offset, name in ((0.0, "impact_qp"), (0.5, ECHO)):
                due = start + (k + offset) * PERIOD
                while (left := due - perf_counter()) > 0.0:
                    self._executor.spin_until_future_complete(never, timeout_sec=left)
                self._send(name, first + k)

    def _send(self, name: str, k: int) -> None:
        message = self._message
        noise = self._random.standard_normal((3, ROBOT.dof))
        message.position = (self._q + PANDA_NOISE.position * noise[0]).tolist()
        message.velocity = (self._dq + PANDA_NOISE.velocity * noise[1]).tolist()
        message.effort = (self._held + PANDA_NOISE.torque * noise[2]).tolist()
        from_nanoseconds(k * MILLISECOND, message.header.stamp)
        self._sent[name][k] = perf_counter()
        self._publishers[name].publish(message)


def suite_and_echo(changes: dict[str, Any]) -> AbstractContextManager[None]:
    """Let the suite, with the demo's parameters but for some, and the echo run beside."""
    values = SCENARIO.controller_parameters(ROBOT) | changes
    settings = {"impact_qp": values, "impact_detector": {"robot": "panda"}}
    return beside_echo("impact_bringup.suite", settings, [Path(__file__).stem, ECHO])


def measure(seconds: int = SECONDS) -> dict[str, float]:
    """Return all figures; times in microseconds.

    Args:
        seconds: how long the states flow.
    """
    with suite_and_echo({"state_timeout": 1.0, "speed": 0.0}):
        delays = _drive(seconds)
    return _figures(delays, seconds * 1000)


def _drive(seconds: int) -> dict[str, dict[int, float]]:
    """Return the delays of each by number of the state [s]."""
    context = Context()
    rclpy.init(args=[], context=context)
    node, executor = Node("driver", context=context), make_executor(context)
    executor.add_node(node)
    try:
        driver = Driver(node, executor)
        client = LifecycleClient(node, "impact_qp", driver.wait)
        if not driver.wait(client.ready, START_TIME_OUT):
            raise TimeoutError("the suite did not start")
        client.request("configure")
        if not driver.wait(driver.matched, START_TIME_OUT):
            raise TimeoutError("the nodes did not find each other")
        client.request("activate")
        gc.collect()
        gc.freeze()
        gc.disable()
        driver.run(WARM_UP * 1000, first=1)
        for delays in driver.delays.values():
            delays.clear()
        driver.run(seconds * 1000, first=WARM_UP * 1000 + 1)
        driver.wait(lambda: False, 0.1)
        suite, echo = driver.delays["impact_qp"], driver.delays[ECHO]
        return {
            "suite": dict(suite),
            ECHO: {k: delay for k, delay in echo.items() if not _has_floor(k)},
            FLOOR: {k: delay for k, delay in echo.items() if _has_floor(k)},
        }
    finally:
        gc.enable()
        executor.shutdown()
        close(node, context=context)


def _figures(delays: dict[str, dict[int, float]], count: int) -> dict[str, float]:
    """Return percentiles, and how many states were answered late or not at all."""
    figures: dict[str, float] = {}
    for label, share in (("suite", 1.0), (ECHO, 0.5), (FLOOR, 0.5)):
        taken, sent = np.array(list(delays[label].values())), share * count
        for percent in (50, 99, 99.9):
            figures[f"{label}, p{percent:g} [us]"] = 1e6 * float(np.percentile(taken, percent))
        figures[f"{label}, later than 1 ms [%]"] = 100.0 * float(np.sum(taken > PERIOD)) / sent
        figures[f"{label}, not answered [%]"] = 100.0 * (sent - len(taken)) / sent
    for one, other in (("suite", ECHO), (FLOOR, ECHO), ("suite", FLOOR)):
        for percent in ("50", "99"):
            key = f"p{percent} [us]"
            ratio = figures[f"{one}, {key}"] / figures[f"{other}, {key}"]
            figures[f"{one} / {other}, p{percent}"] = ratio
    return figures


if __name__ == "__main__":  # the echo
    sys.exit(main_for(EchoNode)([]))
