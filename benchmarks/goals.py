# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Effect of goals on the control loop: the longest time from state to command, with and without.

The suite runs in a process of its own and gets the states of a simulated arm at 1 kHz over real
DDS, as in ``benchmarks/qp_loop.py``. Blocks in which a goal comes every half second and blocks
without take turns in a random order, in two situations: the arm holds (goals that are refused, and
ones for which the whole search for a bound is done and no speed is safe, so that it goes on
holding), and the arm is approaching (also goals that are accepted and replace the one before). A
node that only echoes gets the same states: its ratio is the part of the machine. Run it with
``./impact bench goals`` (three minutes).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pinocchio as pin
import rclpy
from adversary_arm import SimulatedArm
from qp_loop import ECHO, PERIOD, ROBOT, SCENARIO, START_TIME_OUT, WARM_UP, Driver, suite_and_echo
from rclpy.action import ActionClient
from rclpy.context import Context
from rclpy.node import Node
from rclpy.task import Future

from impact_bringup.lifecycle import LifecycleClient
from impact_msgs.action import ExecuteImpact
from impact_msgs.msg import JointCommand, Surface
from impact_ros.node.closing import close
from impact_ros.node.spin import make_executor

BLOCK, EVERY = 2000, 500  # cycles of a block, and from one goal to the next in it
BLOCKS = 10  # of each kind, in each situation
SETTLES = 500  # cycles of an approach before its block
PAUSE = 10_000  # cycles for which an inactive arm's clock goes on while it is brought back
Fields = dict[str, Any]  # of a goal that differ from the plain one
BAD: tuple[Fields, ...] = (  # all prepared, none begun
    {"surface": Surface(friction_high=9.0)},
    {"speed": -1.0},
    {"surface": Surface(friction_high=9.0), "impact_limits": "joint_load"},
    {"timeout": -1.0},
)
LOAD: Fields = {"impact_limits": "joint_load"}
SITUATIONS: dict[str, tuple[Fields | None, tuple[Fields, ...]]] = {  # goal under way, goals sent
    "holding": (None, BAD),
    "approaching": ({}, ({}, *BAD)),
    "approaching, joint_load": (LOAD, (LOAD, *BAD)),
}


@dataclass
class Delays:
    """From states to their answers, of blocks with or without goals [s]."""

    suite: list[float] = field(default_factory=list)
    echo: list[float] = field(default_factory=list)
    longest: list[float] = field(default_factory=list)  # of each block
    sent: int = 0

    def figures(self, label: str) -> dict[str, float]:
        """Return times in microseconds, and the states that were not answered."""
        suite, echo = np.array(self.suite), np.array(self.echo)
        return {
            f"{label}, p50 [us]": 1e6 * float(np.median(suite)),
            f"{label}, p99.9 [us]": 1e6 * float(np.percentile(suite, 99.9)),
            f"{label}, longest of a block, median [us]": 1e6 * float(np.median(self.longest)),
            f"{label}, longest [us]": 1e6 * float(suite.max()),
            f"{label}, not answered [%]": 100.0 * (self.sent - len(suite)) / self.sent,
            f"echo {label}, p99.9 [us]": 1e6 * float(np.percentile(echo, 99.9)),
            f"echo {label}, longest [us]": 1e6 * float(echo.max()),
        }


def measure(blocks: int = BLOCKS) -> dict[str, float]:
    """Return all figures; times in microseconds.

    Args:
        blocks: of each kind.
    """
    changes = {
        "state_timeout": 1.0,
        "max_consecutive_missed": 1_000_000,
        "approach_on_activation": False,
        "simulated": True,
    }
    with suite_and_echo(changes):
        return _drive(blocks)


def _drive(blocks: int) -> dict[str, float]:
    context = Context()
    rclpy.init(args=[], context=context)
    node, executor = Node("driver", context=context), make_executor(context)
    executor.add_node(node)
    client = ActionClient(node, ExecuteImpact, "impact_qp/execute_impact")
    try:
        driver = MovingDriver(node, executor)
        life = LifecycleClient(node, "impact_qp", driver.wait)
        if not driver.wait(life.ready, START_TIME_OUT):
            raise TimeoutError("the suite did not start")
        life.request("configure")
        if not driver.wait(lambda: driver.matched() and client.server_is_ready(), START_TIME_OUT):
            raise TimeoutError("the nodes did not find each other")
        life.request("activate")
        turns = Turns(driver, client, life)
        found: dict[str, float] = {}
        for situation in SITUATIONS:
            found |= turns.figures(situation, blocks)
        return found | {"goals answered": float(turns.answered)}
    finally:
        client.destroy()
        executor.shutdown()
        close(node, context=context)


