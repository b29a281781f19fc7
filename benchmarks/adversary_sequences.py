# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Sequences of goals, cancels, life cycle and faults in any order: no motion without a request.

Class ``goal_sequences``; ``adversary_classes.py`` runs one of them again.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from adversary_goals import BAD, GOOD, Sender
from adversary_moves import RESTS_WITHIN
from adversary_rig import CAP, STATE_TIMEOUT, Rig, before_wall, rigged, wall

from impact_robots import Surface

INTERFACES = ("torque", "velocity", "position")
PERIODS = (0.001, 0.002, 0.004, 0.005, 0.01)  # [s]
OFTEN = (0.05, 0.1, 0.25, 0.3, 0.3)  # how often each is drawn
LONGEST = 4.0  # that a goal is waited for [s]
LOOKS = 8  # cycles between two looks at the goals
LAST = RESTS_WITHIN + 0.6  # of a sequence, after whatever was asked for has been taken back [s]


class Sequence:
    """One sequence of events."""

    def __init__(self, rig: Rig) -> None:
        """Run it on a rig."""
        self.rig, self.random, self.sender = rig, rig.random, Sender(rig)
        self.events: list[str] = []
        self._events: dict[str, Callable[[], object]] = {
            "good goal": lambda: self.sender.send(str(self.random.choice(GOOD))),
            "bad goal": lambda: self.sender.send(str(self.random.choice(BAD))),
            "two goals": self._two_goals,
            "goal to its end": self._to_the_end,
            "cancel": self.sender.cancel,
            "deactivate": rig.deactivate,
            "activate": rig.activate,
            "cleanup": self._clean_up,
            "silent states": lambda: self._lose("states"),
            "states elsewhere": self._lose_elsewhere,
            "silent detector": lambda: self._lose("verdicts"),
            "clock back": lambda: self._jump(-0.3),
            "detector not ready": self._not_ready,
        }

    def wait(self, seconds: float) -> None:
        """Let time go by and look at the goals."""
        for k in range(max(1, round(seconds / self.rig.period))):
            self.rig.cycle()
            if k % LOOKS == 0:
                self.sender.look()

    def run(self) -> None:
        """Begin, do what is drawn, take back all that was asked for, and look."""
        if not self.rig.start():
            self.rig.checks.note("start", f"not activated: {self.rig.host.log.errors[-1:]}")
            return
        for _ in range(int(self.random.integers(3, 7))):
            self.wait(float(self.random.choice([0.02, 0.1, 0.4, 1.0])))
            self.do(str(self.random.choice(list(self._events))))
        self.wait(0.2)
        self.finish()

    def do(self, name: str) -> None:
        """Let one of the events happen."""
        self.events.append(name)
        self._events[name]()

    def finish(self) -> None:
        """Take back all that was asked for, and look."""
        end = str(self.random.choice(["cancel", "deactivate", "nothing"]))
        self.events.append(end)
        {"cancel": self.sender.cancel, "deactivate": self.rig.deactivate}.get(end, lambda: None)()
        self.wait(LAST if end != "nothing" else 2.0 * LAST)
        self.sender.close()

    def _two_goals(self) -> None:
        self.sender.send("plain")
        self.sender.send(str(self.random.choice(GOOD + BAD)))

    def _to_the_end(self) -> None:
        """Send a goal that asks for as fast as may be, and wait for its contact."""
        self.sender.send(str(self.random.choice(["joint_load", "open"])))
        for _ in range(round(LONGEST / 0.1)):
            self.wait(0.1)
            if not self.sender.running or self.rig.arm.hits:
                return

    def _clean_up(self) -> None:
        self.rig.deactivate()
        self.rig.host.request("cleanup")
        self.wait(0.1)
        self.rig.start()

    def _lose(self, what: str) -> None:
        setattr(self.rig, what, False)
        self.wait(STATE_TIMEOUT * float(self.random.uniform(1.5, 6.0)))
        self.rig.checks.faulted()
        setattr(self.rig, what, True)

    def _lose_elsewhere(self) -> None:
        self.rig.states = False
        self.wait(2.0 * STATE_TIMEOUT)
        self.rig.checks.faulted()
        gap = float(self.random.uniform(0.06, 0.3))
        self.rig.carry(before_wall(round(gap, 2)))
        self.rig.states = True

    def _jump(self, seconds: float) -> None:
        self.rig.offset += round(seconds * 1e9)
        self.wait(2.0 * self.rig.period)
        self.rig.checks.faulted()

    def _not_ready(self) -> None:
        self.rig.ready = False
        self.wait(float(self.random.uniform(0.05, 0.5)))
        self.rig.ready = True


def case(seed: int, number: int) -> str:
    """Run one sequence; return what did not hold, empty if all did."""
    random = np.random.default_rng([seed, number, 1])
    interface, period = INTERFACES[number % 3], float(random.choice(PERIODS, p=OFTEN))
    off = float(random.choice([0.0, 0.0, 0.02, -0.02]))
    real = Surface(wall().point + off * wall().normal, wall().normal)
    walls = (real,) if random.random() < 0.7 else ()
    speed = CAP * float(random.uniform(0.3, 1.0))
    with rigged(
        random,
        interface,
        period,
        walls=walls,
        gap=round(float(random.uniform(0.05, 0.25)), 2),
        speed=speed,
        approach_on_activation=bool(random.random() < 0.4),
    ) as rig:
        rig.sees = bool(random.random() < 0.9)
        sequence = Sequence(rig)
        sequence.run()
        broken = "; ".join(rig.checks.broken.values())
    return f"{interface}, {period * 1e3:g} ms, {', '.join(sequence.events)}: {broken}" * bool(
        broken
    )
