# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Inverse inertias are symmetric, positive, and the published cases come out."""

import csv
import math

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impact_predictor import INVERSE_INERTIAS, Flag, named_inverse_inertia
from impact_predictor.exceptions import UnknownNameError
from impact_predictor.inertia.approximation import composite_contact
from impact_predictor.inertia.inertia_models import normal_impulse
from impact_predictor.inertia.inverse_inertia import (
    algebraic_mass,
    crb,
    effective_mass,
    flexible,
    generalized_momentum,
)
from impact_predictor.inertia.jacobian import contact_jacobian
from impact_robots import (
    ArmDynamics,
    ContactDynamics,
    RobotError,
    contact_rotation,
    load_robot,
)
from impact_robots.exceptions import OutOfRangeError

FIXED = settings(max_examples=100)
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
        np.testing.assert_allclose(algebraic_mass(state, wall)[0], case["m_em"], atol=1e-9)
        np.testing.assert_allclose(flexible(state, wall), case["W_flex"], atol=1e-9)


@pytest.mark.parametrize("name", ["em", "gm", "crb", "flex"])
def test_published_effective_masses(derived_data, panda_dynamics, wall, name):
    file = derived_data / "chosen_scenario_configurations.csv"
    for row in csv.DictReader(file.open()):
        state = panda_dynamics([float(row[f"q{i}_rad"]) for i in range(1, 8)], np.zeros(7))
        mass = named_inverse_inertia(state, wall, name).effective_mass
        assert mass == pytest.approx(float(row[f"m_{name}_kg"]), abs=6e-4)


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
    for model in (crb, generalized_momentum, flexible, lambda *at: algebraic_mass(*at)[0]):
        turned = turn.T @ model(state, R) @ turn
        scale = np.abs(turned).max()
        np.testing.assert_allclose(model(state, R @ turn), turned, atol=1e-9 * scale)


def test_the_contact_jacobian_gives_the_velocity_in_contact_axes(hitting, wall):
    velocity = contact_jacobian(hitting, wall) @ hitting.dq
    np.testing.assert_allclose(velocity, [0, 0, -0.2], atol=1e-12)


def test_a_massless_normal_is_refused():
    with pytest.raises(OutOfRangeError, match=r"expected z\^T W z > 0, got 0.0"):
        effective_mass(np.zeros((3, 3)))


def test_motor_inertia_must_fit_the_arm(hitting, wall):
    with pytest.raises(OutOfRangeError, match=r"motor_inertia: expected .* \(7,\), got 0.2"):
        generalized_momentum(hitting, wall, 0.2)


@FIXED
@given(SEEDS)
def test_the_short_form_of_the_effective_mass_is_the_long_one(seed):
    state, R = random_contact(seed)
    mass = composite_contact(state, R).effective_mass
    assert mass == pytest.approx(effective_mass(crb(state, R)), rel=1e-10)


@FIXED
@given(SEEDS)
def test_the_algebraic_mass_is_never_less_than_the_generalized_momentums(seed):
    state, R = random_contact(seed)
    mass, rank = algebraic_mass(state, R)
    W = generalized_momentum(state, R)
    if rank == 6 and np.linalg.cond(W) < 1e8:
        more = mass - np.linalg.inv(W)
        assert np.linalg.eigvalsh(more)[0] >= -1e-7 * np.abs(mass).max()
        em, gm = (named_inverse_inertia(state, R, name).effective_mass for name in ("em", "gm"))
        assert em >= gm * (1 - 1e-9)


def humanoid():
    """Return pinocchio's sample humanoid on a floating base, with a frame at a sole."""
    model = pin.buildSampleModelHumanoid(True)
    joint = model.getJointId("rleg_wrist2_joint")
    placement = pin.SE3(np.eye(3), np.array([0.1, 0.0, -0.05]))
    model.addFrame(pin.Frame("sole", joint, 0, placement, pin.OP_FRAME))
    return model


HUMANOID = humanoid()


def floating(seed, composite="all"):
    """Return a random state of a humanoid and a random surface."""
    model = HUMANOID
    random = np.random.default_rng(seed)
    pin.seed(seed % 2**31)
    lower, upper = -np.ones(model.nq), np.ones(model.nq)
    q = pin.randomConfiguration(model, lower, upper)
    state = ContactDynamics(model, "sole", composite)(q, random.uniform(-1, 1, model.nv))
    return state, contact_rotation(random.normal(size=3))


@settings(FIXED, max_examples=50)
@given(SEEDS)
def test_on_a_floating_base_flexible_and_generalized_momentum_are_one(seed):
    state, R = floating(seed)
    W = generalized_momentum(state, R)
    np.testing.assert_allclose(flexible(state, R), W, atol=1e-9 * np.abs(W).max())


