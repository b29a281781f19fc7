# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The load of a strike with impedance control left on, and with motors that give way; no times.

In the plant at the pose of `hammer_nail`, beside the load when the arm lets go (gravity alone); at
four fifths of the speed at which a joint reaches a limit of load or velocity, the head not turning.
Run it with ``./impact bench give_way``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from math import inf
from pathlib import Path
from typing import NamedTuple

import numpy as np

from impact_predictor.strike.strike_case import NailCase, StopCase, StrikeCase
from impact_predictor.strike.strike_loads import StrikeLoads
from impact_predictor.strike.striker import Striker
from impact_qp.strike.give_way import SHARES, Pulse, give_way
from impact_robots import Robot
from impact_robots.tools.tool import Tool
from impact_sim.driver.simulation import Measurement
from impact_trials.strikes.hammer_nail import HammerNail

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test"))
from struck_nail import NAIL, no_torque, straight, struck

WORLD = HammerNail()
ROBOT, Q = WORLD.robot, np.array(WORLD.q)
# libfranka's example of joint impedance control [N.m/rad], [N.m.s/rad]
IMPEDANCE = np.array([600, 600, 600, 600, 250, 150, 50]), np.array([50, 50, 50, 50, 30, 25, 15])
STOP = StopCase(1e6, 0.3)
TARGETS = {"nail 200 N": NAIL, "stop 1e6 N/m": STOP}
HANDLES = {"1e4": 1e4, "3e4": 3e4, "1e5": 1e5, "rigid": inf}  # [N/m]
FRICTION = 0.15  # up to which it is announced; there is none
DELAYS = (0, 1, 2)  # of the pulse [ms]
ALL = 0.99  # of the motors' inertia
AFTER = 15  # cycles after the window
Command = Callable[[int, Measurement], np.ndarray]  # of a cycle and its measurement [N.m]
USED = 0.8  # of the speed of the loads' limits, and of the joints'


class Strike(NamedTuple):
    """A handle and a target."""

    stiffness: float  # infinite: rigid [N/m]
    target: NailCase | StopCase


class Struck:
    """A strike in the plant, again and again."""

    def __init__(self, strike: Strike) -> None:
        """Find its speed."""
        self.strike, self.tool = strike, tool_on(strike.stiffness)
        self.striker = Striker(ROBOT, self.tool, Q)
        self.case = StrikeCase(self.tool.nominal, strike.target)
        first = StrikeLoads(self.striker).critical(self.case).speed
        fastest = float(np.min(ROBOT.limits.velocity / np.abs(straight(self.striker, 1.0))))
        self.speed = min(USED * first, USED * fastest)
        self.dq = straight(self.striker, self.speed)

    def used(self, command: Command = no_torque) -> float:
        """Return the largest fraction of a joint's limit with commands of each cycle [-]."""
        tail = round(1e3 * self.striker.window) + AFTER
        _, simulation, _ = struck(
            ROBOT, self.tool, self.speed, self.strike.target, tail, command, straight, Q
        )
        load = self.striker.joints_of(simulation.plant.load)
        return float(self.striker.limits(0.3).used(load)[: 2 * ROBOT.dof].max())

    @cached_property
    def free(self) -> float:
        """The same if the arm lets go."""
        return self.used()

    def impedance(self, *, moving: bool) -> float:
        """Return the ratio of loads of impedance control, which goes on or stops at the target."""
        stiffness, damping = IMPEDANCE
        velocity = self.dq * moving

        def command(cycle: int, now: Measurement) -> np.ndarray:
            wanted = Q + 1e-3 * cycle * velocity
            return stiffness * (wanted - now.q) + damping * (velocity - now.dq)

        return self.used(command) / self.free

    def velocity(self, command: Command = no_torque) -> float:
        """Return the highest joint velocity over its limit with commands of each cycle [-]."""
        found = [0.0]

        def watched(cycle: int, now: Measurement) -> np.ndarray:
            found.append(float(np.max(np.abs(now.dq) / ROBOT.limits.velocity)))
            return command(cycle, now)

        self.used(watched)
        return max(found)

    def gives_way(
        self,
        delay: int,
        *,
        full: bool = False,
        known: Strike | None = None,
        friction: float = 0.0,
    ) -> float:
        """Return the ratio of loads of motors that give way.

        Args:
            delay: of the pulse after the contact [ms].
            full: almost all of it, without limits of the motors.
            known: the strike that it is for; none: as it is.
            friction: that it is for, at most.
        """
        pulse = self.pulse(self.strike if known is None else known, friction, full=full)
        return self.used(late(pulse, delay)) / self.free

    def pulse(self, known: Strike, friction: float = 0.0, *, full: bool = False) -> Pulse:
        """Return the pulse for a known strike, at the speed of this one."""
        tool = tool_on(known.stiffness)
        case = StrikeCase(tool.nominal, known.target, friction=friction)
        striker, shares = (
            Striker(unlimited() if full else ROBOT, tool, Q),
            (ALL,) if full else SHARES,
        )
        return give_way(striker, case, self.speed, self.dq, shares=shares)


