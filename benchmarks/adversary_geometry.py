# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Wrong geometry, by parameters and by goals: refused in one line, or no motion.

Class ``wrong_geometry``; ``adversary_classes.py`` runs one of them again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from adversary_goals import Sender, goal_of, place
from adversary_rig import Rig, rigged, wall

INTERFACES = ("torque", "velocity", "position")
MOVED = 0.01  # that the contact point may move by for a surface that cannot be [m]
BEHIND = 0.05  # that it may move by behind the surface, for an overrun of metres [m]
WATCHED = 2.0  # [s]
Geometry = tuple[Any, Any]  # point [m] and normal


def _place(scale: float = 1.0, along: float = 0.0, sign: float = 1.0) -> Callable[..., Geometry]:
    def make(_random: np.random.Generator) -> Geometry:
        return scale * wall().point + along * wall().normal, sign * wall().normal

    return make


def _turned(random: np.random.Generator) -> Geometry:
    """Return a surface with a normal more than a right angle off."""
    normal = random.standard_normal(3)
    normal -= (normal @ wall().normal + 0.5) * wall().normal
    return wall().point, normal / np.linalg.norm(normal)


def _behind_the_arm(random: np.random.Generator) -> Geometry:
    """Return a surface on the far side of the arm, and its normal towards the announced one."""
    return wall().point + float(random.uniform(0.15, 0.5)) * wall().normal, wall().normal


def _absurd(random: np.random.Generator) -> Geometry:
    """Return a point somewhere no arm is."""
    point = wall().point.copy()
    point[int(random.integers(3))] = float(random.choice([1e308, -1e308, 1e30, 1e6, -1e9]))
    return point, wall().normal


PLACES: dict[str, Callable[..., Geometry]] = {
    "normal of the wrong sign": _place(sign=-1.0),
    "millimetres": _place(scale=1000.0),
    "normal turned away": _turned,
    "behind the arm": _behind_the_arm,
    "out of reach": _place(along=-2.0),
    "absurd": _absurd,
    "centimetres": _place(scale=100.0),
}
LENGTHS: dict[str, tuple[float, ...]] = {
    "overrun": (5.0, 30.0, 1e308),
    "retract_distance": (50.0, 1e6, 1e308),
    "activation_distance": (1e308, 200.0),
    "speed_ramp": (1e308,),
    "retract_speed": (1e308, 100.0),
}


def case(seed: int, number: int) -> str:
    """Run one; return what did not hold, empty if all did."""
    random = np.random.default_rng([seed, number, 5])
    interface = INTERFACES[number % 3]
    kinds = [*PLACES, *PLACES, *LENGTHS]
    kind, by_goal = kinds[number % len(kinds)], number % len(kinds) < len(PLACES)
    try:
        return _by_goal(random, interface, kind) if by_goal else _by_values(random, interface, kind)
    except Exception as error:  # refused where the node is made, or a defect
        said = f"{type(error).__name__}: {error}"
        refused = type(error).__name__ == "ParameterError" and "\n" not in said
        return "" if refused else f"{interface}, {kind}: raised {said}"


def _by_values(random: np.random.Generator, interface: str, kind: str) -> str:
    """Give the node wrong parameters."""
    if kind in PLACES:
        point, normal = PLACES[kind](random)
        changes = {"contact_point": point.tolist(), "contact_normal": normal.tolist()}
        walls, most = None, MOVED
    else:
        changes = {kind: float(random.choice(LENGTHS[kind]))}
        walls, most = (), np.inf
    gap = round(float(random.uniform(0.05, 0.2)), 2)
    with rigged(random, interface, 0.004, walls=walls, gap=gap, **changes) as rig:
        before = len(rig.host.log.errors)
        if rig.start():
            _watch(rig, most, WATCHED if kind in PLACES else 2.0 * WATCHED)
            if rig.gap < -BEHIND:
                rig.checks.note("overrun", f"{-rig.gap:.2f} m behind the surface")
        else:
            _judge_refusal(rig, rig.host.log.errors[before:])
        broken = "; ".join(rig.checks.broken.values())
    return f"{interface}, parameters, {kind} {changes}: {broken}" * bool(broken)


def _by_goal(random: np.random.Generator, interface: str, kind: str) -> str:
    """Give the node a goal with a wrong place."""
    point, normal = PLACES[kind](random)
    with rigged(random, interface, 0.004, gap=0.1, approach_on_activation=False) as rig:
        sender = Sender(rig)
        rig.start()
        rig.run(0.2)
        goal = goal_of("plain", random)
        place(goal, point, normal)
        sender.send("plain", goal)
        _watch(rig, MOVED, WATCHED)
        sender.close()
        broken = "; ".join(rig.checks.broken.values())
    return f"{interface}, goal, {kind}: {broken}" * bool(broken)


def _watch(rig: Rig, most: float, seconds: float) -> None:
    """Let time go by, and judge how far the contact point goes."""
    point = rig.arm.state.position.copy()
    for _ in range(round(seconds / 0.1)):
        rig.run(0.1)
        went = float(np.linalg.norm(rig.arm.state.position - point))
        if went > most:
            rig.checks.note("moved", f"{went * 1e3:.0f} mm, up to {rig.checks.fastest:.3f} m/s")
            return


def _judge_refusal(rig: Rig, lines: list[str]) -> None:
    """Demand one line that says why."""
    if len(lines) != 1 or "\n" in lines[0]:
        rig.checks.note("refusal", f"expected one line, got {lines}")
