# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Two arms of one plan with clock offset, one not ready, one that drops out: none moves alone.

Class ``two_arm_clocks``; ``adversary_classes.py`` runs one of them again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from adversary_arm import SimulatedArm
from adversary_host import Host, VirtualClock
from sensor_msgs.msg import JointState

from impact_msgs.msg import DetectorStatus
from impact_qp.arms.node import ImpactSpreadingNode
from impact_ros.messages import fill, from_nanoseconds
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_sim.scenario_choice import find

SCENARIO, ARMS = "rs_grab_catfood_case1", ("left", "right")
PERIOD, EPOCH = 1e-3, 10**12  # [s], [ns]
KINDS = (
    "clocks apart",
    "one begins late",
    "one not ready",
    "one silent",
    "moved while inactive",
    "labels exchanged",
    "clock jumps",
    "payload",
    "activated in mid-plan",
)
STARTED = 0.03  # a joint moves [rad/s]
TOGETHER = 0.1  # in which both do, as their plans begin alike [s]
AT_REST, STOPS_WITHIN = 0.05, 1.5  # [rad/s], [s]
SAG, HEAVIEST = 0.03, 3.0  # of an arm that holds [m], under a load [kg]
BACK = 0.05  # that an arm may go when it is let go [rad]
FASTEST = 1.0  # of the contact point; the plan's own is up to 0.6 [m/s]


class Arm:
    """One arm, its driver's clock, and what it is sent."""

    def __init__(self, robot: Any, start: np.ndarray) -> None:
        """Stand where the plan starts."""
        self.arm = SimulatedArm(robot, "torque")
        self.arm.reset(np.array(start), np.zeros(robot.dof))
        self.values, self.commands = np.zeros(robot.dof), 0
        self.states = self.verdicts = self.ready = True
        self.offset, self.begun = 0, np.inf  # of its clock [ns], when it began to move [s]
        self.carried = False
        self.swapped: tuple[int, int] | None = None  # joints whose labels are


class Cell:
    """Both arms and their node, in virtual time."""

    def __init__(self) -> None:
        """Make everything; nothing is configured."""
        scenario = find(SCENARIO, SpreadingScenario)
        robot = scenario.robots[0]
        self.robot, self.clock = robot, VirtualClock()
        self.clock.passing = self.advance
        self.arms = {n: Arm(robot, q) for n, q in zip(ARMS, scenario.q_start, strict=True)}
        topics = {f"{name}/joint_states": JointState for name in ARMS}
        topics |= {f"{name}/impact_detector/status": DetectorStatus for name in ARMS}
        self.host = Host(
            ImpactSpreadingNode,
            self._hear,
            self.clock,
            topics,
            scenario=SCENARIO,
            simulated=True,
            state_timeout=0.05,
            max_consecutive_missed=100,
        )
        self.broken: dict[str, str] = {}

    def _hear(self, topic: str, message: Any) -> None:
        name = topic.split("/")[0]
        if topic == f"{name}/impact_qp/command":
            self.arms[name].values = np.array(message.values)
            self.arms[name].commands += 1

    def advance(self, seconds: float) -> None:
        """Let both arms move [s]."""
        steps = max(1, int(np.ceil(seconds / PERIOD - 1e-6)))
        for _ in range(steps):
            self.clock.pass_by(seconds / steps)
            for each in self.arms.values():
                if not each.carried:
                    each.arm.step(each.values, seconds / steps)
                    if np.abs(each.arm.dq).max() > STARTED:
                        each.begun = min(each.begun, self.clock.now)
                    speed = float(np.linalg.norm(each.arm.state.velocity))
                    if not speed < FASTEST:
                        self.note("speed", f"{speed:.2f} m/s")

    def note(self, name: str, text: str) -> None:
        """Note what is broken, once."""
        self.broken.setdefault(name, f"{name}: {text}; at {self.clock.now - 1000.0:.2f} s")

    def run(self, seconds: float) -> None:
        """Let cycles go by."""
        for _ in range(round(seconds / PERIOD)):
            for name, each in self.arms.items():
                if each.verdicts:
                    verdict = DetectorStatus(ready=each.ready)
                    self.host.give(f"{name}/impact_detector/status", self._stamp(each, verdict))
                if each.states:
                    self.host.give(f"{name}/joint_states", self._state(each))
            self.advance(PERIOD)
            self.host.tick()

    def _stamp(self, each: Arm, message: Any) -> Any:
        from_nanoseconds(EPOCH + round(self.clock.now * 1e9) + each.offset, message.header.stamp)
        return message

    def _state(self, each: Arm) -> JointState:
        message = JointState(name=list(self.robot.joint_names))
        order = np.arange(self.robot.dof)
        if each.swapped is not None:
            order[list(each.swapped)] = each.swapped[::-1]
        for field, values in (("position", each.arm.q), ("velocity", each.arm.dq)):
            fill(getattr(message, field), values[order])
        fill(message.effort, np.zeros(self.robot.dof))
        return self._stamp(each, message)

    def start(self) -> bool:
        """Configure, show states, and activate."""
        self.host.request("configure")
        self.run(0.05)
        return self.host.request("activate")