def late(pulse: Pulse, delay: int) -> Command:
    """Return the commands of a pulse that begins some milliseconds after the contact."""

    def command(cycle: int, now: Measurement) -> np.ndarray:
        place = cycle - delay
        return pulse[place] if 0 <= place < len(pulse) else np.zeros(ROBOT.dof)

    return command


def tool_on(stiffness: float) -> Tool:
    """Return the tool of the scenario `hammer_nail` with a head of 0.3 kg on a handle [N/m]."""
    exact = {"mass": (0.3, 0.3), "damping_ratio": (0.05, 0.05)}
    return replace(WORLD.tool, stiffness=(stiffness, stiffness), **exact)


def unlimited() -> Robot:
    """Return the arm as if its motors had no limits."""
    none = np.full(ROBOT.dof, 1e9)
    limits = replace(ROBOT.limits, torque=none, torque_rate=none, velocity=none)
    return replace(ROBOT, limits=limits)


def measure() -> dict[str, float]:
    """Return all figures."""
    figures: dict[str, float] = {}
    for target in TARGETS:
        for handle in HANDLES:
            each = measure_handle(target, handle)
            figures |= {f"{target}, {handle}: {name}": value for name, value in each.items()}
    return figures | measure_errors() | measure_velocity()


def measure_handle(target: str, handle: str) -> dict[str, float]:
    """Return the figures of one target and handle: speed, load, and ratios to that load."""
    strike = Struck(Strike(HANDLES[handle], TARGETS[target]))
    figures = {
        "speed [m/s]": strike.speed,
        "load, let go": strike.free,
        "impedance goes on": strike.impedance(moving=True),
        "impedance stops": strike.impedance(moving=False),
    }
    if not strike.tool.gives:
        return figures
    figures |= {f"gives way {each} ms late": strike.gives_way(each) for each in DELAYS}
    figures[f"friction up to {FRICTION:g}"] = strike.gives_way(1, friction=FRICTION)
    full = {each: strike.gives_way(each, full=True) for each in (DELAYS[0], DELAYS[-1])}
    return figures | {f"{each} ms late, no limits": value for each, value in full.items()}


def measure_velocity() -> dict[str, float]:
    """Return the highest joint velocity over its limit, on a nail with 3e4 N/m."""
    strike = Struck(Strike(HANDLES["3e4"], NAIL))
    given = strike.velocity(late(strike.pulse(strike.strike), 1))
    name = "highest joint velocity over its limit"
    return {f"{name}, let go": strike.velocity(), f"{name}, gives way 1 ms late": given}


def measure_errors() -> dict[str, float]:
    """Return ratios of loads, 1 ms late, where the pulse is for another handle or target."""
    figures: dict[str, float] = {}
    for handle in ("3e4", "1e5"):
        known = Strike(HANDLES[handle], NAIL)
        others = {f"{each:g} of the stiffness": each for each in (0.7, 1.3)}
        for name, factor in others.items():
            truth = Struck(known._replace(stiffness=factor * known.stiffness))
            figures[f"{handle}, truly {name}"] = truth.gives_way(1, known=known)
        truth = Struck(known._replace(target=STOP))
        figures[f"{handle}, truly a stop"] = truth.gives_way(1, known=known)
    return figures
