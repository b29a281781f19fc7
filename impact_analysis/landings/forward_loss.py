# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""How far a simulation from a landing's first state is from the record.

The loss is that of Acosta, Yang, Posa, "Validating Robotics Simulators on Real-World Impacts",
RA-L 2022: the mean over the samples of weighted squared errors.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from impact_analysis.landings.foot_touch import FootTouch, floor_height
from impact_analysis.landings.jump_models import FRICTION
from impact_analysis.landings.landing import Landing
from impact_predictor.contact_force.laws import Viscoelastic
from impact_robots import Robot
from impact_robots.description.floating_base import base_turned
from impact_sim.floating.floor import Floor
from impact_sim.floating.motion import SimulatedMotion, simulate_motion

STIFFNESS, DAMPING = 4e4, 2e4  # of a compliant floor under each point [N/m], [N.s/m^2]
STEPS = {"rigid": 1, "compliant": 2}  # of the integration per sample
INERTIAS = ("M+B_rho", "M")


def forward_losses(
    landing: Landing, touches: tuple[FootTouch, ...], robot: Robot
) -> dict[str, dict[str, float]]:
    """Return the loss of each simulation, by kind of floor and inertia.

    Args:
        landing: the record.
        touches: of its feet, which say how high the floor is.
        robot: that landed.

    Raises:
        RobotError: the landing is another robot's.
        UnsolvedImpactError: no impulses were found that satisfy Coulomb's law.
    """
    height = floor_height(touches)
    floors = {
        "rigid": Floor(height, FRICTION),
        "compliant": Floor(height, FRICTION, Viscoelastic(STIFFNESS, DAMPING)),
    }
    start = landing.q[0], landing.v[0]
    return {
        kind: {
            inertia: loss(
                landing,
                simulate_motion(
                    robot,
                    start,
                    landing.torques,
                    landing.period,
                    floor,
                    motor_inertia=robot.motor_inertias[inertia],
                    steps=STEPS[kind],
                ),
            )
            for inertia in INERTIAS
        }
        for kind, floor in floors.items()
    }


def held_loss(landing: Landing, robot: Robot) -> float:
    """Return the loss of the simplest guess: the first velocity stays as it is."""
    q, v = [landing.q[0]], landing.v[0]
    for _ in landing.q[1:]:
        q.append(pin.integrate(robot.model, q[-1], landing.period * v))
    return loss(landing, SimulatedMotion(np.array(q), np.tile(v, (len(q), 1))))


def loss(landing: Landing, motion: SimulatedMotion) -> float:
    """Return the loss of a motion at the samples of a landing."""
    w = landing.weights
    recorded = zip(landing.q, landing.v, strict=True)
    simulated = zip(motion.q, motion.v, strict=True)
    total = 0.0
    for (q, v), (at, rate) in zip(recorded, simulated, strict=True):
        R, S = base_turned(q), base_turned(at)
        joint_rates = (v - rate)[6:] ** 2
        total += w.position * _square(q[:3] - at[:3]) + w.joint * _square(q[7:] - at[7:])
        total += w.linear * _square(R @ v[:3] - S @ rate[:3])
        total += w.angular * _square(R @ v[3:6] - S @ rate[3:6])
        total += float(w.joint_velocity @ joint_rates) + w.turn * _square(pin.log3(R.T @ S))
    return total / len(landing.q)


def _square(error: np.ndarray) -> float:
    return float(error @ error)
