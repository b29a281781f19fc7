# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Humanoids away from the start of their grab, also after a reset: no step is commanded.

Class ``humanoid_starts``; ``adversary_classes.py`` runs one of them again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from adversary_host import Host, VirtualClock
from geometry_msgs.msg import WrenchStamped
from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState

from impact_qp.body.node import ImpactHumanoidNode
from impact_qp.interface import LEAD
from impact_robots import load_robot
from impact_ros.messages import fill, from_nanoseconds, set_vector
from impact_sim.humanoid.grab_scenario import GrabScenario
from impact_sim.scenario_choice import find

SCENARIO, PERIOD, EPOCH = "qp_hrp4_grab", 0.005, 10**12  # [s], [ns]
WRENCHES = tuple(f"{side}_{part}/wrench" for part in ("palm", "sole") for side in ("left", "right"))
TOPICS = {"joint_states": JointState, "odom": Odometry} | dict.fromkeys(WRENCHES, WrenchStamped)
KINDS = (
    "off at the start",
    "back elsewhere",
    "moved while inactive",
    "one joint off",
    "deactivated",
    "moved while active",
    "labels exchanged",
)
LED = 200  # cycles in which somebody moves joints
SILENT_AFTER, AT_REST = 2.0, 0.05  # of the deactivation [s], [rad/s]
OFF = (0.02, 1.0)  # [rad]
SERVO = 0.02  # time constant of the joints [s]
ROUNDING = 0.01  # rad, beyond a step and the lead


class Humanoid:
    """A robot with servos on a base that stands still, and its node."""

    def __init__(self, random: np.random.Generator) -> None:
        """Stand where the grab starts; nothing is configured."""
        scenario = find(SCENARIO, GrabScenario)
        self.robot, self.clock, self.random = load_robot(scenario.robot), VirtualClock(), random
        self.base = np.array(scenario.start(self.robot)[:7])
        self.q = np.array(scenario.start(self.robot)[7:])
        self.target, self.broken = self.q.copy(), {}
        self.dq = np.zeros_like(self.q)
        self.carried_to: np.ndarray | None = None  # by somebody, shape (n,) [rad]
        self.order = np.arange(len(self.q))  # of the measured joints
        self.commands = 0
        self.clock.passing = self.advance
        limits = self.robot.limits
        self.most = limits.velocity * (PERIOD + LEAD) + ROUNDING
        self.host = Host(ImpactHumanoidNode, self._hear, self.clock, TOPICS, scenario=SCENARIO)

    def _hear(self, topic: str, message: Any) -> None:
        if topic != "impact_qp/command":
            return
        values = np.array(message.values)
        self.commands += 1
        off = np.abs(values - self.q)
        if not (off <= self.most).all():
            joint = int(np.argmax(off / self.most))
            name = self.robot.joint_names[joint]
            self.note("step", f"{name} is reported {off[joint]:.2f} rad from where it is")
        if np.isfinite(values).all():
            self.target = values

    def note(self, name: str, text: str) -> None:
        """Note what is broken, once."""
        self.broken.setdefault(name, f"{name}: {text}; at {self.clock.now - 1000.0:.2f} s")

    def advance(self, seconds: float) -> None:
        """Let the servos move the joints [s]."""
        self.clock.pass_by(seconds)
        limits = self.robot.limits
        target = self.target if self.carried_to is None else self.carried_to
        step = np.clip((target - self.q) * min(1.0, seconds / SERVO), -1.0, 1.0)
        step = np.clip(step, -limits.velocity * seconds, limits.velocity * seconds)
        self.q, self.dq = self.q + step, step / seconds

    def run(self, seconds: float, *, silent: bool = False) -> None:
        """Let cycles go by."""
        for _ in range(max(1, round(seconds / PERIOD))):
            for topic in () if silent else TOPICS:
                self.host.give(topic, self._message(topic))
            self.advance(PERIOD)
            self.host.tick()

    def _message(self, topic: str) -> Any:
        message = TOPICS[topic]()
        if topic == "joint_states":
            message.name = list(self.robot.joint_names)
            fill(message.position, self.q[self.order])
            fill(message.velocity, self.dq[self.order])
        elif topic == "odom":
            set_vector(message.pose.pose.position, self.base[:3])
            for axis, value in zip("xyzw", self.base[3:], strict=True):
                setattr(message.pose.pose.orientation, axis, float(value))
        elif "sole" in topic:
            set_vector(message.wrench.force, [0.0, 0.0, 187.0])
        from_nanoseconds(EPOCH + round(self.clock.now * 1e9), message.header.stamp)
        return message

    def put_off(self, joints: int) -> float:
        """Put some joints elsewhere, where servos then hold them; return how far, at most [rad]."""
        off = float(np.exp(self.random.uniform(*np.log(OFF))))
        some = self.random.choice(len(self.q), joints, replace=False)
        limits, q = self.robot.limits, self.q.copy()
        q[some] += off * self.random.choice([-1.0, 1.0], joints)
        self.q = np.clip(q, limits.position_lower, limits.position_upper)
        self.target, self.dq = self.q.copy(), np.zeros_like(q)
        return off

    def start(self) -> bool:
        """Configure and activate, with states about."""
        self.host.request("configure")
        known = lambda: all(self.host.node.count_publishers(each) for each in TOPICS)  # noqa: E731
        self.host.wait_for(known)
        self.run(0.05)
        return self.host.request("activate")


