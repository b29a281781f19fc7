# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An arm that moves into a surface with gravity compensation alone.

Only the arm, its torque loop and the surface determine the result of such an impact, so impact
models are compared with it (the gross velocity is defined only then).
"""

from __future__ import annotations

from math import inf

import numpy as np

from impact_predictor.contact_force.laws import ContactLaw
from impact_robots import ArmDynamics, ContactPoint, PointState, Robot, Surface
from impact_robots.state.contact_frame import OWN
from impact_sim.arm.direct_run import DirectRun, direct_run
from impact_sim.driver.driver_cycle import CLEARANCE
from impact_sim.plant.compliant_wall import CompliantWall
from impact_sim.plant.plant import CONTACT_STEP, FlexibleJointPlant

GAP = 1e-6  # between the contact point and the surface at the start [m]


def gravity_compensation(_time: float, state: PointState, _contact: bool) -> np.ndarray:
    """Return the gravity torque of the present position, shape (n,) [N.m]."""
    return state.g


def passive_impact(
    robot: Robot,
    q: np.ndarray,
    dq: np.ndarray,
    normal: np.ndarray,
    law: ContactLaw,
    *,
    friction: float = 0.0,
    after_contact: float = 0.1,
    after_release: float = inf,
    torque_loop: bool = True,
    contact_step: float = CONTACT_STEP,
    contact: ContactPoint = OWN,
    contact_motion: bool = True,
    clearance: float = CLEARANCE,
) -> DirectRun:
    """Simulate an impact at a given state; the surface is put where the contact point is.

    Args:
        robot: the arm.
        q: link positions at the impact, shape (n,) [rad].
        dq: link and motor velocities at the impact, shape (n,) [rad/s]; must approach.
        normal: of the surface, towards the robot, base axes, shape (3,), any length.
        law: of the normal contact force.
        friction: Coulomb's coefficient [-].
        after_contact: duration after first contact [s].
        after_release: largest duration after the first release [s].
        torque_loop: False: the motors apply the gravity torque directly.
        contact_step: of the integration [s].
        contact: point that hits.
        contact_motion: as of ``direct_run``.
        clearance: the same [m].

    Raises:
        RobotError: the normal has no length.
        SimulationError: the contact point does not reach the surface, or q is not finite.
    """
    point = ArmDynamics(robot).state(q, dq).at(*contact).position
    wall = CompliantWall(Surface(point, normal, friction).moved(-GAP), law)
    plant = FlexibleJointPlant(robot, wall, contact_step=contact_step, contact=contact)
    plant.reset(np.asarray(q, dtype=float), np.asarray(dq, dtype=float))
    return direct_run(
        plant,
        gravity_compensation,
        after_contact=after_contact,
        after_release=after_release,
        torque_loop=torque_loop,
        contact_motion=contact_motion,
        clearance=clearance,
    )
