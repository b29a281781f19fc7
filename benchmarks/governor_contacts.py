# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A foreign controller that drives an arm into walls at 0.5 m/s, through the governor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from adversary_arm import SimulatedArm

from impact_qp import Contact
from impact_qp.governor import Capped, Governor, MeasuredState
from impact_qp.governor.motions import MOTIONS
from impact_robots import ArmDynamics, Robot, load_robot
from impact_sim.scenarios import load_scenario

PERIOD, EVERY = 1e-3, 4  # of the driver [s]; cycles of it per command
ASKED = 0.5  # speed of the foreign controller [m/s]
ANYWHERE = 0.3  # [m/s]
LONGEST = 8.0  # [s]
GAPS = (0.03, 0.3)  # drawn distances to the wall [m]
TILT, APART = 0.3, 0.15  # of the wall against the motion; of the start from the demo's [rad]
GAINS = (0.97, 1.05)  # of what the driver does over what it is told
MS = 1_000_000  # [ns]


class GovernedContact(NamedTuple):
    """A contact of the governed arm with the wall."""

    interface: str
    speed: float  # along the normal [m/s]
    bound: float  # of the impact limits in this configuration at rest [m/s]
    fastest: float  # of the contact point until then [m/s]

    @property
    def over_anywhere(self) -> bool:
        """Whether the contact point was faster than may be anywhere."""
        return self.fastest > ANYWHERE


class ForeignController:
    """Moves a contact point at 0.5 m/s along a winding way, with its null space; knows no wall."""

    def __init__(self, interface: str, direction: np.ndarray, random: np.random.Generator) -> None:
        self.interface, self._direction = interface, direction
        self._winding = 0.2 * random.standard_normal((2, 3))
        self._null, self._pace = 0.3 * random.standard_normal(7), random.uniform(0.5, 3.0)
        self._target: np.ndarray | None = None

    def command(self, arm: SimulatedArm, time: float) -> np.ndarray:
        """Return velocities, positions or a twist for a state."""
        J, phase = arm.state.J, self._pace * time
        way = self._direction + np.array([np.sin(phase), 1.0 - np.cos(phase)]) @ self._winding
        twist = np.append(ASKED * way / np.linalg.norm(way), np.zeros(3))
        if self.interface == "twist":
            return twist
        inverse = J.T @ np.linalg.inv(J @ J.T + 1e-6 * np.eye(6))
        velocity = inverse @ twist + self._null - inverse @ (J @ self._null)
        if self.interface == "velocity":
            return velocity
        self._target = arm.q if self._target is None else self._target
        self._target = self._target + EVERY * PERIOD * velocity
        return self._target


def contacts(count: int, seed: int = 0) -> Iterator[GovernedContact]:
    """Yield contacts, velocity, position and twist in turn; a run without one is left out."""
    robot, random = load_robot("panda"), np.random.default_rng(seed)
    found = trial = 0
    while found < count:
        contact = drawn_contact(robot, tuple(MOTIONS)[trial % len(MOTIONS)], random)
        trial += 1
        if contact is not None:
            found += 1
            yield contact


def drawn_contact(
    robot: Robot, interface: str, random: np.random.Generator
) -> GovernedContact | None:
    """Return the contact of a drawn start, wall and driver; none within ``LONGEST``."""
    arm = drawn_arm(robot, interface, random)
    wall = arm.walls[0]
    governor = Governor(robot, {"wall": wall}, interface=interface, anywhere_speed=ANYWHERE)
    foreign = ForeignController(interface, drawn_direction(wall.normal, random), random)
    fastest = 0.0
    for _ in driven(arm, governor, foreign):
        fastest = max(fastest, float(np.linalg.norm(arm.state.velocity)))
        if arm.hits:
            (_, state), *_ = arm.hits
            limit = governor.limit("wall")
            still = ArmDynamics(robot)(state.q, np.zeros(robot.dof))
            speed = -float(wall.normal @ state.velocity)
            return GovernedContact(interface, speed, limit.speed_bound(still).speed, fastest)
    return None


def drawn_arm(robot: Robot, interface: str, random: np.random.Generator) -> SimulatedArm:
    """Return an arm at rest, with a wall ahead."""
    scenario, n = load_scenario("qp_panda_demo"), robot.dof
    q = scenario.start(robot) + random.uniform(-APART, APART, n)
    normal = np.array(scenario.normal) + random.uniform(-TILT, TILT, 3)
    normal /= np.linalg.norm(normal)
    place = ArmDynamics(robot).position(q) - random.uniform(*GAPS) * normal
    arm = SimulatedArm(robot, MOTIONS[interface].driver, Contact(place, normal))
    arm.gain = float(random.uniform(*GAINS))
    arm.reset(q, np.zeros(n))
    return arm


def drawn_direction(normal: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Return a unit direction towards a wall, tilted."""
    way = -normal + random.uniform(-TILT, TILT, 3)
    return way / np.linalg.norm(way)


def driven(arm: SimulatedArm, governor: Governor, foreign: ForeignController) -> Iterator[Capped]:
    """Drive an arm for ``LONGEST``; yield what was sent last, after each cycle."""
    sent = np.array(arm.q) if arm.interface == "position" else np.zeros(len(arm.q))
    for k in range(round(LONGEST / PERIOD)):
        if k % EVERY == 0:
            state = MeasuredState((k + 1) * MS, arm.q, arm.dq)
            capped = governor.cap(state, foreign.command(arm, k * PERIOD))
            sent = capped.values
            if foreign.interface == "twist":
                sent = np.linalg.pinv(arm.state.J) @ capped.values
        arm.step(sent, PERIOD)
        yield capped
