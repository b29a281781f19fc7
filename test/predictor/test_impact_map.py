# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The impact map keeps Newton's restitution, loses energy, and says when to doubt it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impact_predictor import FRICTION_LAWS, ContactMode, Flag, impact_map
from impact_predictor.exceptions import UnknownNameError
from impact_predictor.inertia.jacobian import contact_jacobian
from impact_robots import ArmDynamics, contact_rotation, load_robot
from impact_robots.exceptions import OutOfRangeError

FIXED = settings(max_examples=300)
PANDA = load_robot("panda")
DYNAMICS = ArmDynamics(PANDA)
SEEDS = st.integers(0, 2**32 - 1)
MOTORS = st.sampled_from(sorted(PANDA.motor_inertias))
FRICTIONS = st.floats(0.0, 1.0)
RESTITUTIONS = st.one_of(st.just(0.0), st.floats(0.0, 1.0))
EYE = np.eye(3)


def random_state(seed):
    """Return mass matrix, contact Jacobian and velocity of a random Panda that approaches."""
    random, limits = np.random.default_rng(seed), PANDA.limits
    q = random.uniform(limits.position_lower, limits.position_upper)
    state = DYNAMICS(q, random.uniform(-1, 1, 7))
    J = contact_jacobian(state, contact_rotation(random.normal(size=3)))
    return state.M, J, state.dq if J[2] @ state.dq < 0 else -state.dq


@pytest.mark.parametrize("motors", ["M", "M+Btheta", "M+Brho"])
def test_worked_cases(worked_cases, panda_dynamics, wall, motors):
    B = PANDA.motor_inertias[motors.replace("+B", "+B_")]
    for case in worked_cases:
        state = panda_dynamics(np.array(case["q"]), np.array(case["qd_minus"]))
        for friction in (0.0, 0.3):
            result = impact_map(
                state.M,
                B,
                contact_jacobian(state, wall),
                state.dq,
                friction=friction,
                law="sliding",
            )
            expected = case["qd_plus"][f"{motors} mu={friction}"]
            np.testing.assert_allclose(result.dq_after, expected, atol=1e-9)


@FIXED
@given(SEEDS, MOTORS, FRICTIONS, RESTITUTIONS, st.sampled_from(["coulomb", "sliding"]))
def test_the_normal_velocity_is_reversed_by_the_restitution(seed, motors, mu, e, law):
    M, J, dq = random_state(seed)
    result = impact_map(M, PANDA.motor_inertias[motors], J, dq, friction=mu, restitution=e, law=law)
    if Flag.JAMMING in result.flags:
        assert law == "sliding"
        return
    assert Flag.APPROACHING in result.flags
    assert result.velocity_after[2] == pytest.approx(-e * result.velocity_before[2], abs=1e-8)
    assert result.impulse[2] > 0.0


@FIXED
@given(SEEDS, MOTORS, FRICTIONS, RESTITUTIONS)
def test_the_jump_is_the_impulses_doing_and_nothing_elses(seed, motors, mu, e):
    M, J, dq = random_state(seed)
    B = PANDA.motor_inertias[motors]
    result = impact_map(M, B, J, dq, friction=mu, restitution=e)
    momentum = (M + np.diag(B)) @ (result.dq_after - dq)
    np.testing.assert_allclose(momentum, J.T @ result.impulse, atol=1e-8)
    assert np.hypot(*result.impulse[:2]) <= mu * result.impulse[2] + 1e-9


@FIXED
@given(SEEDS, MOTORS, FRICTIONS, RESTITUTIONS)
def test_the_energy_gain_is_that_of_the_joints(seed, motors, mu, e):
    M, J, dq = random_state(seed)
    M_x = M + np.diag(PANDA.motor_inertias[motors])
    result = impact_map(M_x, None, J, dq, friction=mu, restitution=e)
    after, before = (v @ M_x @ v / 2 for v in (result.dq_after, dq))
    assert result.energy_gain == pytest.approx(after - before, abs=1e-9)
    assert (Flag.ENERGY_GAIN in result.flags) == (result.energy_gain > 2e-12 * before)
    if e == 0.0:
        assert result.energy_gain <= 0.0


@FIXED
@given(SEEDS, st.floats(0.01, 0.6), RESTITUTIONS)
def test_both_laws_agree_where_slip_keeps_its_direction(seed, mu, e):
    """A body that is symmetric about the plane of its motion cannot leave that plane."""
    random = np.random.default_rng(seed)
    plane = random.normal(size=(2, 2))
    G = np.diag([0.0, 0.5, 0.0])
    G[::2, ::2] = plane @ plane.T + np.eye(2)  # coupled weakly: one solution
    c, s = np.cos(seed), np.sin(seed)
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    before = R @ [random.uniform(0.1, 2.0), 0.0, -1.0]
    case = {"M": R @ np.linalg.inv(G) @ R.T, "motor_inertia": None, "J": EYE, "dq": before}
    sliding = impact_map(**case, friction=mu, restitution=e, law="sliding")
    if sliding.mode is ContactMode.SLIDE:
        coulomb = impact_map(**case, friction=mu, restitution=e)
        np.testing.assert_allclose(coulomb.dq_after, sliding.dq_after, atol=1e-7)


def test_without_friction_both_laws_are_one():
    M, J, dq = random_state(7)
    coulomb, sliding = (impact_map(M, None, J, dq, law=law) for law in ("coulomb", "sliding"))
    np.testing.assert_allclose(coulomb.dq_after, sliding.dq_after)