def case(seed: int, number: int) -> str:
    """Run one; return what did not hold, empty if all did."""
    random = np.random.default_rng([seed, number, 9])
    kind = KINDS[number % len(KINDS)]
    cell = Cell()
    with cell.clock.installed(), np.errstate(all="ignore"):
        try:
            about = _TRIALS[kind](cell, random)
        finally:
            cell.host.close()
    broken = "; ".join(cell.broken.values())
    return f"{kind}, {about}: {broken}" * bool(broken)


def _pick(cell: Cell, random: np.random.Generator) -> tuple[str, Arm, Arm]:
    name = str(random.choice(ARMS))
    return name, cell.arms[name], cell.arms[ARMS[1 - ARMS.index(name)]]


def _judge_together(cell: Cell) -> None:
    begun = [each.begun for each in cell.arms.values()]
    if np.isfinite(begun).any() and not abs(begun[0] - begun[1]) <= TOGETHER:
        since = [f"{each - 1000.0:.2f}" for each in begun]
        cell.note("start", f"left and right begin to move at {', '.join(since)} s")


def _judge_rest(cell: Cell, *arms: Arm) -> None:
    for each in arms:
        if np.abs(each.arm.dq).max() > AT_REST:
            cell.note("rest", f"{np.abs(each.arm.dq).max():.2f} rad/s")


def _clocks(cell: Cell, random: np.random.Generator) -> str:
    name, one, _ = _pick(cell, random)
    apart = float(np.exp(random.uniform(*np.log([1e-3, 3.0])))) * float(random.choice([-1, 1]))
    one.offset = round(apart * 1e9)
    cell.start()
    cell.run(min(abs(apart), 1.2) + 0.8)
    _judge_together(cell)
    return f"{name} by {apart:.3f} s"


def _late(cell: Cell, random: np.random.Generator) -> str:
    name, one, _ = _pick(cell, random)
    one.states, late = False, float(random.uniform(0.1, 1.0))
    cell.start()
    cell.run(late)
    one.states = True
    cell.run(1.0)
    _judge_together(cell)
    return f"{name} by {late:.2f} s"


def _unready(cell: Cell, random: np.random.Generator) -> str:
    name, one, _ = _pick(cell, random)
    one.ready = False
    cell.start()
    cell.run(1.2)
    if np.isfinite([each.begun for each in cell.arms.values()]).any():
        cell.note("ready", "arms move although a detector is not ready")
    return name


def _silent(cell: Cell, random: np.random.Generator) -> str:
    name, one, other = _pick(cell, random)
    cell.start()
    cell.run(float(random.uniform(0.3, 1.0)))
    what = str(random.choice(["states", "verdicts"]))
    setattr(one, what, False)
    cell.run(STOPS_WITHIN)
    _judge_rest(cell, *((other,) if what == "states" else (one, other)))
    return f"{name}, {what}"