class MovingDriver(Driver):
    """The driver of an arm that goes as it is commanded."""

    def __init__(self, node: Node, executor: Any) -> None:
        """Put the arm to where the demo begins."""
        self.arm, self._values = SimulatedArm(ROBOT, "torque"), np.zeros(ROBOT.dof)
        super().__init__(node, executor)
        self.back()

    def back(self) -> None:
        """Put the arm back; nobody may be controlling it."""
        self.arm.reset(SCENARIO.start(ROBOT), np.zeros(ROBOT.dof))
        self._values = np.zeros(ROBOT.dof)

    def _receiver(self, name: str) -> Callable[[JointCommand], None]:
        receive = super()._receiver(name)

        def follow(message: JointCommand) -> None:
            receive(message)
            self._values = np.array(message.values)

        return receive if name == ECHO else follow

    def _send(self, name: str, k: int) -> None:
        if name != ECHO:
            arm = self.arm
            arm.step(self._values, PERIOD)
            self._q, self._dq, self._held = arm.q, arm.dq, self._values + arm.state.g
        super()._send(name, k)


class Turns:
    """Lets blocks with goals and without take turns."""

    def __init__(self, driver: MovingDriver, client: ActionClient, life: LifecycleClient) -> None:
        """Let the states flow for a while."""
        self._driver, self._client, self._life = driver, client, life
        self._first, self.answered = 1, 0
        self._run(WARM_UP * 1000)

    def _run(self, cycles: int) -> None:
        self._driver.run(cycles, first=self._first)
        self._first += cycles

    def figures(self, situation: str, blocks: int) -> dict[str, float]:
        """Return the figures of one situation, from as many blocks of each kind."""
        under_way, kinds = SITUATIONS[situation]
        found, sent = {False: Delays(), True: Delays()}, 0
        order = np.random.default_rng(0).permutation([False, True] * blocks)
        for with_goals in order.tolist():
            if under_way is not None:
                self._begin(under_way)
            for each in self._driver.delays.values():
                each.clear()
            for _ in range(0, BLOCK, EVERY):
                if with_goals:
                    self._ask(kinds[sent % len(kinds)])
                    sent += 1
                self._run(EVERY)
            self._driver.wait(lambda: False, 0.05)
            _note(found[with_goals], self._driver)
        figures: dict[str, float] = {f"{situation}: goals": float(sent)}
        for label, with_goals in (("without goals", False), ("with goals", True)):
            figures |= found[with_goals].figures(f"{situation}: {label}")
        for name, what in (
            (situation, "p99.9"),
            (situation, "longest of a block, median"),
            (f"echo {situation}", "p99.9"),
        ):
            with_goals, without = (
                figures[f"{name}: {label} goals, {what} [us]"] for label in ("with", "without")
            )
            figures[f"{name}: with / without, {what}"] = with_goals / without
        return figures

    def _ask(self, fields: Fields) -> Future:
        def note(_: Future) -> None:
            self.answered += 1

        future = self._client.send_goal_async(_goal(fields))
        future.add_done_callback(note)
        return future

    def _begin(self, fields: Fields) -> None:
        """Let the arm approach from where the demo begins.

        Raises:
            RuntimeError: the goal was not accepted.
        """
        self._life.request("deactivate")
        self._driver.back()
        self._first += PAUSE
        self._life.request("activate")
        asked = self._ask(fields)
        self._run(SETTLES)
        if not asked.done() or not asked.result().accepted:
            raise RuntimeError(f"expected an approach, the goal {fields} was not accepted")


def _note(delays: Delays, driver: Driver) -> None:
    taken = list(driver.delays["impact_qp"].values())
    delays.suite += taken
    delays.longest.append(max(taken, default=BLOCK * PERIOD))  # none was answered
    delays.echo += list(driver.delays[ECHO].values())
    delays.sent += BLOCK


def _goal(fields: Fields) -> ExecuteImpact.Goal:
    goal = ExecuteImpact.Goal(speed=0.02)
    goal.contact.header.frame_id = ROBOT.base_frame
    place, turn = goal.contact.pose.position, goal.contact.pose.orientation
    place.x, place.y, place.z = map(float, SCENARIO.surface_point(ROBOT))
    q = pin.Quaternion(np.array([0.0, 0.0, 1.0]), np.array(SCENARIO.normal, dtype=float))
    turn.x, turn.y, turn.z, turn.w = q.x, q.y, q.z, q.w
    for name, value in fields.items():
        setattr(goal, name, value)
    return goal
