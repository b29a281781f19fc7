# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An arm that moves on into a region of a person's body, with its own loop and its reaction.

The plant has the arm's full dynamics, its flexible joints and its torque loop; the region is a
spring, clamped or with a free mass behind it. Of :mod:`impact_predictor.people` only the records
that describe arm and person are taken, none of its forces: what is planned there is judged here.
"""

from __future__ import annotations

from math import exp, inf
from typing import NamedTuple

import numpy as np

from impact_predictor.contact_force.laws import HuntCrossley
from impact_predictor.people.aim import Aim
from impact_predictor.people.loop import IMPEDANCE, SERVO, ArmLoop, Reaction
from impact_predictor.people.person_speed import PersonContact
from impact_robots import ArmDynamics, ContactPoint, Surface
from impact_sim.plant.compliant_wall import CompliantWall
from impact_sim.plant.plant import FlexibleJointPlant
from impact_sim.plant.torque_loop import LOOPS, PERIOD, TorqueLoop

GAP = 1e-6  # between the point and the region at the start [m]
STEP = 25e-6  # of the integration: regions are soft [s]
TRANSIENT_TIME = 0.5  # up to which a contact is transient (ISO/TS 15066) [s]
AT_REST = 0.7  # for which an arm is watched after it was stopped [s]
APART = 0.1  # without force, after which it is another contact [s]
LONGEST = 5.0  # that a contact is watched [s]


class PersonRun(NamedTuple):
    """Force on the person along the motion, once a step, t steps; from contact on."""

    time: np.ndarray  # since contact, shape (t,) [s]
    force: np.ndarray  # shape (t,) [N]
    detected: float | None  # when the arm detected it, since contact; none: it did not [s]

    @property
    def peak(self) -> float:
        """Highest force [N]."""
        return float(self.force.max())

    @property
    def held(self) -> float:
        """Highest force later than 0.5 s after its contact began, 0 if there was none [N]."""
        pushed = np.flatnonzero(self.force > 0.0)
        times = self.time[pushed]
        begins = np.diff(times, prepend=-np.inf) > APART
        begun = np.maximum.accumulate(np.where(begins, times, -np.inf))
        return float(self.force[pushed][times - begun > TRANSIENT_TIME].max(initial=0.0))


def person_wall(aim: Aim, contact: PersonContact) -> CompliantWall:
    """Return the region in front of a point of the arm, across the direction; without friction."""
    at = aim.state.at(aim.frame)
    surface = Surface(at.position, -aim.direction).moved(-GAP)
    return CompliantWall(surface, HuntCrossley(contact.stiffness, 0.0, 1.0), contact.mass)


def person_contact(
    aim: Aim,
    contact: PersonContact,
    loop: ArmLoop,
    reaction: Reaction | None,
    speed: float,
) -> PersonRun:
    """Simulate a contact.

    It ends 0.7 s after a stop, at the earliest 0.5 s after contact, after 5 s at the latest; for a
    free person after 0.5 s. An arm that coasts is left to itself: it is watched until it has parted
    from the person for 0.1 s, 0.5 s at most. What it may hit later is another contact.

    Args:
        aim: point of the arm, and its direction.
        contact: region.
        loop: of the arm.
        reaction: of the arm; none: it does not react.
        speed: of the point along the direction at contact [m/s].

    Raises:
        RobotError: the robot's YAML lacks fields that a simulation needs.
    """
    aim.robot.require("impact_sim")
    wall = person_wall(aim, contact)
    point = ContactPoint(aim.frame)
    plant = FlexibleJointPlant(aim.robot, wall, contact_step=STEP, contact=point)
    plant.reset(aim.state.q, speed * aim.way)
    drive = _Drive(aim, loop, plant, _Command(aim, plant, loop, speed))
    watch = _Watch(reaction)
    lasting = contact.clamped and loop.pushes and reaction is not None
    forces: list[np.ndarray] = []
    stopped = pushed = 0.0  # times of the last commanded motion and of the last force [s]
    while plant.time < TRANSIENT_TIME or (lasting and plant.time < min(LONGEST, stopped + AT_REST)):
        if not loop.pushes and plant.time > pushed + APART:
            break
        braking = watch.brakes(plant.time)
        drive.period(watch.deceleration if braking else 0.0)
        force = plant.advance_contact(round(PERIOD / STEP)).force @ wall.surface.normal
        watch.take(force, plant.time)
        forces.append(force)
        stopped = stopped if drive.command.stands else plant.time
        pushed = plant.time if force.any() else pushed
    force = np.concatenate(forces)
    return PersonRun(STEP * np.arange(len(force)), force, watch.detected)


class _Watch:
    """Detects a contact, and says when the arm brakes: sampled, low-passed, delayed."""

    def __init__(self, reaction: Reaction | None) -> None:
        self._reaction = reaction
        self.detected: float | None = None
        self.deceleration = 0.0 if reaction is None else reaction.brake
        self._filtered, self._next = 0.0, inf
        if reaction is not None:
            self._keep = exp(-STEP / reaction.filter_time) if reaction.filter_time > 0.0 else 0.0
            self._next = reaction.period

    def take(self, force: np.ndarray, time: float) -> None:
        """Take the forces of a period, shape (k,) [N], which ends at a time [s]."""
        if self._reaction is None or self.detected is not None:
            return
        for each in force.tolist():
            self._filtered += (1.0 - self._keep) * (each - self._filtered)
        if time > self._next - 0.5 * STEP:
            self._next += self._reaction.period
            if self._filtered >= self._reaction.force:
                self.detected = time

    def brakes(self, time: float) -> bool:
        """Return whether the arm brakes at a time [s]."""
        if self._reaction is None or self.detected is None:
            return False
        return time > self.detected + self._reaction.delay - 0.5 * STEP


class _Command:
    """The commanded motion: uniform along the joints' way, then braked."""

    def __init__(self, aim: Aim, plant: FlexibleJointPlant, loop: ArmLoop, speed: float) -> None:
        self._way, self._speed, self._gone = aim.way, speed, 0.0
        self._start = plant.q
        if loop.kind == SERVO:  # in its steady lag
            self._start = plant.theta + speed * aim.way * loop.damping / loop.stiffness

    @property
    def stands(self) -> bool:
        """Whether it has stopped."""
        return self._speed <= 0.0

    @property
    def position(self) -> np.ndarray:
        """Commanded joint positions, shape (n,) [rad]."""
        return self._start + self._gone * self._way

    @property
    def velocity(self) -> np.ndarray:
        """Commanded joint velocities, shape (n,) [rad/s]."""
        return self._speed * self._way

    def go_on(self, deceleration: float) -> None:
        """Go on for a period, braking with a deceleration of the point [m/s^2]."""
        before = self._speed
        self._speed = max(0.0, before - PERIOD * deceleration)
        self._gone += 0.5 * PERIOD * (before + self._speed)