def _moved(cell: Cell, random: np.random.Generator) -> str:
    name, one, other = _pick(cell, random)
    cell.start()
    cell.run(0.5)
    cell.host.request("deactivate")
    cell.run(2.2)
    _judge_rest(cell, one, other)
    sent = one.commands + other.commands
    cell.run(0.2)
    if one.commands + other.commands > sent:
        cell.note("silent", "an inactive node sends commands")
    _carry(cell, one, random)
    let_go = one.arm.q.copy()
    cell.run(1.0)
    if (went := float(np.abs(one.arm.q - let_go).max())) > BACK:
        cell.note("hold", f"it moves by {went:.2f} rad where it was let go")
    return name


def _carry(cell: Cell, one: Arm, random: np.random.Generator) -> None:
    """Move an arm by up to half a radian a joint in half a second."""
    start, to = one.arm.q.copy(), one.arm.q + random.uniform(-0.3, 0.3, len(one.arm.q))
    one.carried = True
    for k in range(500):
        x = (k + 1) / 500
        dq = (to - start) * (6.0 * x - 6.0 * x**2) / 0.5
        one.arm.reset(start + (to - start) * (3.0 * x**2 - 2.0 * x**3), dq)
        cell.run(PERIOD)
    one.arm.reset(to, np.zeros_like(to))
    one.carried, one.values = False, np.zeros_like(to)


def _labels(cell: Cell, random: np.random.Generator) -> str:
    """Exchange the labels of two joints in mid-plan, for a while."""
    name, one, other = _pick(cell, random)
    limits = cell.robot.limits
    cell.start()
    cell.run(float(random.uniform(0.3, 0.8)))
    inside = (limits.position_lower[:, None] < one.arm.q) & (
        one.arm.q < limits.position_upper[:, None]
    )
    pairs = [(i, j) for i in range(len(inside)) for j in range(i) if inside[i, j] and inside[j, i]]
    one.swapped = pairs[int(random.integers(len(pairs)))]
    cell.run(STOPS_WITHIN)
    _judge_rest(cell, other)
    one.swapped = None
    cell.run(1.0)
    _judge_rest(cell, other)
    if one.values.any():  # it coasts against its friction until somebody activates it
        cell.note("latched", "states that jumped are trusted again")
    return name


def _jumps(cell: Cell, random: np.random.Generator) -> str:
    """Let the clock of one arm's driver jump in mid-plan."""
    name, one, other = _pick(cell, random)
    cell.start()
    cell.run(float(random.uniform(0.3, 0.8)))
    by = float(random.choice([-0.3, -0.02, 0.02, 0.3, 3.0]))
    one.offset += round(by * 1e9)
    cell.run(STOPS_WITHIN)
    _judge_rest(cell, one, other)
    return f"{name} by {by:g} s"


def _payload(cell: Cell, random: np.random.Generator) -> str:
    """Load an arm that was stopped and holds, and take the load away."""
    name, one, other = _pick(cell, random)
    cell.start()
    cell.run(float(random.uniform(0.3, 0.8)))
    one.verdicts = False
    cell.run(STOPS_WITHIN)
    mass, height = float(random.uniform(0.2, HEAVIEST)), one.arm.state.position[2]
    one.arm.payload, sank = mass, 0.0
    for _ in range(20):
        cell.run(0.1)
        sank = max(sank, height - one.arm.state.position[2])
    if sank > SAG:
        cell.note("sag", f"{sank * 1e3:.0f} mm")
    _judge_rest(cell, one, other)
    one.arm.payload = 0.0
    cell.run(1.0)
    if abs(one.arm.state.position[2] - height) > 2.0 * SAG:
        cell.note("unloaded", f"{(one.arm.state.position[2] - height) * 1e3:.0f} mm off")
    return f"{name}, {mass:.2f} kg"


def _again(cell: Cell, random: np.random.Generator) -> str:
    """Deactivate in mid-plan and activate where the arms are then: nothing may move."""
    cell.start()
    cell.run(float(random.uniform(0.3, 0.8)))
    cell.host.request("deactivate")
    cell.run(float(random.choice([0.02, 0.2, 2.2])))
    cell.host.request("activate")
    cell.run(STOPS_WITHIN)
    _judge_rest(cell, *cell.arms.values())
    return "both"


_TRIALS = dict(
    zip(
        KINDS,
        (_clocks, _late, _unready, _silent, _moved, _labels, _jumps, _payload, _again),
        strict=True,
    )
)
