# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The predicted load of the joints: expected, its interval, and what there is without an impact."""

from dataclasses import replace

import numpy as np
import pytest

from impact_predictor import PredictionError, RobotContact, predict
from impact_predictor.joint_load.elastic_arm import elastic_arm
from impact_predictor.joint_load.load import joint_load, load_contact
from impact_predictor.joint_load.load_case import normal_law
from impact_predictor.prediction.predicted_load import AT_REST, held_joints, predicted_load
from impact_robots import ArmDynamics, Surface
from impact_robots.description.joint_ranges import KNOWN_JOINTS
from impact_robots.description.urdf_robot import robot_from_urdf

NORMAL = [-1.0, 0.0, 0.0]
Q = np.array([0.2, -0.01, 0.56, -1.59, -1.76, 2.57, -2.02])
DRAWS = 150


def moving(dynamics, wall, velocity):
    """Return the Panda whose contact point has a velocity in contact axes, shape (3,) [m/s]."""
    J = dynamics(Q, np.zeros(7)).J[:3]
    return dynamics(Q, np.linalg.pinv(J) @ wall @ velocity)


def contact_at(state, friction=0.2, restitution=0.3, stiffness=1e6):
    return RobotContact(state, Surface(None, NORMAL, friction, restitution, stiffness))


def test_a_sharp_surface_and_nominal_joints_leave_one_case(panda, panda_dynamics, wall):
    state = moving(panda_dynamics, wall, [0.05, -0.02, -0.2])
    load = predicted_load([contact_at(state)], panda, joints="nominal")
    touch = load_contact(state, wall, normal_law(1e6, 0.3, 0.2), 0.2)  # tangential velocity, too
    single = joint_load(elastic_arm(panda, state.robot_state), [touch])
    np.testing.assert_allclose(load.change, single.change)
    np.testing.assert_allclose(load.torque, single.absolute(state.g))
    np.testing.assert_allclose(load.time, single.time)
    for low, high in ((load.change_low, load.change_high), (load.torque_low, load.torque_high)):
        np.testing.assert_allclose(low, high)
    assert load.note == ""


def test_the_tangential_velocity_counts(panda, panda_dynamics, wall):
    head_on, sliding = (
        predicted_load([contact_at(moving(panda_dynamics, wall, v))], panda, joints="nominal")
        for v in ([0.0, 0.0, -0.2], [0.2, 0.0, -0.2])
    )
    assert np.abs(sliding.change / head_on.change - 1.0).max() > 0.2


def test_draws_from_inside_the_ranges_stay_in_the_interval(panda, panda_dynamics, wall):
    state = moving(panda_dynamics, wall, [0.03, 0.02, -0.2])
    ranges = (0.1, 0.4), (0.0, 0.5), (1e5, float("inf"))
    load = predicted_load([contact_at(state, *ranges)], panda)
    arm, random, found = elastic_arm(panda, state.robot_state), np.random.default_rng(5), []
    each = panda.joint_ranges
    for _ in range(DRAWS):
        bounds = each.stiffness, each.damping, each.motor_inertia
        scale = np.stack([random.uniform(*bound) for bound in bounds])
        law = normal_law(10.0 ** random.uniform(5, 9), random.uniform(0, 0.5), 0.2)
        touch = load_contact(state, wall, law, random.uniform(0.1, 0.4))
        found.append(joint_load(arm.scaled(scale), [touch]).change)
    inside = (np.array(found) <= load.change_high) & (np.array(found) >= load.change_low)
    assert inside.mean() > 0.99
    assert np.all(load.change_high < 2.0 * np.max(found, axis=0))  # nor is it far too wide
    assert np.all((load.change_low <= load.change) & (load.change <= load.change_high))


def test_known_joints_narrow_the_interval(panda, panda_dynamics, wall):
    contact = contact_at(moving(panda_dynamics, wall, [0.0, 0.0, -0.2]))
    announced = predicted_load([contact], panda)
    nominal = predicted_load([contact], panda, joints="nominal")
    known = predicted_load([contact], replace(panda, joint_ranges=KNOWN_JOINTS))
    np.testing.assert_allclose(known.change_high, nominal.change_high)
    assert np.all(announced.change_high > nominal.change_high)
    assert np.all(announced.change_low < nominal.change_low)


@pytest.mark.parametrize("speed", [0.0, 0.1])
def test_without_approach_there_is_no_load(panda, panda_dynamics, wall, speed):
    state = moving(panda_dynamics, wall, [0.1, 0.0, speed])
    load = predicted_load([contact_at(state)], panda)
    assert not load.change_high.any()
    np.testing.assert_allclose(load.torque_high, np.abs(state.g))
    assert np.isnan(load.time).all()


