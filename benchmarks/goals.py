# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What goals cost the control loop: the longest time from a state to its command, with and without.

The suite runs in a process of its own and gets states at 1 kHz over real DDS, as in
``benchmarks/qp_loop.py``. Blocks in which a goal comes every half second (bad ones, and ones for
which the whole search for a bound is done and no speed is safe, so that the arm goes on holding)
and blocks without goals take turns in a random order. A node that only echoes gets the same states:
what it has at its longest is the machine's. Run it with ``./impact bench goals`` (a minute and a
half).
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pinocchio as pin
import qp_loop
import rclpy
import yaml
from predictor_service import importable
from qp_loop import ECHO, ROBOT, SCENARIO, START_TIME_OUT, WARM_UP, Driver
from rclpy.action import ActionClient
from rclpy.context import Context
from rclpy.node import Node

from impact_bringup.child import child_process
from impact_bringup.domain import own_domain
from impact_bringup.lifecycle import LifecycleClient
from impact_msgs.action import ExecuteImpact
from impact_ros.closing import close
from impact_ros.spin import make_executor

BLOCK, EVERY = 2000, 500  # cycles of a block, and from one goal to the next in it
BLOCKS = 16  # of each kind
KINDS: tuple[dict[str, float | str], ...] = (  # all prepared, none begun: an approach costs more
    {"friction_high": 9.0},
    {"speed": -1.0},
    {"friction_high": 9.0, "impact_limits": "joint_load"},
    {"timeout": -1.0},
)


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
    values = SCENARIO.controller_parameters(ROBOT) | {
        "state_timeout": 1.0,
        "max_consecutive_missed": 1_000_000,
        "approach_on_activation": False,
        "impact_limits": "joint_load",
    }
    settings = {
        "impact_qp": {"ros__parameters": values},
        "impact_detector": {"ros__parameters": {"robot": "panda"}},
    }
    with own_domain(), tempfile.TemporaryDirectory() as folder, importable():
        log = Path(folder)
        (log / "suite.yaml").write_text(yaml.safe_dump(settings))
        arguments = ["--ros-args", "--params-file", str(log / "suite.yaml")]
        with (
            child_process("impact_bringup.suite", arguments, log / "suite.log"),
            child_process(qp_loop.__name__, [ECHO], log / "echo.log"),
        ):
            return _drive(blocks)


def _drive(blocks: int) -> dict[str, float]:
    context = Context()
    rclpy.init(args=[], context=context)
    node, executor = Node("driver", context=context), make_executor(context)
    executor.add_node(node)
    client = ActionClient(node, ExecuteImpact, "impact_qp/execute_impact")
    try:
        driver = Driver(node, executor)
        life = LifecycleClient(node, "impact_qp", driver.wait)
        if not driver.wait(life.ready, START_TIME_OUT):
            raise TimeoutError("the suite did not start")
        life.request("configure")
        if not driver.wait(lambda: driver.matched() and client.server_is_ready(), START_TIME_OUT):
            raise TimeoutError("the nodes did not find each other")
        life.request("activate")
        return _turns(driver, client, blocks)
    finally:
        client.destroy()
        executor.shutdown()
        close(node, context=context)


def _turns(driver: Driver, client: ActionClient, blocks: int) -> dict[str, float]:
    """Let blocks take turns."""
    first = 1 + WARM_UP * 1000
    driver.run(WARM_UP * 1000, first=1)
    found = {False: Delays(), True: Delays()}
    order = np.random.default_rng(0).permutation([False, True] * blocks)
    goals = ended = 0
    results = []
    for with_goals in order.tolist():
        for each in driver.delays.values():
            each.clear()
        for part in range(0, BLOCK, EVERY):
            if with_goals:
                handle = client.send_goal_async(_goal(KINDS[goals % len(KINDS)]))
                handle.add_done_callback(lambda done: results.append(done.result()))
                goals += 1
            driver.run(EVERY, first=first + part)
        first += BLOCK
        driver.wait(lambda: False, 0.05)
        _note(found[with_goals], driver)
    ended = sum(each.accepted for each in results)
    figures = {"goals": float(goals), "goals answered": float(ended)}
    for label, with_goals in (("without goals", False), ("with goals", True)):
        figures |= found[with_goals].figures(label)
    for what in ("p99.9 [us]", "longest of a block, median [us]"):
        ratio = figures[f"with goals, {what}"] / figures[f"without goals, {what}"]
        figures[f"with / without, {what.removesuffix(' [us]')}"] = ratio
    return figures


def _note(delays: Delays, driver: Driver) -> None:
    taken = list(driver.delays["impact_qp"].values())
    delays.suite += taken
    delays.longest.append(max(taken))
    delays.echo += list(driver.delays[ECHO].values())
    delays.sent += BLOCK


def _goal(fields: dict[str, float | str]) -> ExecuteImpact.Goal:
    goal = ExecuteImpact.Goal(speed=0.02)
    goal.contact.header.frame_id = ROBOT.base_frame
    place, turn = goal.contact.pose.position, goal.contact.pose.orientation
    place.x, place.y, place.z = map(float, SCENARIO.surface_point(ROBOT))
    q = pin.Quaternion(np.array([0.0, 0.0, 1.0]), np.array(SCENARIO.normal, dtype=float))
    turn.x, turn.y, turn.z, turn.w = q.x, q.y, q.z, q.w
    for name, value in fields.items():
        setattr(goal, name, value)
    return goal
