# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The faults of the other classes in every phase, also with `joint_load` limits.

Class ``mixed``; ``adversary_classes.py`` runs one of them again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from adversary_goals import OPEN, goal_of
from adversary_idle import elsewhere, swap_labels
from adversary_obstacles import obstacle
from adversary_rig import CAP, rigged
from adversary_sequences import INTERFACES, OFTEN, PERIODS, Sequence
from rclpy.parameter import Parameter

KINDS = (
    "carried",
    "pushed",
    "payload",
    "obstacle",
    "ranges",
    "labels exchanged",
    "parameters",
    "old verdicts",
)
COMMON = ("good goal", "good goal", "cancel", "deactivate", "activate", "goal to its end")
FORCES = ("pushed", "payload")  # that an inactive node leaves to the driver
PAUSES = (0.02, 0.1, 0.4, 1.0)  # [s]
PUSH = 30.0  # at most, in any direction [N]
LOAD, OFF = (0.2, 2.0), 0.1  # [kg], of the contact point at most [m]
AGE = (0.2, 10.0)  # of verdicts [s]
RANGES = {"friction": 1.0, "restitution": 1.0, "stiffness": 1e6}  # of a goal, up to
LATER = {  # parameters that act at the next configure
    "speed_cap": (0.5, 5.0),
    "speed": (0.5, 5.0),
    "friction": ([0.0, 0.0], [0.0, 1.0]),
    "impact_limits": ("unaware", "joint_load", "robust"),
    "restitution": ([0.0, 0.0], [0.0, 1.0]),
    "stiffness": ([1e3, 1e4], [1e4, float("inf")]),
}


class Mixed(Sequence):
    """A sequence of goals and life cycle in which something else happens in any phase."""

    def __init__(self, rig: Any, kind: str) -> None:
        """Run it on a rig; ``kind`` of ``KINDS`` is what else happens."""
        super().__init__(rig)
        self.kind = kind
        self._events = {name: self._events[name] for name in COMMON}
        self._events["deactivate"] = self._release
        self._strange = {
            "carried": self._carried,
            "pushed": self._pushed,
            "payload": self._loaded,
            "obstacle": self._obstructed,
            "ranges": self._goal_with_ranges,
            "labels exchanged": self._mislabelled,
            "parameters": self._set_later,
            "old verdicts": self._outdated,
        }[kind]

    def run(self) -> None:
        """Begin, let goals and what is strange come in turns, take all back, and look."""
        if not self.rig.start():
            self.rig.checks.note("start", f"not activated: {self.rig.host.log.errors[-1:]}")
            return
        for k in range(int(self.random.integers(4, 7))):
            self.wait(float(self.random.choice(PAUSES)))
            if k % 2 and (self.rig.checks.active or self.kind not in FORCES):
                self.events.append(self.kind)
                self._strange()
            else:
                self.do(str(self.random.choice(list(self._events))))
        self.wait(0.2)
        self._unload()
        self.finish()

    def _carried(self) -> None:
        self.rig.carry(elsewhere(self.rig, self.random), float(self.random.uniform(0.4, 1.2)))

    def _pushed(self) -> None:
        if self.rig.interface != "torque":
            return self._carried()
        rig, direction = self.rig, self.random.standard_normal(3)
        force = PUSH * float(self.random.uniform(0.2, 1.0)) * direction / np.linalg.norm(direction)
        rig.checks.taken()
        rig.arm.disturbance = force @ rig.arm.state.J[:3]
        self.wait(float(self.random.uniform(0.05, 0.5)))
        rig.arm.disturbance = np.zeros(rig.arm.robot.dof)
        rig.checks.let_go()
        return None

    def _loaded(self) -> None:
        """Attach a load away from the contact point, or take it away."""
        arm = self.rig.arm
        if arm.payload > 0.0:
            return self._unload()
        arm.payload = float(self.random.uniform(*LOAD))
        arm.payload_at = OFF * self.random.uniform(-1.0, 1.0, 3) / np.sqrt(3.0)
        return self.rig.checks.let_go()

    def _unload(self) -> None:
        if self.rig.arm.payload > 0.0:
            self.rig.arm.payload = 0.0
            self.rig.checks.let_go()

    def _release(self) -> None:
        """Deactivate; nobody bears a load then."""
        self._unload()
        self.rig.deactivate()

    def _obstructed(self) -> None:
        """Put a plane in the way of the motion, or of an approach."""
        arm, velocity = self.rig.arm, self.rig.arm.state.velocity
        speed = float(np.linalg.norm(velocity))
        direction = velocity / speed if speed > 0.01 else -self.rig.normal
        arm.walls = [*arm.walls[:1], obstacle(self.rig, direction)]

    def _goal_with_ranges(self) -> None:
        goal = goal_of(str(self.random.choice(["open", "joint_load", "plain"])), self.random)
        for name in OPEN:
            if self.random.random() < 0.4:
                most = RANGES[name.split("_")[0]]
                setattr(goal.surface, name, most * float(self.random.random()))
        if self.random.random() < 0.3:
            goal.highest_speed = CAP * float(self.random.uniform(0.05, 2.0))
        self.sender.send("ranges", goal)

    def _mislabelled(self) -> None:
        """Exchange two joints' labels for a while; a moving arm coasts against its friction."""
        self.rig.arm.friction = 1.0
        swap_labels(self.rig)
        self.wait(float(self.random.uniform(0.1, 1.0)))
        self.rig.checks.faulted()
        self.rig.lie = None

    def _set_later(self) -> None:
        """Set a parameter while the node runs."""
        name = str(self.random.choice(list(LATER)))
        value = LATER[name][int(self.random.integers(len(LATER[name])))]
        self.rig.host.node.set_parameters([Parameter(name, value=value)])

    def _outdated(self) -> None:
        """Let verdicts be old, or from the future, for a while."""
        sign = float(self.random.choice([-1.0, 1.0]))
        self.rig.late = round(sign * float(self.random.uniform(*AGE)) * 1e9)
        self.wait(float(self.random.uniform(0.1, 0.5)))
        self.rig.checks.faulted()
        self.rig.late = 0


def case(seed: int, number: int) -> str:
    """Run one; return what did not hold, empty if all did."""
    random = np.random.default_rng([seed, number, 12])
    kind = KINDS[number % len(KINDS)]
    interface = INTERFACES[(number // len(KINDS)) % 3]
    period = float(random.choice(PERIODS, p=OFTEN))
    if kind == "payload":
        interface = "torque"
    limits = str(random.choice(["robust", "joint_load"])) if interface == "torque" else "robust"
    with rigged(
        random,
        interface,
        period,
        gap=round(float(random.uniform(0.05, 0.25)), 2),
        speed=CAP * float(random.uniform(0.3, 1.0)),
        approach_on_activation=bool(random.random() < 0.4),
        impact_limits=limits,
        friction=[0.0, 0.3],
    ) as rig:
        rig.sees = bool(random.random() < 0.9)
        sequence = Mixed(rig, kind)
        sequence.run()
        broken = "; ".join(rig.checks.broken.values())
    about = f"{interface}, {limits}, {period * 1e3:g} ms"
    return f"{about}, {', '.join(sequence.events)}: {broken}" * bool(broken)
