# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Unannounced payloads, and drivers that move more than commanded.

Classes ``payloads`` and ``gains``; see ``adversary_classes.py`` for one of them again.
"""

from __future__ import annotations

import numpy as np
from adversary_goals import Sender
from adversary_rig import STATE_TIMEOUT, Rig, rigged

from impact_msgs.msg import ControllerStatus

LIGHTEST, HEAVIEST = 0.2, 3.0  # [kg]
SAG = 0.03  # that a held arm may sink under it [m]
BRAKING = 0.06  # way that an arm may need to stop from an approach [m]
ENDS_WITHIN = 3.0  # [s]
NOTICED, SLOWED = 0.05, 0.1  # within what, from too fast a motion on [s]
PUSH = (5.0, 20.0)  # towards the surface, for as long as the arm goes there [N]
SITUATIONS = ("holding", "braking", "stopped", "idle")


def _load(rig: Rig, situation: str, sender: Sender) -> float:
    """Bring the arm to where it is loaded; return how far it may move down from there [m]."""
    if situation == "idle":
        rig.run(0.3)
        return SAG
    sender.send("plain")
    rig.run(float(rig.random.uniform(0.2, 0.7)))
    if situation == "stopped":
        rig.verdicts = False
        rig.run(STATE_TIMEOUT + 0.1)
        rig.verdicts = True
        rig.checks.faulted()
        rig.run(float(rig.random.uniform(0.0, 0.5)))
        return SAG + BRAKING
    sender.cancel()
    rig.run(1.0 if situation == "holding" else 0.0)
    return SAG if situation == "holding" else SAG + BRAKING


def payload(seed: int, number: int) -> str:
    """Load an arm that is to stand; return what did not hold, empty if all did."""
    random = np.random.default_rng([seed, number, 3])
    situation = SITUATIONS[number % len(SITUATIONS)]
    mass = HEAVIEST if number < len(SITUATIONS) else float(random.uniform(LIGHTEST, HEAVIEST))
    period = float(random.choice([0.001, 0.002, 0.004]))
    with rigged(random, "torque", period, gap=0.2, approach_on_activation=False) as rig:
        sender = Sender(rig)
        rig.start()
        most = _load(rig, situation, sender)
        height, sank = rig.arm.state.position[2], 0.0
        rig.checks.let_go()
        rig.arm.payload = mass
        for _ in range(round(ENDS_WITHIN / 0.1)):
            rig.run(0.1)
            sank = max(sank, height - rig.arm.state.position[2])
        if sank > most:
            rig.checks.note("sag", f"{sank * 1e3:.0f} mm under {mass:.2f} kg")
        if rig.mode == ControllerStatus.MODE_BRAKE:
            rig.checks.note("mode", f"it still brakes after {ENDS_WITHIN:g} s")
        _let_fall(rig)
        sender.close()
        broken = "; ".join(rig.checks.broken.values())
    return f"{situation}, {mass:.2f} kg, {period * 1e3:g} ms: {broken}" * bool(broken)


def _let_fall(rig: Rig) -> None:
    """Take the load away; the arm may not fly off."""
    point = rig.arm.state.position.copy()
    rig.checks.let_go()
    rig.arm.payload = 0.0
    rig.run(1.0)
    went = float(np.linalg.norm(rig.arm.state.position - point))
    if went > 2.0 * SAG:
        rig.checks.note("unloaded", f"it moves by {went * 1e3:.0f} mm without its load")


def gain(seed: int, number: int) -> str:
    """Let an arm move more than commanded, or push it; return what did not hold."""
    random = np.random.default_rng([seed, number, 4])
    interface = ("velocity", "position", "torque")[number % 3]
    period = float(random.choice([0.001, 0.002, 0.004]))
    gap = round(float(random.uniform(0.03, 0.2)), 2)
    with rigged(random, interface, period, gap=gap) as rig:
        rig.checks.noticed_within = NOTICED + SLOWED
        late = float(random.choice([0.0, 0.3]))
        rig.start()
        rig.run(late)
        what = _disturb(rig)
        rig.run(4.0, until=lambda: bool(rig.arm.hits) or rig.mode == ControllerStatus.MODE_HOLD)
        if interface == "torque":
            rig.checks.broken.pop("nobody asked", None)  # whoever pushes did
        broken = "; ".join(rig.checks.broken.values())
    return f"{interface}, {period * 1e3:g} ms, {what}, gap {gap:g}: {broken}" * bool(broken)


def _disturb(rig: Rig) -> str:
    """Give a driver its gain, or an arm a push; return it in words."""
    if rig.interface != "torque":
        rig.arm.gain = float(rig.random.uniform(1.2, 2.0))
        rig.arm.reset(rig.arm.q, rig.arm.dq)  # from here on
        return f"gain {rig.arm.gain:.2f}"
    force = float(rig.random.uniform(*PUSH))
    rig.arm.disturbance = -force * (rig.normal @ rig.arm.state.J[:3])
    return f"{force:.0f} N"
