# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Drawn contacts with people: arm, pose, direction, loop, reaction and region."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from impact_predictor.people.aim import ELBOW, POINTS, TOOL, Aim, aim, frame_of
from impact_predictor.people.loop import (
    COASTING,
    IMPEDANCE,
    SERVO,
    ArmLoop,
    Reaction,
    coasting,
    impedance,
    servo,
)
from impact_predictor.people.person_speed import PersonContact
from impact_predictor.people.regions import BUILT_IN
from impact_robots import ArmDynamics, Robot

KINDS = COASTING, IMPEDANCE, SERVO  # back-drivable joints, twice, and a servo
STIFFNESS = np.array([600.0] * 4 + [250.0, 150.0, 50.0])  # of a Franka-like impedance [N.m/rad]
DAMPING = np.array([50.0] * 4 + [30.0, 25.0, 15.0])  # [N.m.s/rad]
ROOM = 0.1  # between a pose and the position limits [rad]
MOST_GRAVITY = 0.75  # of the torque range
LEAST_SINGULAR_VALUE = 0.1  # of the tool's Jacobian
LEAST_MOTION = 0.3  # of a unit direction that the elbow can move in


class PersonCase(NamedTuple):
    """A contact that is planned, then simulated."""

    point: str
    to: Aim
    contact: PersonContact
    loop: ArmLoop
    reaction: Reaction | None


def draw_case(robot: Robot, random: np.random.Generator, number: int) -> PersonCase:
    """Draw a contact; kinds of loops and points of the arm take turns by its number."""
    kind, point = KINDS[number % len(KINDS)], POINTS[number // len(KINDS) % len(POINTS)]
    to = drawn_aim(robot, random, point)
    region = BUILT_IN[str(random.choice(list(BUILT_IN)))]
    padding = inf if random.uniform() < 0.5 else log_uniform(random, 1e4, 2e5)
    contact = PersonContact(region, bool(random.uniform() < 0.5), padding)
    if kind == COASTING:
        return PersonCase(point, to, contact, coasting(to), None)
    loop = _draw_impedance(to, random) if kind == IMPEDANCE else _draw_servo(to, random)
    return PersonCase(point, to, contact, loop, _draw_reaction(random))


def drawn_aim(robot: Robot, random: np.random.Generator, point: str) -> Aim:
    """Draw a pose far from limits and singularities, and a direction that the point can go."""
    dynamics, rest = ArmDynamics(robot), np.zeros(robot.dof)
    low, high = robot.limits.position_lower + ROOM, robot.limits.position_upper - ROOM
    while True:
        q, direction = random.uniform(low, high), random.normal(size=3)
        state = dynamics.state(q, rest)
        if np.any(np.abs(state.g) > MOST_GRAVITY * robot.limits.torque_range):
            continue
        direction /= np.linalg.norm(direction)
        if point == TOOL and _singular(state.at(None).J):
            continue
        if point == ELBOW:
            J = state.at(frame_of(robot, ELBOW)).J[:3]
            direction = J @ np.linalg.pinv(J, rcond=1e-4) @ direction
            if np.linalg.norm(direction) < LEAST_MOTION:
                continue
        return aim(robot, q, direction, point)


def _singular(J: np.ndarray) -> bool:
    return bool(np.linalg.svd(J, compute_uv=False)[-1] < LEAST_SINGULAR_VALUE)


def _draw_impedance(to: Aim, random: np.random.Generator) -> ArmLoop:
    scale = log_uniform(random, 0.3, 2.0)
    damping = random.uniform(0.4, 1.0)  # more makes the light wrist unstable at 1 kHz
    return impedance(to, scale * STIFFNESS, damping * DAMPING)


def _draw_servo(to: Aim, random: np.random.Generator) -> ArmLoop:
    return servo(to, *drawn_gains(random))


def drawn_gains(random: np.random.Generator) -> tuple[float, float]:
    """Draw the gains of a servo's position and velocity loops [1/s]."""
    return random.uniform(10.0, 40.0), random.uniform(100.0, 300.0)


def _draw_reaction(random: np.random.Generator) -> Reaction:
    return Reaction(
        force=random.uniform(8.0, 30.0),
        filter_time=1.0 / random.uniform(50.0, 200.0),
        delay=log_uniform(random, 0.002, 0.1),
        brake=random.uniform(2.0, 10.0),
        period=float(random.choice([0.001, 0.002, 0.004, 0.008])),
    )


def log_uniform(random: np.random.Generator, low: float, high: float) -> float:
    """Draw a number, its logarithm uniformly."""
    return float(np.exp(random.uniform(np.log(low), np.log(high))))
