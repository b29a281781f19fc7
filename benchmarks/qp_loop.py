# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""From a state to its command over real DDS at 1 kHz, compared with nodes that do less.

This process is the driver; the suite (detector, predictor, controller) is a second one, the echo a
third. Each gets blocks of states of its own, so that none waits for another's work. The echo
answers at once in some blocks, and in others after the floor of a cycle (``computeAllTerms`` and a
bare solve, see ``benchmarks/qp.py``): what a node would take that has nothing else to do. A round
has a block of each in random order; a ratio is that of percentiles within a round, its spread that
of the rounds. The arm stands still: what a controller computes does not depend on that. Run it with
``./impact bench qp_loop`` (a minute and a half).
"""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Callable, Iterator, Sequence
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
from side_by_side import spread

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
PERIOD, WARM_UP = 1e-3, 2  # [s]
MILLISECOND = 1_000_000
START_TIME_OUT = 60.0  # [s]
ROUNDS, BLOCK, BEGINNING = 20, 1000, 50  # states of a block, and first ones that do not count
CONTROLLER, ECHO, FLOOR = "impact_qp", "echo", "floor"
KINDS = {"suite": CONTROLLER, ECHO: ECHO, FLOOR: ECHO}  # of blocks, and the node that answers
PERCENTS = (50, 99)
# between its blocks the suite gets no states
BLOCK_SETTINGS = {"state_timeout": 10.0, "max_consecutive_missed": 1_000_000, "speed": 0.0}


class EchoNode(Node):
    """Answers each state with as many numbers, where that is asked for after a cycle's floor."""

    def __init__(self) -> None:
        super().__init__(ECHO)
        self._floor = qp._floor(qp._approach()[1])
        self._answer = JointCommand(joint_names=list(ROBOT.joint_names), values=[0.0] * ROBOT.dof)
        self._commands = self.create_publisher(JointCommand, "~/command", qos.STREAM)
        self.create_subscription(JointState, "~/joint_states", self._on_state, qos.SENSOR)

    def compute(self, q: np.ndarray, dq: np.ndarray) -> None:
        """Compute the floor of a cycle at a state, (n,) each [rad, rad/s]."""
        self._floor(0, (q, dq))

    def _on_state(self, message: JointState) -> None:
        if message.header.frame_id == FLOOR:
            self.compute(np.array(message.position), np.array(message.velocity))
        self._answer.header.stamp = message.header.stamp
        self._commands.publish(self._answer)


class Driver:
    """Sends states and takes the time until their answers come."""

    def __init__(self, node: Node, executor: Any) -> None:
        self.node, self._executor, self._random = node, executor, np.random.default_rng(0)
        self._q, self._dq = SCENARIO.start(ROBOT), np.zeros(ROBOT.dof)
        self._message = JointState(name=list(ROBOT.joint_names))
        self._held = ArmDynamics(ROBOT)(self._q, np.zeros(ROBOT.dof)).g
        self._publishers, self.delays, self.sent = {}, {}, {}
        for name, states in ((CONTROLLER, "joint_states"), (ECHO, f"{ECHO}/joint_states")):
            self._publishers[name] = node.create_publisher(JointState, states, qos.STREAM)
            self.delays[name], self.sent[name] = {}, {}
            node.create_subscription(
                JointCommand, f"{name}/command", self._receiver(name), qos.RECORD
            )

    def _receiver(self, name: str) -> Callable[[JointCommand], None]:
        sent, delays = self.sent[name], self.delays[name]

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
        self._run(cycles, first, ((0.0, CONTROLLER), (0.5, ECHO)))

    def block(self, kind: str, first: int) -> dict[int, float]:
        """Send a block of states of a kind; return the delays by number of the state [s]."""
        name = KINDS[kind]
        self.delays[name].clear()
        self._message.header.frame_id = kind
        self._run(BEGINNING + BLOCK, first, ((0.0, name),))
        self.wait(lambda: False, 0.02)
        return {k: delay for k, delay in self.delays[name].items() if k >= first + BEGINNING}

    def _run(self, cycles: int, first: int, receivers: Sequence[tuple[float, str]]) -> None:
        start, never = perf_counter(), Future()
        for k in range(cycles):
            for offset, name in receivers:
                due = start + (k + offset) * PERIOD
                while (left := due - perf_counter()) > 0.0:
                    self._executor.spin_until_future_complete(never, timeout_sec=left)
                if left < -PERIOD / 2.0:  # held up: a robot does not send what it missed in a burst
                    start -= left
                self._send(name, first + k)

    def _send(self, name: str, k: int) -> None:
        message = self._message
        noise = self._random.standard_normal((3, ROBOT.dof))
        message.position = (self._q + PANDA_NOISE.position * noise[0]).tolist()
        message.velocity = (self._dq + PANDA_NOISE.velocity * noise[1]).tolist()
        message.effort = (self._held + PANDA_NOISE.torque * noise[2]).tolist()
        from_nanoseconds(k * MILLISECOND, message.header.stamp)
        self.sent[name][k] = perf_counter()
        self._publishers[name].publish(message)


