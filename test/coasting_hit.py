# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An arm that coasts into a surface, with its driver: measurements with noise at 1 kHz."""

from __future__ import annotations

import numpy as np

from impact_predictor.contact_force.laws import ContactLaw
from impact_predictor.recorded_hit import RecordedHit
from impact_robots import ArmDynamics, Robot, Surface
from impact_sim.driver.arm_driver import CYCLE_NS
from impact_sim.driver.sensors import PANDA_NOISE, Noise
from impact_sim.driver.simulation import FORCE_PERIOD_NS, SAMPLES_PER_CYCLE, Simulation
from impact_sim.plant.compliant_wall import CompliantWall
from impact_sim.plant.plant import FlexibleJointPlant

CYCLE = CYCLE_NS * 1e-9  # of the driver [s]
_BATCH = FORCE_PERIOD_NS * 1e-9 * np.arange(1 - SAMPLES_PER_CYCLE, 1)  # of forces, in a cycle [s]


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
) -> RecordedHit:
    """Simulate an arm under gravity compensation that is thrown at a surface.

    Times count from when it would reach the surface along a straight line; forces come at 25 kHz.

    Args:
        robot: as its electronics and its driver take it to be.
        q: where its contact point touches the surface, shape (n,) [rad].
        surface: normal and friction; it is put where the contact point is.
        speed: of the contact point against the normal, which does not turn [m/s].
        law: of the normal contact force.
        arm: as it is; none: like ``robot``.
        before: contact the recording begins [s].
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
    return RecordedHit(
        np.array([each.time for each in found]) - before,
        np.array([each.q for each in found]),
        np.array([each.dq for each in found]),
        np.array([each.tau for each in found]),
        force_time=np.concatenate([each.time + _BATCH for each in found[1:]]) - before,
        force=np.concatenate([each.forces for each in found[1:]]),
        detected=False,
    )
