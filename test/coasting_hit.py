# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An arm that coasts into a surface as its driver shows it: measurements with noise at 1 kHz."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_predictor.contact_force.laws import ContactLaw
from impact_robots import ArmDynamics, Robot, Surface
from impact_sim.arm_driver import CYCLE_NS
from impact_sim.compliant_wall import CompliantWall
from impact_sim.plant import FlexibleJointPlant
from impact_sim.sensors import PANDA_NOISE, Noise
from impact_sim.simulation import FORCE_PERIOD_NS, SAMPLES_PER_CYCLE, Simulation

CYCLE = CYCLE_NS * 1e-9  # of the driver [s]
_BATCH = FORCE_PERIOD_NS * 1e-9 * np.arange(1 - SAMPLES_PER_CYCLE, 1)  # of forces, in a cycle [s]


class MeasuredHit(NamedTuple):
    """What the sensors said, N samples of n joints."""

    time: np.ndarray  # since the start, shape (N,) [s]
    position: np.ndarray  # shape (N, n) [rad]
    velocity: np.ndarray  # shape (N, n) [rad/s]
    torque: np.ndarray  # shape (N, n) [N.m]
    force_time: np.ndarray  # of the force sensor at 25 kHz, shape (F,) [s]
    force: np.ndarray  # on the robot, base axes, shape (F, 3) [N]
    touch: float  # when the arm would reach the surface without curving its way [s]


def coasting_hit(
    robot: Robot,
    q: np.ndarray,
    surface: Surface,
    speed: float,
    law: ContactLaw,
    *,
    arm: Robot | None = None,
    before: float = 0.02,
    after: float = 0.06,
    noise: Noise = PANDA_NOISE,
    seed: int = 0,
) -> MeasuredHit:
    """Simulate an arm under gravity compensation that is thrown at a surface.

    Args:
        robot: as its electronics and its driver take it to be.
        q: where its contact point touches the surface, shape (n,) [rad].
        surface: normal and friction; it is put where the contact point is.
        speed: of the contact point against the normal, which does not turn [m/s].
        law: of the normal contact force.
        arm: as it is; none: like ``robot``.
        before: the touch the recording begins [s].
        after: it the recording ends [s].
        noise: of the sensors.
        seed: of that noise.

    Raises:
        RobotError: the robot's YAML lacks what a simulation needs.
    """
    point, normal = ArmDynamics(robot)(q, np.zeros(robot.dof)), surface.normal
    dq = np.linalg.pinv(point.J) @ np.append(-speed * normal, np.zeros(3))
    at = Surface(point.position, normal, surface.friction, surface.restitution)
    wall = CompliantWall(at, law)
    simulation = Simulation(
        robot, noise=noise, seed=seed, plant=FlexibleJointPlant(arm or robot, wall)
    )
    found = [simulation.reset(q - before * dq, dq)]
    cycles, nothing = round((before + after) / CYCLE), np.zeros(robot.dof)
    found.extend(simulation.step(nothing) for _ in range(cycles))
    return MeasuredHit(
        np.array([each.time for each in found]),
        np.array([each.q for each in found]),
        np.array([each.dq for each in found]),
        np.array([each.tau for each in found]),
        np.concatenate([each.time + _BATCH for each in found[1:]]),
        np.concatenate([each.forces for each in found[1:]]),
        before,
    )
