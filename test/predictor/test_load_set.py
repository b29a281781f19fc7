# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The set of a flexible arm's impulses holds what the plant gets, also where crb's does not."""

from dataclasses import replace

import numpy as np
import pytest

from impact_predictor import robot_sets
from impact_predictor.exceptions import NotApproachingError, UnknownJointsError
from impact_predictor.joint_load.elastic_arm import elastic_arm
from impact_predictor.joint_load.load import joint_load, load_contact
from impact_predictor.joint_load.load_case import viscoelastic
from impact_predictor.sets.load_set import MODEL_ERROR, load_set
from impact_robots import ArmDynamics, Surface
from impact_sim.arm.passive_impact import passive_impact
from studies.wall_configurations import NORMAL, approach, draw

SPEED, POSES = 0.175, 6
WALL = Surface(None, NORMAL, (0.0, 0.279), (0.0, 0.3), (1e5, 1e7))


@pytest.fixture(scope="module")
def light_poses(panda, panda_dynamics):
    """Poses at which the composite body is lighter than the arm that hits: its set is too small."""
    found = []
    for q in draw(panda, 200, 3):
        still = panda_dynamics(q, np.zeros(7))
        J = WALL.rotation.T @ still.J[:3]
        inverse = np.linalg.inv(still.M + np.diag(panda.apparent_motor_inertia))
        mass = 1.0 / (J[2] @ inverse @ J[2])
        state = panda_dynamics(q, approach(still, WALL.rotation @ [0.0, 0.0, -SPEED]))
        (published,) = robot_sets(state, WALL, panda, names=("impulse",))
        if mass * SPEED > 0.95 * published.vertices[:, 2].max() / 1.3:
            found.append(q)
    assert len(found) >= POSES
    return found[:POSES]


def test_the_plants_impulses_are_inside(panda, panda_dynamics, light_poses):
    random, published_holds = np.random.default_rng(11), 0
    for q in light_poses:
        still = panda_dynamics(q, np.zeros(7))
        slip = random.uniform(-0.03, 0.03, 2) * SPEED
        velocity = WALL.rotation @ np.array([*slip, -SPEED])
        state = panda_dynamics(q, approach(still, velocity))
        law = viscoelastic(10.0 ** random.uniform(5, 7), random.uniform(0.0, 0.3), SPEED)
        friction = random.uniform(*WALL.friction)
        run = passive_impact(
            panda, q, state.dq, NORMAL, law, friction=friction, after_contact=0.031
        )
        impulse = run.contact_step * run.contact_force.sum(axis=0) @ WALL.rotation
        published, load = robot_sets(state, WALL, panda, names=("impulse", "load"))
        assert load.contains(impulse)
        assert not load.contains(1.5 * impulse)
        published_holds += published.contains_in_hull_with_zero(impulse)
    assert published_holds < POSES


def test_it_scales_with_the_speed(panda, panda_dynamics, hitting):
    slow = load_set(hitting, WALL, panda)
    fast = load_set(panda_dynamics(hitting.q, 2.0 * hitting.dq), WALL, panda)
    for direction in np.random.default_rng(1).normal(size=(20, 3)):
        assert fast.worst(direction)[0] == pytest.approx(2.0 * slow.worst(direction)[0], rel=0.01)


def test_wider_ranges_hold_narrower_ones(panda, hitting):
    wide = load_set(hitting, WALL, panda)
    sharp = replace(WALL, friction=(0.0, 0.0), restitution=(0.3, 0.3), stiffness=(1e6, 1e6))
    narrow = load_set(hitting, sharp, panda)
    assert all(wide.contains(vertex) for vertex in narrow.vertices)
    assert narrow.vertices[:, 2].max() <= wide.vertices[:, 2].max()
    assert narrow.vertices[:, 2].min() > wide.vertices[:, 2].min()


def test_the_highest_friction_holds_all_lower_ones(panda, hitting):
    announced = load_set(hitting, replace(WALL, friction=(0.279, 0.279)), panda)
    for friction in (0.0, 0.1, 0.279):
        sharp = replace(WALL, friction=(friction, friction), restitution=(0.2, 0.2))
        load = predicted_impulse(hitting, sharp, panda)
        assert announced.contains(load)


def predicted_impulse(state, surface, robot):
    law = viscoelastic(1e6, surface.restitution[0], surface.approach_speed(state.velocity))
    touch = load_contact(state, surface.rotation, law, surface.friction[0])
    return joint_load(elastic_arm(robot, state.robot_state), [touch]).impulse[0]


def test_without_friction_there_is_only_the_models_error_along_the_surface(panda, hitting):
    load = load_set(hitting, replace(WALL, friction=(0.0, 0.0)), panda)
    top = load.vertices[:, 2].max() / (1.0 + MODEL_ERROR)
    assert np.abs(load.vertices[:, :2]).max() == pytest.approx(MODEL_ERROR * top)


def test_an_arm_that_leaves_and_an_unknown_one_have_none(panda, panda_dynamics, hitting):
    away = panda_dynamics(hitting.q, -hitting.dq)
    with pytest.raises(NotApproachingError):
        load_set(away, WALL, panda)
    unknown = replace(panda, joint_stiffness=np.full(7, np.nan))
    with pytest.raises(UnknownJointsError, match="panda does not give 'joint_stiffness'"):
        load_set(ArmDynamics(unknown)(hitting.q, hitting.dq), WALL, unknown)