def suite_and_echo(
    changes: dict[str, Any], module: str = "impact_bringup.suite", echo: str = Path(__file__).stem
) -> AbstractContextManager[None]:
    """Let the suite, with the demo's parameters but for some, and the echo run beside.

    Args:
        changes: of the demo's parameters.
        module: that runs the suite.
        echo: module that runs the echo.
    """
    values = SCENARIO.controller_parameters(ROBOT) | changes
    settings = {"impact_qp": values, "impact_detector": {"robot": "panda"}}
    return beside_echo(module, settings, [echo, ECHO])


def measure(rounds: int = ROUNDS) -> dict[str, float]:
    """Return all figures; times in microseconds.

    Args:
        rounds: in each of which there is a block of every kind.
    """
    with suite_and_echo(BLOCK_SETTINGS), active_driver() as driver:
        blocks: dict[str, list[np.ndarray]] = {kind: [] for kind in KINDS}
        for kind, delays in turns(driver, rounds):
            blocks[kind].append(np.array(list(delays.values())))
    return _figures(blocks) | _ratios(blocks)


@contextlib.contextmanager
def active_driver() -> Iterator[Driver]:
    """Yield a driver whose states the suite, activated, and the echo have begun to answer."""
    context = Context()
    rclpy.init(args=[], context=context)
    node, executor = Node("driver", context=context), make_executor(context)
    executor.add_node(node)
    try:
        driver = Driver(node, executor)
        client = LifecycleClient(node, CONTROLLER, driver.wait)
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
        yield driver
    finally:
        gc.enable()
        executor.shutdown()
        close(node, context=context)


def turns(driver: Driver, rounds: int) -> Iterator[tuple[str, dict[int, float]]]:
    """Yield the kind of each block, and the delays of its answered states by number [s]."""
    random, first = np.random.default_rng(0), WARM_UP * 1000 + 1
    numbers = dict.fromkeys(KINDS.values(), first)  # of the next state; a clock without gaps
    for _ in range(rounds):
        for kind in random.permutation(list(KINDS)).tolist():
            yield kind, driver.block(kind, numbers[KINDS[kind]])
            numbers[KINDS[kind]] += BEGINNING + BLOCK


def _figures(blocks: dict[str, list[np.ndarray]]) -> dict[str, float]:
    """Return percentiles of all blocks, and how many states were answered late or not at all."""
    figures: dict[str, float] = {}
    for kind, parts in blocks.items():
        taken, sent = np.concatenate(parts), len(parts) * BLOCK
        for percent in (*PERCENTS, 99.9):
            figures[f"{kind}, p{percent:g} [us]"] = 1e6 * float(np.percentile(taken, percent))
        figures[f"{kind}, later than 1 ms [%]"] = 100.0 * float(np.sum(taken > PERIOD)) / sent
        figures[f"{kind}, not answered [%]"] = 100.0 * (sent - len(taken)) / sent
    return figures


def _ratios(blocks: dict[str, list[np.ndarray]]) -> dict[str, float]:
    """Return ratios of percentiles within a round, with their spread over the rounds."""
    figures: dict[str, float] = {}
    for percent in PERCENTS:
        for one, other in (("suite", ECHO), (FLOOR, ECHO), ("suite", FLOOR)):
            ratio = spread(blocks[one], blocks[other], percent)
            figures |= ratio.figures(f"{one} / {other}, p{percent}")
    return figures


if __name__ == "__main__":  # the echo
    sys.exit(main_for(EchoNode)([]))
