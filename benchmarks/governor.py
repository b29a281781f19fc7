# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A foreign controller behind the governor: contacts against bounds, and time beside an echo.

Contacts: black-box arms (``adversary_arm.py``) that a foreign controller drives into walls at
0.5 m/s; velocities, positions and twists in turn, drawn starts, walls and drivers' gains. Time:
this process is driver and foreign controller, the governor's node a second one, a node that echoes
the same commands and hears the same states a third; both get each command, half a period apart, and
the time from sending to receiving is compared. Run it with ``./impact bench governor`` (two
minutes; ``--quick``: a quarter of it).
"""

from __future__ import annotations

import gc
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import rclpy
from beside_echo import beside_echo
from governor_contacts import contacts
from rclpy.context import Context
from rclpy.node import Node
from rclpy.task import Future
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from impact_bringup.lifecycle import LifecycleClient
from impact_robots import load_robot
from impact_ros import qos
from impact_ros.messages import from_nanoseconds
from impact_ros.node.closing import close
from impact_ros.node.main import main_for
from impact_ros.node.spin import make_executor
from impact_sim.scenarios import load_scenario

ROBOT, SCENARIO = load_robot("panda"), load_scenario("qp_panda_demo")
GOVERNOR, ECHO = "impact_governor", "echo"
PERIOD, WARM_UP = 4e-3, 250  # of commands and states [s]; commands
CONTACTS, SECONDS = 210, 60  # a whole run
QUICK = 4  # a quarter of it
START_TIME_OUT = 60.0  # [s]


class CommandEchoNode(Node):
    """Answers each command with itself; hears the states as the governor does."""

    def __init__(self) -> None:
        super().__init__(ECHO)
        self._commands = self.create_publisher(Float64MultiArray, "~/commands", qos.STREAM)
        self.create_subscription(Float64MultiArray, "~/commands_in", self._echo, qos.SENSOR)
        self.create_subscription(JointState, "joint_states", lambda _: None, qos.SENSOR)

    def _echo(self, message: Float64MultiArray) -> None:
        self._commands.publish(message)


class Foreign:
    """Sends states and commands, and takes the time until the answers come."""

    def __init__(self, node: Node, executor: Any) -> None:
        self.node, self._executor = node, executor
        self._states = node.create_publisher(JointState, "joint_states", qos.STREAM)
        self._publishers, self.delays = {}, {}
        self._sent: dict[str, float | None] = {}
        for name in (GOVERNOR, ECHO):
            self._publishers[name] = node.create_publisher(
                Float64MultiArray, f"{name}/commands_in", qos.STREAM
            )
            self.delays[name], self._sent[name] = [], None
            node.create_subscription(
                Float64MultiArray, f"{name}/commands", self._receiver(name), qos.RECORD
            )
        q = SCENARIO.start(ROBOT)
        self._state = JointState(
            name=list(ROBOT.joint_names), position=q.tolist(), velocity=[0.0] * ROBOT.dof
        )
        self._command = Float64MultiArray(data=[0.01] * ROBOT.dof)

    def _receiver(self, name: str) -> Any:
        def receive(_message: Float64MultiArray) -> None:
            now, sent = perf_counter(), self._sent[name]
            if sent is not None:  # a rest in between is no answer
                self.delays[name].append(now - sent)
                self._sent[name] = None

        return receive

    def matched(self) -> bool:
        """Return whether everybody has found everybody."""
        heard = [each.get_subscription_count() for each in self._publishers.values()]
        return self._states.get_subscription_count() >= 2 and min(heard) >= 1

    def wait(self, condition: Any, limit: float) -> bool:
        """Serve the node until a condition holds or a time [s] is over."""
        end, never = perf_counter() + limit, Future()
        while not condition() and perf_counter() < end:
            self._executor.spin_until_future_complete(never, timeout_sec=0.01)
        return bool(condition())

    def state(self) -> None:
        """Send the state of an arm at rest, with the present time."""
        from_nanoseconds(self.node.get_clock().now().nanoseconds, self._state.header.stamp)
        self._states.publish(self._state)

    def run(self, cycles: int) -> None:
        """Send a state, and a quarter and three quarters of a period later the commands."""
        start, never = perf_counter(), Future()
        order = (GOVERNOR, ECHO)
        for k in range(cycles):
            first, second = order if k % 2 else order[::-1]
            for offset, name in ((0.0, ""), (0.25, first), (0.75, second)):
                due = start + (k + offset) * PERIOD
                while (left := due - perf_counter()) > 0.0:
                    self._executor.spin_until_future_complete(never, timeout_sec=left)
                if name:
                    self._sent[name] = perf_counter()
                    self._publishers[name].publish(self._command)
                else:
                    self.state()


def governor_and_echo() -> AbstractContextManager[None]:
    """Let the governor, with the wall of the demo ahead, and the echo run beside."""
    wall = SCENARIO.controller_parameters(ROBOT)
    values = {name: wall[name] for name in ("robot", "contact_point", "contact_normal")}
    settings = {GOVERNOR: values | {"anywhere_speed": 0.3}}
    return beside_echo("impact_qp.governor.node", settings, [Path(__file__).stem, ECHO])


def latency(seconds: float = SECONDS) -> dict[str, list[float]]:
    """Return the times from a command to its answer [s] of the governor and of the echo."""
    with governor_and_echo():
        context = Context()
        rclpy.init(args=[], context=context)
        node, executor = Node("foreign", context=context), make_executor(context)
        executor.add_node(node)
        try:
            foreign = Foreign(node, executor)
            client = LifecycleClient(node, GOVERNOR, foreign.wait)
            if not foreign.wait(client.ready, START_TIME_OUT):
                raise TimeoutError("the governor did not start")
            client.request("configure")
            if not foreign.wait(foreign.matched, START_TIME_OUT):
                raise TimeoutError("the nodes did not find each other")
            foreign.state()
            foreign.wait(lambda: False, 0.02)
            client.request("activate")
            gc.collect()
            gc.freeze()
            gc.disable()
            foreign.run(WARM_UP)
            for delays in foreign.delays.values():
                delays.clear()
            foreign.run(round(seconds / PERIOD))
            foreign.wait(lambda: False, 0.1)
            return foreign.delays
        finally:
            gc.enable()
            executor.shutdown()
            close(node, context=context)


def measure(quick: bool = False) -> dict[str, float]:
    """Return all figures.

    Args:
        quick: a quarter of the contacts and of the time.
    """
    part = QUICK if quick else 1
    found = list(contacts(-(-CONTACTS // part)))
    ratios = np.array([each.speed / each.bound for each in found])
    figures = {
        "contacts": float(len(found)),
        "over_bound": float(np.sum(ratios > 1.0)),
        "over_anywhere_speed": float(sum(each.over_anywhere for each in found)),
        "median_contact_speed_over_bound": float(np.median(ratios)),
        "highest_contact_speed_over_bound": float(ratios.max()),
    }
    for interface in sorted({each.interface for each in found}):
        own = [each.speed / each.bound for each in found if each.interface == interface]
        figures[f"median_contact_speed_over_bound_{interface}"] = float(np.median(own))
    delays = latency(SECONDS / part)
    for name, taken in delays.items():
        for percent in (50, 99):
            label = f"{name.removeprefix('impact_')}_p{percent}_us"
            figures[label] = 1e6 * float(np.percentile(taken, percent))
    for percent in (50, 99):
        ratio = figures[f"governor_p{percent}_us"] / figures[f"echo_p{percent}_us"]
        figures[f"latency_over_echo_p{percent}"] = ratio
    figures["answered_of_sent"] = len(delays[GOVERNOR]) / round(SECONDS / part / PERIOD)
    return figures


if __name__ == "__main__":  # the echo
    sys.exit(main_for(CommandEchoNode)([]))
