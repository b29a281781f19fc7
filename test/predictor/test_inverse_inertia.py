# SPDX-License-Identifier: Apache-2.0
"""Inverse inertias are symmetric, positive, and the published cases come out."""

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impact_predictor import (
    OutOfRangeError,
    contact_jacobian,
    crb,
    effective_mass,
    generalized_momentum,
)
from impact_robots import ArmDynamics, contact_rotation, load_robot

FIXED = settings(derandomize=True, deadline=None, max_examples=100)
PANDA = load_robot("panda")
DYNAMICS = ArmDynamics(PANDA)
SEEDS = st.integers(0, 2**32 - 1)


def random_contact(seed):
    """Return a random state within the joint limits and a random surface."""
    random, limits = np.random.default_rng(seed), PANDA.limits
    q = random.uniform(limits.position_lower, limits.position_upper)
    return DYNAMICS(q, random.uniform(-1, 1, 7)), contact_rotation(random.normal(size=3))


def test_worked_cases(worked_cases, panda_dynamics, wall):
    for case in worked_cases:
        state = panda_dynamics(np.array(case["q"]), np.zeros(7))
        np.testing.assert_allclose(crb(state, wall), case["W_crb"], atol=1e-9)
        np.testing.assert_allclose(generalized_momentum(state, wall), case["W_gm"], atol=1e-9)


@FIXED
@given(SEEDS)
def test_no_direction_feels_more_than_the_whole_mass(seed):
    state, R = random_contact(seed)
    W = crb(state, R)
    np.testing.assert_allclose(W, W.T, atol=1e-12)
    assert np.linalg.eigvalsh(W)[0] >= (1 - 1e-9) / state.mass
    assert effective_mass(W) <= state.mass * (1 + 1e-9)


@FIXED
@given(SEEDS)
def test_crb_is_the_free_body_hit_at_the_contact_point(seed):
    state, R = random_contact(seed)
    body = pin.Inertia(state.mass, state.com, state.rotational_inertia)  # about the base's origin
    at_contact = pin.SE3(R, state.position).actInv(body)
    W = np.linalg.inv(at_contact.matrix())[:3, :3]
    np.testing.assert_allclose(crb(state, R), W, rtol=1e-8, atol=1e-10)


@FIXED
@given(SEEDS)
def test_motors_make_the_arm_heavier_in_every_direction(seed):
    state, R = random_contact(seed)
    with_motors = generalized_momentum(state, R, PANDA.apparent_motor_inertia)
    lighter = generalized_momentum(state, R) - with_motors
    assert np.linalg.eigvalsh(lighter)[0] >= -1e-9
    np.testing.assert_allclose(with_motors, with_motors.T, atol=1e-12)


@FIXED
@given(SEEDS)
def test_a_turn_of_the_contact_frame_turns_the_matrix(seed):
    state, R = random_contact(seed)
    turn = pin.exp3(np.random.default_rng(seed).normal(size=3))
    for model in (crb, generalized_momentum):
        turned = turn.T @ model(state, R) @ turn
        np.testing.assert_allclose(model(state, R @ turn), turned, rtol=1e-9, atol=1e-9)


def test_the_contact_jacobian_gives_the_velocity_in_contact_axes(hitting, wall):
    velocity = contact_jacobian(hitting, wall) @ hitting.dq
    np.testing.assert_allclose(velocity, [0, 0, -0.2], atol=1e-12)


def test_a_massless_normal_is_refused():
    with pytest.raises(OutOfRangeError, match=r"expected z\^T W z > 0, got 0.0"):
        effective_mass(np.zeros((3, 3)))


def test_motor_inertia_must_fit_the_arm(hitting, wall):
    with pytest.raises(OutOfRangeError, match=r"motor_inertia: expected .* \(7,\), got 0.2"):
        generalized_momentum(hitting, wall, 0.2)
