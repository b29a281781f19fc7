# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Arms moved from outside while their node is idle, inactive or in fault: it holds their position.

Class ``moved_while_idle``; ``adversary_classes.py`` runs one of them again.
"""

from __future__ import annotations

import numpy as np
from adversary_goals import Sender
from adversary_rig import STATE_TIMEOUT, Rig, panda, rigged, wall
from sensor_msgs.msg import JointState

from impact_robots import ArmDynamics

SITUATIONS = (
    "never active",
    "inactive",
    "inactive, states silent",
    "states silent",
    "detector fault",
    "holding",
    "cleaned up",
    "labels exchanged",
)
INTERFACES = ("torque", "velocity", "position")
NEAREST, FURTHEST = 0.05, 0.6  # that the contact point is moved by [m]
CLEAR = 0.05  # of the wall, there [m]
BACK = 0.06  # that it may move by when it is let go: the hold distance, and its overshoot [m]
STALE = 0.2  # without states before somebody moves it [s]


def elsewhere(rig: Rig, random: np.random.Generator) -> np.ndarray:
    """Return a configuration from which the contact point is 5 to 60 cm away, shape (n,) [rad]."""
    limits, dynamics = panda().limits, ArmDynamics(panda())
    here, most = rig.arm.state.position, float(random.uniform(NEAREST, FURTHEST))
    for _ in range(1000):
        turn = random.standard_normal(panda().dof)
        turn *= float(random.uniform(0.05, 1.5)) / np.linalg.norm(turn)
        q = np.clip(rig.arm.q + turn, 0.9 * limits.position_lower, 0.9 * limits.position_upper)
        if not (limits.position_lower < q).all() or not (q < limits.position_upper).all():
            continue
        point = dynamics.position(q)
        if abs(np.linalg.norm(point - here) - most) < 0.02 and wall().gap(point) > CLEAR:
            return q
    return rig.arm.q + 0.1 * np.eye(panda().dof)[0]


def swap_labels(rig: Rig) -> None:
    """Exchange what two joints measure, from now on; either could be where the other is."""
    limits, q = panda().limits, rig.arm.q
    inside = (limits.position_lower[:, None] < q) & (q < limits.position_upper[:, None])
    pairs = [(i, j) for i in range(len(q)) for j in range(i) if inside[i, j] and inside[j, i]]
    i, j = pairs[int(rig.random.integers(len(pairs)))]

    def lie(message: JointState) -> None:
        for values in (message.position, message.velocity):
            values[i], values[j] = values[j], values[i]

    rig.lie = lie


def begin(rig: Rig, situation: str, sender: Sender) -> bool:
    """Bring the rig into a situation; return whether that was possible."""
    if situation == "never active":
        ready = rig.host.request("configure")
        rig.run(0.1)
        return ready
    if not rig.start():
        return False
    rig.run(float(rig.random.uniform(0.05, 0.6)))
    if situation.startswith("inactive") or situation == "cleaned up":
        rig.deactivate()
        rig.run(1.0)
        if situation == "cleaned up":
            rig.host.request("cleanup")
        rig.states = situation == "inactive"
    elif situation == "states silent":
        rig.states = False
        rig.run(STALE)
    elif situation == "detector fault":
        rig.verdicts = False
        rig.run(3.0 * STATE_TIMEOUT)
        rig.verdicts = True
    else:
        sender.send("plain")
        rig.run(0.3)
        if situation == "holding":
            sender.cancel()
            rig.run(1.0)
        else:
            swap_labels(rig)
            rig.arm.friction = 1.0
    rig.checks.faulted()
    return True


def judge_return(rig: Rig) -> None:
    """Demand that the arm stays about where it was let go, unless it was asked to approach."""
    point, asked = rig.arm.state.position.copy(), rig.checks.asked
    rig.run(2.5)
    went = float(np.linalg.norm(rig.arm.state.position - point))
    if went > BACK and not asked:
        rig.checks.note("hold", f"it moves by {went:.3f} m from where it was let go")


def again(rig: Rig, situation: str) -> None:
    """Let states come back, and in half of the cases activate it again."""
    rig.states = True
    if situation == "cleaned up":
        rig.host.request("configure")
    if rig.random.random() < 0.5:
        rig.run(0.5)  # states are trusted again
        rig.deactivate()
        rig.run(0.05)
        rig.activate()
        rig.run(1.5)
    judge_return(rig)


def case(seed: int, number: int) -> str:
    """Run one; return what did not hold, empty if all did."""
    random = np.random.default_rng([seed, number, 2])
    interface = INTERFACES[number % 3]
    situation = SITUATIONS[(number // 3) % len(SITUATIONS)]
    period = float(random.choice([0.001, 0.002, 0.004, 0.005, 0.01]))
    hold = bool(random.random() < 0.5) or situation in ("holding", "labels exchanged")
    with rigged(
        random, interface, period, gap=0.2, approach_on_activation=not hold, stall_time=0.3
    ) as rig:
        sender = Sender(rig)
        if not begin(rig, situation, sender):
            return f"{interface}, {situation}: it does not start: {rig.host.log.errors[-1:]}"
        if situation == "labels exchanged":
            rig.run(2.5)
        else:
            rig.carry(elsewhere(rig, random), float(random.uniform(0.6, 1.5)))
            again(rig, situation)
        sender.close()
        broken = "; ".join(rig.checks.broken.values())
    return f"{interface}, {period * 1e3:g} ms, {situation}: {broken}" * bool(broken)