@settings(FIXED, max_examples=20)
@given(SEEDS)
def test_on_a_floating_base_the_impulse_is_the_momentums_jump(seed):
    state, R = floating(seed)
    impulse = np.random.default_rng(seed).normal(size=3)
    jump = state.A_G @ np.linalg.solve(state.M, state.J[:3].T @ (R @ impulse))
    lever = state.position - state.com
    np.testing.assert_allclose(jump[:3], R @ impulse, atol=1e-8)
    np.testing.assert_allclose(jump[3:], np.cross(lever, R @ impulse), atol=1e-8)


def test_the_base_of_a_floating_robot_counts_if_asked_for():
    masses = [inertia.mass for inertia in HUMANOID.inertias]
    leg = [i for i, name in enumerate(HUMANOID.names) if name.startswith("rleg")]
    assert floating(3, "all")[0].mass == pytest.approx(sum(masses))
    assert floating(3, "moving")[0].mass == pytest.approx(sum(masses) - masses[1])
    assert floating(3, "chain")[0].mass == pytest.approx(sum(masses[i] for i in leg))


@pytest.mark.parametrize("composite", ["moving", "all", "chain"])
def test_the_composite_bodys_momentum_is_that_of_its_links(composite):
    """The momentum map about the centre of mass, against central differences of that centre."""
    state, _ = floating(11, composite)
    frame = ContactDynamics(HUMANOID, "sole", composite)
    step = 1e-6
    ahead, behind = (
        frame(pin.integrate(HUMANOID, state.q, sign * step * state.dq), state.dq).com
        for sign in (1, -1)
    )
    velocity = (ahead - behind) / (2 * step)
    np.testing.assert_allclose(state.A_G[:3] @ state.dq / state.mass, velocity, atol=1e-6)


def test_the_fixed_base_link_adds_its_mass_and_no_momentum(panda, panda_dynamics, wall):
    with_base = ArmDynamics(panda, "all")(panda.stance, np.ones(7))
    without = panda_dynamics(panda.stance, np.ones(7))
    base = panda.model.inertias[0].mass
    assert base > 0.5
    assert with_base.mass == pytest.approx(without.mass + base)
    np.testing.assert_allclose(with_base.A_G[:3], without.A_G[:3], atol=1e-12)
    heavy, light = (composite_contact(each, wall).effective_mass for each in (with_base, without))
    assert 1.0 < heavy / light < 1.1


def test_a_stretched_arm_is_flagged_and_does_not_answer_nonsense(panda_dynamics):
    """With joints 2 to 7 at zero no joint moves the tool up: along z the arm cannot give way."""
    state = panda_dynamics(np.zeros(7), np.zeros(7))
    J = state.J[:3].copy()
    J[2] = 0.0  # exactly singular
    state = state._replace(J=np.vstack([J, state.J[3:]]))
    floor = contact_rotation([0, 0, 1])
    for name in ("gm", "em"):
        assert Flag.SINGULAR_JACOBIAN in named_inverse_inertia(state, floor, name).flags
    assert named_inverse_inertia(state, floor, "gm").effective_mass == math.inf
    em = named_inverse_inertia(state, floor, "em")
    assert Flag.RANK_DEFICIENT in em.flags
    assert np.all(np.isfinite(em.W))
    assert em.effective_mass == pytest.approx(0.0, abs=1e-9)
    assert named_inverse_inertia(state, floor, "crb").flags == Flag.NONE


def test_an_arm_of_three_joints_has_no_full_operational_space(panda):
    planar = pin.buildReducedModel(panda.model, [1, 3, 5, 7], np.zeros(7))
    state = ContactDynamics(planar, panda.contact_frame)(np.array([-0.5, -2.0, 2.5]), np.zeros(3))
    for normal in ([0, 0, 1], [-1, 0, 0]):
        em = named_inverse_inertia(state, contact_rotation(normal), "em")
        assert Flag.RANK_DEFICIENT in em.flags
        assert Flag.SINGULAR_JACOBIAN in em.flags
        assert 0.0 < em.effective_mass < state.mass


def test_impulses_of_an_effective_mass():
    assert normal_impulse(2.0, -0.5, 0.25) == (1.0, 1.25)
    assert normal_impulse(2.0, 0.5, 0.25) == (0.0, 0.0)


def test_an_unknown_model_lists_the_choices(hitting, wall):
    with pytest.raises(UnknownNameError, match="expected one of em, gm, crb, flex, got 'x'"):
        named_inverse_inertia(hitting, wall, "x")
    assert list(INVERSE_INERTIAS) == ["em", "gm", "crb", "flex"]


def test_unknown_frames_and_composites_are_named(panda):
    with pytest.raises(RobotError, match=r"contact frame: expected one of .*, got 'x'"):
        ContactDynamics(panda.model, "x")
    with pytest.raises(RobotError, match="composite: expected one of moving, all, chain, got 'x'"):
        ArmDynamics(panda, "x")
