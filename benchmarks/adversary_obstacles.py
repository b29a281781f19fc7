# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Unannounced rigid obstacles, in front, beside and behind, in every phase with motion.

Class ``obstacles``; ``adversary_classes.py`` runs one of them again.
"""

from __future__ import annotations

import numpy as np
from adversary_goals import Sender, goal_of
from adversary_moves import SLOW, TOWARDS
from adversary_rig import Rig, rigged, wall

from impact_msgs.msg import ControllerStatus
from impact_robots import Surface

INTERFACES = ("torque", "velocity", "position")
SITUATIONS = ("approach", "retract", "retract without impact", "press lost", "braking")
AHEAD = (0.01, 0.06)  # of the contact point, when it is put there [m]
TILT = 1.0  # of its normal against the motion, at most [rad]
ENDS_WITHIN = {"approach": 8.0, "press lost": 8.0}  # of the contact: then it may retract [s]
OTHERWISE = 1.0  # [s]
LONGEST = 6.0  # until something is met [s]


def obstacle(rig: Rig, direction: np.ndarray) -> Surface:
    """Return a plane in the way of a motion, up to an angle tilted, not yet reached."""
    random, side = rig.random, rig.random.standard_normal(3)
    side -= (side @ direction) * direction
    angle = float(random.uniform(0.0, TILT))
    normal = -np.cos(angle) * direction + np.sin(angle) * side / np.linalg.norm(side)
    return Surface(rig.arm.state.position + random.uniform(*AHEAD) * direction, normal)


def meet(rig: Rig, situation: str, sender: Sender) -> Surface | None:
    """Bring the arm into a motion, and put an obstacle in its way; return it, None without one."""
    towards, phase = -wall().normal, situation
    if situation == "press lost":
        goal = goal_of("press", rig.random)
        sender.send("press", goal)
        if not rig.run(LONGEST, until=lambda: bool(rig.arm.hits)):
            return None
        rig.run(0.5)
        rig.arm.walls = [far_away()]
    elif situation.startswith("retract"):
        if not rig.run(LONGEST, until=lambda: _moves(rig, -towards)):
            return None
        towards = -towards
    else:
        rig.run(float(rig.random.uniform(0.1, 0.5)))
        if phase == "braking":
            rig.deactivate()
    made = obstacle(rig, towards)
    rig.arm.walls.append(made)
    return made


def far_away() -> Surface:
    """Return a wall that nothing reaches, in place of the announced one."""
    return Surface(wall().point - 5.0 * wall().normal, wall().normal)


def _moves(rig: Rig, direction: np.ndarray) -> bool:
    """Return whether the arm has moved away from the surface for a while, after it came near."""
    state = rig.arm.state
    return rig.now - rig.checks.touched > 0.15 and float(direction @ state.velocity) > 0.02


def case(seed: int, number: int) -> str:
    """Run one; return what did not hold, empty if all did."""
    random = np.random.default_rng([seed, number, 6])
    situation = SITUATIONS[number % len(SITUATIONS)]
    interface = INTERFACES[(number // len(SITUATIONS)) % 3]
    if situation == "press lost":
        interface = "torque"
    period = float(random.choice([0.001, 0.002, 0.004]))
    cap = float(random.choice([0.1, 0.15, 0.3, 0.5]))
    far = 0.3 if situation.startswith("retract") else 0.05
    changes = {"speed_cap": cap, "retract_distance": far, "retract_speed": 0.5}
    walls = (far_away(),) if situation == "retract without impact" else None
    gap = 0.05 if situation.startswith("retract") else 0.15
    with rigged(
        random,
        interface,
        period,
        walls=walls,
        gap=gap,
        approach_on_activation=situation != "press lost",
        **changes,
    ) as rig:
        sender = Sender(rig)
        rig.start()
        made = meet(rig, situation, sender)
        if made is not None:
            _follow(rig, situation, made)
        sender.close()
        broken = "; ".join(rig.checks.broken.values())
    return f"{interface}, {period * 1e3:g} ms, {situation}, cap {cap:g}: {broken}" * bool(broken)


def _follow(rig: Rig, situation: str, made: Surface) -> None:
    """Let the arm meet an obstacle, and judge whether its motion ends."""
    met = lambda: any(surface is made for surface, _ in rig.arm.hits)  # noqa: E731
    if not rig.run(LONGEST, until=met):
        return
    rig.run(ENDS_WITHIN.get(situation, OTHERWISE))
    if situation == "press lost" and rig.mode == ControllerStatus.MODE_RETRACT:
        rig.run(ENDS_WITHIN[situation])  # it slid along what it met, and has left it just now
    speed = float(np.linalg.norm(rig.arm.state.velocity))
    presses = rig.mode == ControllerStatus.MODE_PRESS  # still, on what is within the overrun
    if speed > (TOWARDS if presses else SLOW):
        rig.checks.note("obstacle", f"{speed:.3f} m/s long after it was met")
