# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Arms, walls, motions and sensors, drawn from a seed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from impact_robots import ArmDynamics, PointState, Robot, Surface, contact_rotation
from impact_robots.description.actuation import PANDA_FRICTION, JointFriction
from studies.foreign.contact import PlasticWall
from studies.foreign.disturbances import PLAIN, Disturbance, draw_disturbance

LINK_MASSES, MOTORS = 0.04, 0.1  # relative errors of what is thought of links and motors
POINT, NORMAL = 2e-3, np.radians(0.5)  # errors of contact point [m] and normal [rad], deviations
JOINT_FRICTION = (0.5, 1.5)  # of that of a Panda
STIFFNESS, RESTITUTION = (5e4, 5e5), (0.1, 0.6)  # of the wall [N/m], [-]
FRICTION = (0.1, 0.45)  # of the wall [-]
SPEED, SLIP = (0.1, 0.3), (0.6, 1.5)  # normal [m/s], and tangential over normal
REVERSED_SLIP = (0.05, 0.4)  # the same where slip reverses
TILT = np.radians(30.0)  # of the wall against the tool's axis, at most
REST, RAMP, STEADY = 0.25, 0.25, 0.15  # before the touch is due: at rest, faster, at speed [s]
RUN_UP = 0.5 * RAMP + STEADY  # time at speed for the way from the start to the touch [s]
CLEAR = 0.01  # of the wall at the start, at least [m]
_INSIDE = 0.85  # fraction of the joints' range and speed that is used
_LEAST_SINGULAR_VALUE = 0.1  # of the Jacobian
_LOWEST = 0.15  # contact point above the floor [m]


@dataclass(frozen=True)
class HitMotion:
    """One way to hit the wall."""

    q: np.ndarray  # where the thought contact point touches, shape (n,) [rad]
    dq: np.ndarray  # there, shape (n,) [rad/s]
    wall: PlasticWall
    normal: np.ndarray  # that the analysis assumes, outward, base axes, shape (3,)


@dataclass(frozen=True)
class ForeignSetup:
    """One arm at walls of one material; what is thought of it is the robot it was drawn from."""

    robot: Robot  # as it is in truth
    joint_friction: JointFriction
    motions: tuple[HitMotion, ...]
    computed_torque: bool  # else joint impedance with gravity compensation
    stiffness: float  # of the controller [1/s^2]
    force_rate: int  # of the force sensor [Hz], 0: there is none
    force_offset: np.ndarray  # of it, base axes, shape (3,) [N]
    seed: int
    disturbance: Disturbance


def draw_setup(robot: Robot, seed: int, motions: int = 2, family: str = PLAIN) -> ForeignSetup:
    """Return a drawn set-up.

    Args:
        robot: a 7-axis arm as it is thought to be.
        seed: of all that is drawn.
        motions: how many poses and velocities.
        family: of what disturbs it.
    """
    random = np.random.default_rng([seed, 7])
    off = draw_disturbance(family, robot.limits.torque, seed)
    true = _arm(robot, off, random)
    material = _Material(
        float(np.exp(random.uniform(*np.log(STIFFNESS)))),
        float(random.uniform(*RESTITUTION)),
        float(random.uniform(*FRICTION)),
    ).of(off)
    return ForeignSetup(
        true,
        PANDA_FRICTION.scaled(off.behind * random.uniform(*JOINT_FRICTION)),
        tuple(_motion(robot, true, material, off, random) for _ in range(motions)),
        bool(random.integers(2)),
        max(off.stiffness, float(random.uniform(100.0, 400.0))),
        int(random.choice([0, 1000, 4000])),
        random.normal(0.0, 0.5, 3),
        seed,
        off,
    )


class _Material(NamedTuple):
    """Of the walls of a set-up."""

    stiffness: float  # [N/m]
    restitution: float  # [-]
    friction: float  # [-]

    def of(self, off: Disturbance) -> _Material:
        """Return the material that a disturbance asks for."""
        restitution = self.restitution if off.restitution is None else off.restitution
        friction = self.friction if off.friction is None else off.friction
        return _Material(self.stiffness, restitution, friction)


def _arm(robot: Robot, off: Disturbance, random: np.random.Generator) -> Robot:
    """Return the arm with other link masses, motors, contact point and payload."""
    model = robot.model.copy()
    for i, link in enumerate(robot.model.inertias):
        factor = random.uniform(1.0 - LINK_MASSES, 1.0 + LINK_MASSES)
        model.inertias[i] = pin.Inertia(factor * link.mass, link.lever, factor * link.inertia)
    motors = robot.apparent_motor_inertia * random.uniform(1 - MOTORS, 1 + MOTORS, robot.dof)
    contact = model.frames[model.getFrameId(robot.contact_frame)]
    contact.placement = contact.placement * pin.SE3(np.eye(3), random.normal(0.0, POINT, 3))
    place, link = contact.placement.act(off.payload_place), contact.parentJoint
    model.inertias[link] += pin.Inertia(off.payload, place, np.zeros((3, 3)))
    motors = off.motors * motors
    return replace(robot, model=model, apparent_motor_inertia=motors)