def case(seed: int, number: int) -> str:
    """Run one; return what did not hold, empty if all did."""
    random = np.random.default_rng([seed, number, 10])
    kind, robot = KINDS[number % len(KINDS)], Humanoid(random)
    with robot.clock.installed(), np.errstate(all="ignore"):
        try:
            off = _try(robot, kind)
        finally:
            robot.host.close()
    broken = "; ".join(robot.broken.values())
    return f"{kind}, {off:.2f} rad: {broken}" * bool(broken)


def _try(robot: Humanoid, kind: str) -> float:
    """Put the robot elsewhere at some time; return by how much [rad]."""
    joints = int(robot.random.integers(1, len(robot.q)))
    if kind.endswith("at the start") or kind.startswith("one joint"):
        off = robot.put_off(1 if kind.startswith("one") else joints)
        robot.start()
        robot.run(0.3)
        return off
    if not robot.start():
        robot.note("start", f"not activated: {robot.host.log.errors[-1:]}")
    robot.run(0.2)
    if kind == "deactivated":
        robot.host.request("deactivate")
        robot.run(SILENT_AFTER)
        sent = robot.commands
        robot.run(0.3)
        if robot.commands > sent:
            robot.note("silent", "an inactive node sends commands")
        if np.abs(robot.dq).max() > AT_REST:
            robot.note("rest", f"{np.abs(robot.dq).max():.2f} rad/s")
        return 0.0
    if kind == "moved while active":
        start, turn = robot.q.copy(), robot.random.uniform(-0.3, 0.3, len(robot.q))
        low, high = robot.robot.limits.position_lower, robot.robot.limits.position_upper
        for share in np.linspace(0.0, 1.0, LED):
            robot.carried_to = np.clip(start + share * turn, 0.95 * low, 0.95 * high)
            robot.run(PERIOD)
        robot.carried_to = None
        robot.run(0.5)
        return 0.3
    if kind == "labels exchanged":
        pair = robot.random.choice(len(robot.q), 2, replace=False)
        robot.order[pair] = pair[::-1]
        robot.run(0.3)
        return float(abs(np.diff(robot.q[pair])[0]))
    if kind == "moved while inactive":
        robot.host.request("deactivate")
        robot.run(0.3)
    else:
        robot.run(0.3, silent=True)
    off = robot.put_off(joints)
    robot.run(0.3)
    return off
