# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Evidence that is old or from the future: it must not count as fresh.

Class ``stale_evidence``; ``adversary_classes.py`` runs one of them again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from adversary_goals import Sender
from adversary_moves import SLOW
from adversary_rig import EPOCH, LATCHED, Rig, rigged

from impact_msgs.msg import ImpactEstimate
from impact_ros.messages import from_nanoseconds

KINDS = ("old from the start", "future from the start", "old later", "one verdict", "old estimate")
INTERFACES = ("torque", "velocity", "position")
MOVED = 0.01  # that the contact point may move by without a fresh `ready` [m]
STOPPED_WITHIN = 1.0  # of evidence that is no longer fresh [s]
AGE = (0.2, 10.0)  # [s]


def case(seed: int, number: int) -> str:
    """Run one; return what did not hold, empty if all did."""
    random = np.random.default_rng([seed, number, 8])
    kind = KINDS[number % len(KINDS)]
    interface = INTERFACES[(number // len(KINDS)) % 3]
    age, period = float(np.exp(random.uniform(*np.log(AGE)))), float(random.choice([0.002, 0.004]))
    with rigged(random, interface, period, gap=0.25, approach_on_activation=False) as rig:
        sender = Sender(rig)
        if kind == "old estimate":
            _estimate(rig, sender, age)
        elif kind == "old later":
            _later(rig, sender, age)
        else:
            _never(rig, sender, kind, age)
        sender.close()
        broken = "; ".join(rig.checks.broken.values())
    return f"{interface}, {kind}, {age:.2f} s: {broken}" * bool(broken)


def _never(rig: Rig, sender: Sender, kind: str, age: float) -> None:
    """Give no fresh detection status, or one alone before the activation; nothing may approach."""
    sign = -1.0 if kind.startswith("future") else 1.0
    if kind == "one verdict":
        rig.host.request("configure")
        rig.run(0.1)
        frozen = rig.verdict()
        rig.verdict = lambda: frozen  # type: ignore[method-assign]
        rig.run(age)
        rig.activate()
    else:
        rig.late = round(sign * age * 1e9)
        rig.start()
    point = rig.arm.state.position.copy()
    sender.send("plain")
    rig.run(1.5)
    went = float(np.linalg.norm(rig.arm.state.position - point))
    if went > MOVED:
        rig.checks.note("stale", f"it approaches by {went * 1e3:.0f} mm on such a verdict")


def _later(rig: Rig, sender: Sender, age: float) -> None:
    """Let verdicts grow old in the middle of an approach, which must end."""
    rig.start()
    sender.send("slow")
    rig.run(0.5)
    rig.late = round(age * 1e9)
    rig.run(STOPPED_WITHIN)
    speed = float(np.linalg.norm(rig.arm.state.velocity))
    if speed > SLOW and not rig.arm.hits:
        rig.checks.note("stale", f"it still moves at {speed:.3f} m/s with old verdicts")


def _estimate(rig: Rig, sender: Sender, age: float) -> None:
    """Give an old estimate before and after an impact; the result may not hold it."""
    rig.start()
    rig.host.give("impact_detector/estimate", _old(rig, age))
    number = sender.send("plain")
    rig.run(6.0, until=lambda: bool(rig.arm.hits))
    rig.run(0.05)
    rig.host.give("impact_detector/estimate", _old(rig, age + LATCHED))
    rig.run(2.5)
    for _ in range(20):
        rig.host.serve(0.001)
    result: Any = sender.results.get(number)
    if result is not None and result.measured.normal_impulse == OLD_IMPULSE:
        rig.checks.note("stale", "the result of a goal holds an estimate from before it")


OLD_IMPULSE = 4321.0  # [N.s]


def _old(rig: Rig, age: float) -> ImpactEstimate:
    message = ImpactEstimate(normal_impulse=OLD_IMPULSE)
    time = EPOCH + round((rig.now - age) * 1e9)
    from_nanoseconds(time, message.impact_time)
    from_nanoseconds(time, message.header.stamp)
    return message
