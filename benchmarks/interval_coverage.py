# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Coverage of the intervals of predicted velocities by a simulated arm.

Each trial draws a pose at a wall and an arm, a friction and a contact law within the uncertainty
that the prediction is given. The arm hits the wall in the flexible-joint plant, with gravity
compensation; its gross velocity is the truth. Then the same with the arm of ``studies/foreign``,
whose links, motors, contact point, normal and joint friction are drawn too: there the prediction
is given the friction and restitution that came out, so that its interval holds nothing but the
model's error, and the truth is the velocity at the release. Run it with
``./impact bench interval_coverage``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin

from impact_detector.estimators.gross_velocity import gross_velocity
from impact_predictor import velocity_interval
from impact_predictor.contact_force.laws import Viscoelastic
from impact_robots import ArmDynamics, PointState, Robot, Surface, contact_rotation, load_robot
from impact_sim.arm.passive_impact import passive_impact
from studies.foreign import draw_setup, simulate_hit
from studies.wall_configurations import NORMAL, draw

SPEED, SLIP = 0.12, 0.15  # along the normal and along the surface [m/s]
FRICTION, RESTITUTION, MARGIN = (0.2, 0.4), (0.0, 0.3), 0.1
STIFFNESS, DAMPING = 1.2e5, (3e6, 2e7)  # restitution 0.30 to 0.05 at this speed


def measure(trials: int = 60, seed: int = 0) -> dict[str, float]:
    """Return the fraction of joint velocities inside their intervals, by model, and widths."""
    robot, rotation = load_robot("panda"), contact_rotation(NORMAL)
    random = np.random.default_rng(seed)
    poses = draw(robot, trials, seed)
    inside: dict[str, list[bool]] = {model: [] for model in robot.motor_inertias}
    widths: dict[str, list[float]] = {model: [] for model in robot.motor_inertias}
    for q in poses:
        truth, state = _trial(robot, q, rotation, random)
        for model in robot.motor_inertias:
            low, high = velocity_interval(
                state,
                Surface(None, NORMAL, FRICTION, RESTITUTION),
                robot,
                inertia_margin=MARGIN,
                inertia=model,
            )
            inside[model] += ((truth >= low) & (truth <= high)).tolist()
            widths[model] += np.degrees(high - low).tolist()
    figures = {f"{model}: inside [%]": 100 * float(np.mean(inside[model])) for model in inside}
    for model, values in widths.items():
        figures[f"{model}: median width [deg/s]"] = float(np.median(values))
    return figures | _foreign(robot, trials, seed)


def _foreign(robot: Robot, trials: int, seed: int) -> dict[str, float]:
    """Return the same for arms that are not like the model, one hit of each."""
    inside: dict[str, list[bool]] = {model: [] for model in robot.motor_inertias}
    widths: dict[str, list[float]] = {model: [] for model in robot.motor_inertias}
    dynamics = ArmDynamics(robot)
    for trial in range(trials):
        setup = draw_setup(robot, seed + trial)
        truth = simulate_hit(robot, setup, 0).truth
        for model in robot.motor_inertias:
            low, high = velocity_interval(
                dynamics(truth.q, truth.dq_before),
                Surface(None, setup.motions[0].normal, truth.friction, truth.restitution),
                robot,
                inertia=model,
            )
            inside[model] += ((truth.dq_after >= low) & (truth.dq_after <= high)).tolist()
            widths[model] += np.degrees(high - low).tolist()
    return {
        f"foreign, {model}: {name}": value
        for model in robot.motor_inertias
        for name, value in (
            ("inside [%]", 100 * float(np.mean(inside[model]))),
            ("median width [deg/s]", float(np.median(widths[model]))),
        )
    }


def _trial(
    robot: Robot, q: np.ndarray, rotation: np.ndarray, random: np.random.Generator
) -> tuple[np.ndarray, PointState]:
    """Return the gross velocity of one simulated impact, and the state that is predicted from."""
    still = ArmDynamics(robot)(q, np.zeros(robot.dof))
    direction = random.normal(size=2)
    tangential = SLIP * direction / np.linalg.norm(direction)
    velocity = rotation @ np.append(tangential, -SPEED)
    dq = np.linalg.pinv(still.J) @ np.append(velocity, np.zeros(3))
    law = Viscoelastic(STIFFNESS, random.uniform(*DAMPING))
    run = passive_impact(
        _drawn(robot, random), q, dq, NORMAL, law, friction=random.uniform(*FRICTION)
    )
    truth = gross_velocity(run.t, run.q, run.contact_start.time).velocity
    return truth, ArmDynamics(robot)(run.contact_start.q, run.contact_start.dq)


def _drawn(robot: Robot, random: np.random.Generator) -> Robot:
    """Return an arm whose links and motors weigh up to 10 % more or less than thought."""
    model, factor = robot.model.copy(), random.uniform(1 - MARGIN, 1 + MARGIN)
    for i, link in enumerate(robot.model.inertias):
        model.inertias[i] = pin.Inertia(factor * link.mass, link.lever, factor * link.inertia)
    motors = random.uniform(1 - MARGIN, 1 + MARGIN, robot.dof)
    return replace(
        robot,
        model=model,
        reflected_motor_inertia=robot.reflected_motor_inertia * motors,
        apparent_motor_inertia=robot.apparent_motor_inertia * motors,
    )