def test_two_points_of_one_impact_share_it(panda, panda_dynamics, wall):
    state = moving(panda_dynamics, wall, [0.0, 0.0, -0.2])
    one = contact_at(state, friction=0.0)
    alone = predicted_load([one], panda, joints="nominal")
    softer = contact_at(state, friction=0.0, stiffness=5e5)  # two springs of half the stiffness
    both = predicted_load([softer, softer], panda, joints="nominal")
    np.testing.assert_allclose(both.change, alone.change, rtol=0.02)


def test_a_surface_behind_matters_only_to_the_arm_that_comes_back(panda, panda_dynamics, wall):
    state = moving(panda_dynamics, wall, [0.0, 0.0, -0.2])
    one = contact_at(state, friction=0.0)
    behind = RobotContact(state, Surface(None, [1.0, 0.0, 0.0], 0.0, 0.3, 1e6))
    alone = predicted_load([one], panda, joints="nominal")
    both = predicted_load([one, behind], panda, joints="nominal")
    early = alone.time < 5e-3
    assert early.sum() >= 3
    np.testing.assert_allclose(both.change[early], alone.change[early], rtol=1e-6)


def test_a_robot_of_unknown_joints_has_no_loads_and_a_sentence(project_root):
    robot = robot_from_urdf(project_root / "impact_robots/panda.urdf")
    state = ArmDynamics(robot)(Q, np.full(7, 0.1))
    load = predicted_load([contact_at(state)], robot)
    assert all(np.isnan(array).all() and array.shape == (7,) for array in load[:7])
    assert "does not give 'joint_stiffness'" in load.note


def test_other_ranges_are_refused(panda, panda_dynamics, wall):
    contact = contact_at(moving(panda_dynamics, wall, [0.0, 0.0, -0.2]))
    with pytest.raises(PredictionError, match="joint ranges: expected one of announced, nominal"):
        predicted_load([contact], panda, joints="best")


@pytest.mark.parametrize("lever", [50.0, 1e6])
def test_a_point_far_away_has_loads_too(panda, panda_dynamics, wall, lever):
    """As a contact's offset in a request may say; such a contact is over at once, hence rigid."""
    state = moving(panda_dynamics, wall, [0.0, 0.0, -0.2])
    far = state.robot_state.at(panda.contact_frame, [0.0, -lever, 0.0])
    assert Surface(None, NORMAL).approach_speed(far.velocity) > 0.0
    load = predicted_load([contact_at(far, stiffness=(1e9, 1e9))], panda, joints="nominal")
    rigid = predicted_load([contact_at(far, stiffness=(1e11, 1e11))], panda, joints="nominal")
    np.testing.assert_array_equal(load.change, rigid.change)


def test_an_absurd_stiffness_is_a_rigid_wall(panda, panda_dynamics, wall):
    state = moving(panda_dynamics, wall, [0.0, 0.0, -0.2])
    hard, rigid = (
        predicted_load([contact_at(state, stiffness=k)], panda, joints="nominal")
        for k in (1e300, (1e9, float("inf")))
    )
    assert np.all(hard.change <= rigid.change_high * (1.0 + 1e-9))
    assert np.all(hard.change >= rigid.change_low * (1.0 - 1e-9))


def test_joints_at_rest_that_bear_less_than_their_friction_are_held(panda, panda_dynamics, wall):
    state = moving(panda_dynamics, wall, [0.0, 0.0, -0.05])
    contact = contact_at(state, stiffness=2e4)
    load = predicted_load([contact], panda)
    rubbing = replace(panda, coulomb_friction=1.01 * load.change_high)
    at_rest = np.abs(state.dq) <= AT_REST
    assert 1 <= at_rest.sum() <= 6  # both kinds are there
    np.testing.assert_array_equal(held_joints([contact], rubbing), at_rest)
    slippery = replace(panda, coulomb_friction=0.99 * load.change_high)
    assert not held_joints([contact], slippery).any()
    with pytest.raises(PredictionError, match="does not give 'coulomb_friction'"):
        held_joints([contact], panda)


def test_held_joints_do_not_jump_and_the_others_carry_the_impulse(panda, panda_dynamics, wall):
    state = moving(panda_dynamics, wall, [0.0, 0.0, -0.2])
    held = np.array([False, False, True, False, True, False, False])
    surface = contact_at(state, 0.3, 0.2).surface
    found = predict(state, surface, panda.with_held_joints(held))
    jump = found.dq_after - state.dq
    assert np.abs(jump[held]).max() < 1e-5 < np.abs(jump[~held]).min()
    J = (wall.T @ state.J[:3])[:, ~held]  # the arm without these joints
    M = (state.M + np.diag(panda.apparent_motor_inertia))[np.ix_(~held, ~held)]
    np.testing.assert_allclose(jump[~held], np.linalg.solve(M, J.T @ found.impulse), rtol=1e-4)
    assert found.velocity_after[2] == pytest.approx(0.2 * 0.2)