def _motion(
    robot: Robot, true: Robot, material: _Material, off: Disturbance, random: np.random.Generator
) -> HitMotion:
    """Return a motion within the arm's limits whose slip does what it shall in the impact.

    It slides all through, or where a disturbance wants that, stops and goes the other way.
    """
    thought, dynamics = ArmDynamics(robot), ArmDynamics(true)
    stiffness, restitution, friction = material
    low, high = robot.limits.position_lower, robot.limits.position_upper
    middle, half = 0.5 * (low + high), 0.5 * _INSIDE * (high - low)
    while True:
        q = random.uniform(middle - half, middle + half)
        state = thought(q, np.zeros(robot.dof))
        if state.position[2] < _LOWEST or np.linalg.svd(state.J)[1][-1] < _LEAST_SINGULAR_VALUE:
            continue
        normal = _tilted(-state.rotation[:, 2], random.uniform(0.0, TILT), random)
        speed, angle = random.uniform(*SPEED), random.uniform(-np.pi, np.pi)
        ratio = random.uniform(*(REVERSED_SLIP if off.reverses else SLIP))
        slip = speed * ratio * np.array([np.cos(angle), np.sin(angle)])
        twist = np.append(contact_rotation(normal) @ np.append(slip, -speed), np.zeros(3))
        dq = np.linalg.pinv(state.J) @ twist
        if np.any(np.abs(dq) > _INSIDE * robot.limits.velocity):
            continue
        at = dynamics(q, dq)
        wall = PlasticWall(Surface(at.position, normal, friction, restitution), stiffness)
        G = _mobility(at, true, wall)
        if off.contact_time > 0.0:
            wall = replace(wall, stiffness=(np.pi / off.contact_time) ** 2 / G[2, 2])
        if wall.surface.gap(dynamics.position(q - RUN_UP * dq)) < CLEAR:
            continue  # the contact point goes along a curve, joints along a line
        if (_reverses if off.reverses else _slides)(at, G, wall):
            assumed = _tilted(normal, random.normal(0.0, NORMAL), random)
            return HitMotion(q, dq, wall, assumed)


def _tilted(axis: np.ndarray, angle: float, random: np.random.Generator) -> np.ndarray:
    """Return a unit vector at an angle [rad] to another, in a drawn direction, shape (3,)."""
    around = random.uniform(-np.pi, np.pi)
    away = np.sin(angle) * np.array([np.cos(around), np.sin(around)])
    return np.asarray(contact_rotation(axis) @ np.append(away, np.cos(angle)))


def _mobility(state: PointState, true: Robot, wall: PlasticWall) -> np.ndarray:
    """Return the map from impulse to velocity of the contact point, contact axes, (3, 3) [1/kg]."""
    J = wall.surface.rotation.T @ state.J[:3]
    return np.asarray(J @ np.linalg.solve(state.M + np.diag(true.apparent_motor_inertia), J.T))


def _reverses(state: PointState, G: np.ndarray, wall: PlasticWall) -> bool:
    """Tell whether slip stops before the approach does, and friction cannot hold it then."""
    velocity = wall.surface.rotation.T @ state.velocity
    direction = velocity[:2] / np.hypot(*velocity[:2])
    push = np.append(-wall.friction * direction, 1.0)
    effect = G @ push
    if effect[2] <= 0.0:
        return False
    after = velocity - velocity[2] / effect[2] * effect
    holding = np.hypot(*np.linalg.solve(G[:2, :2], G[:2, 2]))
    return bool(after[:2] @ direction < 0.0 and holding > wall.friction)


def _slides(state: PointState, G: np.ndarray, wall: PlasticWall) -> bool:
    """Tell whether slip is left when the approach has been returned, with some to spare."""
    velocity = wall.surface.rotation.T @ state.velocity
    direction = velocity[:2] / np.hypot(*velocity[:2])
    push = np.append(-wall.friction * direction, 1.0)
    effect = G @ push
    if effect[2] <= 0.0:
        return False
    after = velocity - 2.0 * (1.0 + wall.restitution) * velocity[2] / effect[2] * effect
    return bool(after[:2] @ direction > 0.0)
