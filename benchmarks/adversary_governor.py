# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The governor's node between a foreign controller that knows no limits and an arm, with faults.

Class ``governor``; ``adversary_classes.py`` runs one of them again.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from adversary_governor_rig import INTERFACES, GovernorRig, governor_rigged
from adversary_idle import elsewhere, swap_labels
from adversary_obstacles import AHEAD, TILT

from impact_robots import Surface
from impact_ros.messages import fill

PERIODS, EVERY = (0.001, 0.002, 0.004, 0.01), (0.002, 0.004, 0.01, 0.034, 0.08)  # [s]
WAITS = (0.05, 0.2, 0.5, 1.0)  # between two events [s]
MOST_LATE = 0.02  # of states [s]
HUGE = (1e2, 1e6, 1e300)


class Attack:
    """One sequence of events around the governor."""

    def __init__(self, rig: GovernorRig) -> None:
        """Run it on a rig."""
        self.rig, self.random, self.events = rig, rig.random, []
        self._events: dict[str, Callable[[], None]] = {
            "not finite": lambda: self._bad("not finite"),
            "wrong size": lambda: self._bad("wrong size"),
            "wrong names": lambda: self._bad("wrong names"),
            "saturating": self._saturate,
            "silent commands": lambda: self._silent("commands"),
            "silent states": lambda: self._silent("states"),
            "both silent": lambda: self._silent("commands", "states"),
            "second controller": self._second,
            "late states": self._late,
            "states twice": lambda: self._states("twice"),
            "states in another order": lambda: self._states("reordered"),
            "states not finite": self._lie_not_finite,
            "state in degrees": self._degrees,
            "frozen stamp": self._frozen,
            "clock back": lambda: self._jump(-0.3),
            "clock ahead": lambda: self._jump(0.3),
            "labels exchanged": self._mislabelled,
            "blocked": self._blocked,
            "carried": self._carried,
            "obstacle": self._obstructed,
            "surface moved": self._moved,
            "other interface": self._switched,
            "deactivate": self._again,
        }

    def run(self) -> None:
        """Begin, drive undisturbed, let events come, and end in silence."""
        rig = self.rig
        if not rig.start():
            rig.checks.note("start", f"not activated: {rig.host.log.errors[-1:]}")
            return
        rig.run(1.2)
        rig.undisturbed = False
        self._happens()
        rig.commands = False
        rig.run(0.6)
        rig.checks.judge_log()

    def _happens(self) -> None:
        """Let some of the events happen."""
        for _ in range(int(self.random.integers(3, 7))):
            name = str(self.random.choice(list(self._events)))
            self.events.append(name)
            self._events[name]()
            self.rig.run(float(self.random.choice(WAITS)))
            if self.rig.faulty and self.random.random() < 0.7:
                self._again()

    def _bad(self, what: str) -> None:
        """Give some commands that are none."""
        for _ in range(int(self.random.integers(1, 4))):
            self.rig.give_command(what)
            self.rig.run(float(self.random.choice([0.0, 0.01, 0.05])))

    def _saturate(self) -> None:
        self.rig.foreign.gain = float(self.random.choice(HUGE))
        self.rig.run(float(self.random.uniform(0.1, 0.5)))
        self.rig.foreign.gain = 1.0

    def _silent(self, *what: str) -> None:
        for name in what:
            setattr(self.rig, name, False)
        self.rig.run(float(self.random.uniform(0.05, 0.5)))
        for name in what:
            setattr(self.rig, name, True)

    def _second(self) -> None:
        """Another controller sends as well, elsewhere."""
        for _ in range(20):
            self.rig.give_command("other")
            self.rig.run(0.004)

    def _late(self) -> None:
        self.rig.late = float(self.random.uniform(0.0, MOST_LATE))
        self.rig.run(float(self.random.uniform(0.2, 0.6)))
        self.rig.late = 0.0

    def _states(self, how: str) -> None:
        self.rig.order = how
        self.rig.run(float(self.random.uniform(0.05, 0.3)))
        self.rig.order = ""

    def _lie_not_finite(self) -> None:
        def lie(message: object) -> None:
            message.position[0] = np.nan

        self._lie(lie, float(self.random.uniform(0.0, 0.3)))

    def _degrees(self) -> None:
        def lie(message: object) -> None:
            fill(message.position, np.degrees(message.position))

        self._lie(lie, 0.0)

    def _lie(self, lie: Callable[[object], None], seconds: float) -> None:
        self.rig.lie = lie
        self.rig.run(max(seconds, self.rig.period))
        self.rig.lie = None

    def _frozen(self) -> None:
        self.rig.frozen = True
        self.rig.run(float(self.random.uniform(0.05, 0.4)))
        self.rig.frozen = False

    def _jump(self, seconds: float) -> None:
        self.rig.offset += round(seconds * 1e9)

    def _mislabelled(self) -> None:
        swap_labels(self.rig)
        self.rig.run(float(self.random.uniform(0.02, 0.2)))
        self.rig.lie = None

    def _blocked(self) -> None:
        self.rig.arm.blocked = True
        self.rig.run(float(self.random.uniform(0.2, 1.0)))
        self.rig.arm.blocked = False
        self.rig.checks.let_go()  # it goes to where positions lead it

    def _carried(self) -> None:
        self.rig.carry(elsewhere(self.rig, self.random), float(self.random.uniform(0.3, 1.0)))

    def _obstructed(self) -> None:
        """Put a plane that nobody announced in the way."""
        state, random = self.rig.arm.state, self.random
        speed = float(np.linalg.norm(state.velocity))
        ahead = state.velocity / speed if speed > 0.01 else -self.rig.announced.normal
        side = random.standard_normal(3)
        side -= (side @ ahead) * ahead
        angle = float(random.uniform(0.0, TILT))
        normal = -np.cos(angle) * ahead + np.sin(angle) * side / np.linalg.norm(side)
        place = state.position + random.uniform(*AHEAD) * ahead
        self.rig.arm.walls = [self.rig.announced, Surface(place, normal)]

    def _moved(self) -> None:
        """Move the surface, and announce it anew."""
        gap = float(self.random.uniform(0.02, 0.2))
        self.rig.announce_ahead(gap, self.random)
        self.rig.start()

    def _switched(self) -> None:
        self.rig.switch(str(self.random.choice(INTERFACES)))
        self.rig.start()

    def _again(self) -> None:
        self.rig.deactivate()
        self.rig.run(0.05)
        self.rig.activate()


def case(seed: int, number: int) -> str:
    """Run one; return what did not hold, empty if all did."""
    random = np.random.default_rng([seed, number, 20])
    interface = INTERFACES[number % len(INTERFACES)]
    period, every = float(random.choice(PERIODS)), float(random.choice(EVERY))
    with governor_rigged(random, interface, period, every) as rig:
        attack = Attack(rig)
        attack.run()
        broken = "; ".join(rig.checks.broken.values())
    about = f"{interface}, states {period * 1e3:g} ms, commands {every * 1e3:g} ms"
    return f"{about}, {', '.join(attack.events)}: {broken}" * bool(broken)