@pytest.mark.parametrize("slip", [1.0, 0.31])
def test_a_sliding_point_mass_keeps_its_direction_in_both_laws(slip):
    velocity = np.array([0.6 * slip, 0.8 * slip, -1.0])
    for law in ("coulomb", "sliding"):
        result = impact_map(EYE, None, EYE, velocity, friction=0.3, law=law)
        expected = (slip - 0.3) * np.array([0.6, 0.8])
        np.testing.assert_allclose(result.velocity_after[:2], expected, atol=1e-12)
        assert result.mode is ContactMode.SLIDE


def test_where_sliding_turns_the_slip_around_coulomb_sticks():
    velocity = np.array([0.2, 0.0, -1.0])
    sliding = impact_map(EYE, None, EYE, velocity, friction=0.3, law="sliding")
    assert sliding.mode is ContactMode.REVERSAL
    assert Flag.FRICTION_REVERSAL in sliding.flags
    assert sliding.velocity_after[0] == pytest.approx(-0.1)
    coulomb = impact_map(EYE, None, EYE, velocity, friction=0.3)
    assert coulomb.mode is ContactMode.STICK
    np.testing.assert_allclose(coulomb.velocity_after, 0.0, atol=1e-12)


def test_friction_without_slip_has_no_direction():
    result = impact_map(EYE, None, EYE, [1e-7, 0.0, -1.0], friction=0.3, law="sliding")
    assert Flag.SLIP_UNDEFINED in result.flags
    np.testing.assert_allclose(result.impulse, [0, 0, 1])


def test_jamming_is_flagged_and_answers_nothing():
    G = np.array([[4.0, 0.0, 1.9], [0.0, 1.0, 0.0], [1.9, 0.0, 1.0]])
    case = {"M": np.linalg.inv(G), "motor_inertia": None, "J": EYE, "dq": [1.0, 0.0, -1.0]}
    result = impact_map(**case, friction=0.6, law="sliding")
    assert Flag.JAMMING in result.flags
    assert np.isnan(result.dq_after).all()
    assert result.mode is ContactMode.UNKNOWN
    answer = impact_map(**case, friction=0.6)
    assert Flag.JAMMING not in answer.flags
    assert answer.velocity_after[2] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("normal_velocity", [0.0, 0.5])
def test_who_does_not_approach_has_no_impact(normal_velocity):
    result = impact_map(EYE, None, EYE, [1.0, 0.0, normal_velocity], friction=0.3, restitution=0.5)
    assert result.mode is ContactMode.NONE
    assert Flag.APPROACHING not in result.flags
    np.testing.assert_array_equal(result.dq_after, [1.0, 0.0, normal_velocity])
    assert result.energy_gain == 0.0


def test_restitution_with_friction_can_create_energy_and_says_so():
    """Kane's paradox: an eccentric body that bounces with friction."""
    G = np.array([[4.0, 0.0, 1.5], [0.0, 1.0, 0.0], [1.5, 0.0, 1.0]])
    result = impact_map(
        np.linalg.inv(G), None, EYE, [0.5, 0.0, -1.0], friction=0.5, restitution=1.0, law="sliding"
    )
    assert result.energy_gain > 0.1
    assert Flag.ENERGY_GAIN in result.flags


def test_a_lost_rank_is_flagged():
    flat = np.diag([1.0, 1e-5, 1.0])
    assert Flag.SINGULAR_JACOBIAN in impact_map(EYE, None, flat, [0, 0, -1.0]).flags
    assert Flag.SINGULAR_JACOBIAN not in impact_map(EYE, None, EYE, [0, 0, -1.0]).flags
    one_joint = impact_map(2 * np.eye(1), [1.0], [[0.0], [0.0], [1.0]], [-0.4], friction=0.3)
    assert Flag.SINGULAR_JACOBIAN in one_joint.flags
    np.testing.assert_allclose(one_joint.impulse, [0, 0, 1.2], atol=1e-12)


def test_the_state_given_is_not_changed():
    dq = np.array([0.1, 0.0, -1.0])
    impact_map(EYE, None, EYE, dq, friction=0.3)
    np.testing.assert_array_equal(dq, [0.1, 0.0, -1.0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"friction": -1}, "friction: expected a finite number, at least 0, got -1"),
        ({"restitution": 1.5}, "restitution: expected a number from 0 to 1, got 1.5"),
        ({"dq": [np.nan, 0, 0]}, r"dq: expected finite numbers of shape \(3,\)"),
        ({"dq": []}, "dq: expected at least one joint"),
        ({"M": np.eye(2)}, r"M: expected finite numbers of shape \(3, 3\)"),
        ({"J": np.eye(2)}, r"J: expected finite numbers of shape \(3, 3\)"),
        ({"motor_inertia": [1.0]}, r"motor_inertia: expected finite numbers of shape \(3,\)"),
    ],
)
def test_bad_input_is_named(change, message):
    good = {"M": EYE, "motor_inertia": None, "J": EYE, "dq": [0.0, 0.0, -1.0]}
    with pytest.raises(OutOfRangeError, match=message):
        impact_map(**good | change)


def test_an_unknown_law_lists_the_choices():
    with pytest.raises(UnknownNameError) as caught:
        impact_map(EYE, None, EYE, [0, 0, -1.0], law="sticky")
    assert (
        str(caught.value)
        == f"friction law: expected one of {', '.join(FRICTION_LAWS)}, got 'sticky'"
    )
