# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Coverage of the sets of possible impulses by the impulses of a simulated arm.

Each trial draws a pose at a wall, stiffness, restitution and friction of the wall within the
announced ranges, and a slip; the arm hits it in the flexible-joint plant with gravity compensation,
once with its nominal joints and once with joints drawn inside the robot's ranges. The truth is the
impulse of the first contact; it is no worse than announced if it lies in the hull of the set and
zero. The model's error is that of its impulse at the very wall, all contacts of 30 ms together. Run
it with ``./impact bench load_set``; two minutes, ``--quick`` a tenth of the trials.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
from scipy.spatial import ConvexHull

from impact_predictor import Polytope, robot_sets
from impact_predictor.contact_force.laws import Viscoelastic
from impact_predictor.inertia.inverse_inertia import generalized_momentum
from impact_predictor.joint_load.elastic_arm import elastic_arm
from impact_predictor.joint_load.load import DURATION, joint_load, load_contact
from impact_predictor.joint_load.load_case import viscoelastic
from impact_predictor.sets.feasible_sets import impulse_set
from impact_predictor.sets.hull import half_spaces
from impact_robots import ArmDynamics, PointState, Robot, Surface, load_robot
from impact_sim.arm.direct_run import DirectRun
from impact_sim.arm.passive_impact import passive_impact
from studies.wall_configurations import NORMAL, approach, draw

SPEED, SLIP = 0.175, 0.05  # along the normal [m/s], and largest along the surface, share of it
FRICTION, RESTITUTION, STIFFNESS = (0.0, 0.279), (0.0, 0.3), (1e5, 1e7)
LEAST_FORCE = 1.0  # below it there is no contact [N]
WATCHED = 0.031  # after contact [s]
NOMINAL, DRAWN = "nominal joints", "joints in their ranges"


def measure(quick: bool = False, trials: int = 500, seed: int = 0) -> dict[str, float]:
    """Return how many impulses are no worse than announced, and how large the sets are.

    Args:
        quick: a tenth of the trials.
        trials: poses.
        seed: of all that is drawn.
    """
    robot, random = load_robot("panda"), np.random.default_rng(seed)
    inside: dict[str, list[bool]] = defaultdict(list)
    size: dict[str, list[float]] = defaultdict(list)
    errors: list[float] = []
    surface = Surface(None, NORMAL, FRICTION, RESTITUTION, STIFFNESS)
    for q in draw(robot, trials // 10 if quick else trials, seed):
        state = _moving(robot, q, surface.rotation, random)
        hulls = {name: each.with_zero() for name, each in _sets(state, surface, robot).items()}
        for joints, arm in ((NOMINAL, robot), (DRAWN, _drawn(robot, random))):
            law = viscoelastic(
                float(np.exp(random.uniform(*np.log(STIFFNESS)))),
                random.uniform(*RESTITUTION),
                SPEED,
            )
            friction = random.uniform(*FRICTION)
            run = passive_impact(
                arm, q, state.dq, NORMAL, law, friction=friction, after_contact=WATCHED
            )
            errors.append(_error(run, arm, state, law, friction, surface.rotation))
            impulse = surface.rotation.T @ _first_impulse(run)
            for name, hull in hulls.items():
                inside[f"{joints}, {name}: no worse [%]"].append(100.0 * hull.contains(impulse))
        crb = hulls["crb"]
        for name, hull in hulls.items():
            volume = ConvexHull(hull.vertices).volume / ConvexHull(crb.vertices).volume
            size[f"{name}: volume over crb's, median"].append(volume)
            normal = hull.vertices[:, 2].max() / crb.vertices[:, 2].max()
            size[f"{name}: highest normal impulse over crb's, median"].append(normal)
    shares = {name: float(np.mean(values)) for name, values in inside.items()}
    sizes = {name: float(np.median(values)) for name, values in size.items()}
    median, most, largest = np.percentile(errors, [50, 99, 100]).tolist()
    return (
        shares
        | sizes
        | {
            "error of the model's impulse, median [%]": median,
            "error of the model's impulse, 99 of 100 [%]": most,
            "error of the model's impulse, largest [%]": largest,
        }
    )


def _sets(state: PointState, surface: Surface, robot: Robot) -> dict[str, Polytope]:
    """Return the published set, its hull with that of M + B_theta, and that of the load model."""
    published, load = robot_sets(state, surface, robot, names=("impulse", "load"))
    W = generalized_momentum(state, surface.rotation, robot.apparent_motor_inertia)
    speed = surface.approach_speed(state.velocity)
    heavier = impulse_set(W, FRICTION[1], RESTITUTION, -speed, circumscribed=True)
    both = np.vstack([published.vertices, heavier.vertices])
    union = Polytope(*half_spaces(both), both, "union", "N.s", published.axes)
    return {"crb": published, "crb and M+B_theta": union, "load": load}


def _moving(
    robot: Robot, q: np.ndarray, rotation: np.ndarray, random: np.random.Generator
) -> PointState:
    """Return the arm on its way into the wall, with a drawn slip."""
    dynamics, angle = ArmDynamics(robot), 2.0 * np.pi * random.uniform()
    slip = SLIP * SPEED * random.uniform()
    velocity = np.array([slip * np.cos(angle), slip * np.sin(angle), -SPEED])
    return dynamics(q, approach(dynamics(q, np.zeros(robot.dof)), rotation @ velocity))


def _error(
    run: DirectRun,
    robot: Robot,
    state: PointState,
    law: Viscoelastic,
    friction: float,
    rotation: np.ndarray,
) -> float:
    """Return how far the model's impulse is from the plant's, all contacts together [%]."""
    touch = load_contact(state, rotation, law, friction)
    model = joint_load(elastic_arm(robot, state.robot_state), [touch]).impulse[0]
    during = run.contact_t - run.contact_start.time < DURATION
    plant = run.contact_step * run.contact_force[during].sum(axis=0) @ rotation
    return float(100.0 * np.linalg.norm(model - plant) / np.linalg.norm(plant))


def _first_impulse(run: DirectRun) -> np.ndarray:
    """Return the impulse from touch to release, base axes, shape (3,) [N.s]."""
    pushes = np.linalg.norm(run.contact_force, axis=1) > LEAST_FORCE
    first = int(np.argmax(pushes))
    released = np.flatnonzero(~pushes[first:])
    end = first + int(released[0]) if released.size else len(pushes)
    return run.contact_step * run.contact_force[:end].sum(axis=0)


def _drawn(robot: Robot, random: np.random.Generator) -> Robot:
    """Return an arm with joints drawn inside the robot's ranges."""
    ranges = robot.joint_ranges
    bounds = ranges.stiffness, ranges.damping, ranges.motor_inertia
    stiffness, damping, inertia = (random.uniform(*each, robot.dof) for each in bounds)
    return replace(
        robot,
        joint_stiffness=robot.joint_stiffness * stiffness,
        joint_damping=robot.joint_damping * damping,
        reflected_motor_inertia=robot.reflected_motor_inertia * inertia,
        apparent_motor_inertia=robot.apparent_motor_inertia * inertia,
    )