class _Drive:
    """The arm's loop: torques at 1 kHz through the torque loop, or a servo of the motors."""

    def __init__(
        self, aim: Aim, loop: ArmLoop, plant: FlexibleJointPlant, command: _Command
    ) -> None:
        self._loop, self._plant, self.command = loop, plant, command
        self._torque_loop = TorqueLoop(aim.robot)
        self._torque_loop.reset(plant.joint_torque)
        self._dynamics, self._turn = ArmDynamics(aim.robot, compiled=True), 0

    def period(self, deceleration: float) -> None:
        """Set the motors' torques of the next 250 us."""
        plant, loop = self._plant, self._loop
        if self._turn % LOOPS == 0:
            self._desired = self._torque()
        self._turn += 1
        torque = self._desired
        if loop.kind == SERVO:
            lead = self.command.position - plant.theta
            torque = torque + loop.stiffness * lead - loop.damping * plant.dtheta
        else:
            torque = self._torque_loop.update(torque, plant.joint_torque)
        plant.apply_motor_torque(torque)
        self.command.go_on(deceleration)

    def _torque(self) -> np.ndarray:
        """Return the torque of a cycle; of a servo gravity's alone, shape (n,) [N.m]."""
        plant, loop, command = self._plant, self._loop, self.command
        state = self._dynamics(plant.q, plant.dq)
        if loop.kind != IMPEDANCE:
            return state.g
        push = loop.stiffness * (command.position - plant.q)
        return state.h + push + loop.damping * (command.velocity - plant.dq)
