# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Many contacts at once: momentum balances, cones hold, energy does not grow."""

from dataclasses import fields

import numpy as np
import pytest
import quadprog
from hypothesis import given, settings
from hypothesis import strategies as st

from impact_predictor import ContactMode, Flag, simultaneous_impact
from impact_predictor.laws.coulomb import coulomb_impulse
from impact_predictor.multicontact.friction_cone import project, residuals
from impact_robots.exceptions import OutOfRangeError

FIXED = settings(max_examples=150)
SEEDS = st.integers(0, 2**32 - 1)
COUNTS = st.sampled_from([1, 2, 3, 4, 6, 8, 12, 16])
FRICTIONS = st.sampled_from([0.0, 0.1, 0.3, 0.8, 1.2])
RESTITUTIONS = st.one_of(st.just(0.0), st.floats(0.0, 1.0))


def random_system(seed, k, *, free=True, resting=0.0):
    """Return inertia, contact Jacobian and velocity of a random system.

    Args:
        seed: of the random numbers.
        k: number of contacts.
        free: more velocities than contact directions; else 6 to 14, so a Delassus matrix that is
            rank-deficient for 5 contacts and more.
        resting: share of contacts that neither approach nor separate, all others approach; with 0
            they do whatever they do.
    """
    random = np.random.default_rng(seed)
    nv = random.integers(3 * k, 3 * k + 8) if free else random.integers(6, 15)
    A = random.normal(size=(nv, nv))
    M, J = A @ A.T / nv + 0.1 * np.eye(nv), random.normal(size=(3 * k, nv))
    v = random.normal(size=nv)
    if resting:
        aim = J @ v
        aim[2::3] = -np.abs(aim[2::3]) * (random.random(k) > resting)
        v = v + np.linalg.pinv(J) @ (aim - J @ v)
    return M, J, v


def energy(M, v):
    """Return the kinetic energy."""
    return v @ M @ v / 2


def assert_law_holds(M, J, v, mu, e, result):
    """Check balance of momentum, Signorini, Newton and Coulomb, each at every contact."""
    iota, before, after = result.impulses, result.velocities_before, result.velocities_after
    jump, push = M @ (result.v_after - v), J.T @ iota.ravel()
    np.testing.assert_allclose(jump, push, atol=1e-12 * (np.abs(M) @ np.abs(v)).max())
    mobility = np.sqrt(np.diag(J @ np.linalg.solve(M, J.T)).reshape(-1, 3).sum(axis=1))
    speed = np.abs(before).max() * mobility.max() / mobility.min()
    size = max(np.abs(iota).max(), 1e-9)
    assert np.all(iota[:, 2] >= 0.0)
    tangential = np.hypot(iota[:, 0], iota[:, 1])
    assert np.all(tangential <= mu * iota[:, 2] + 1e-12 * size)
    rebound = -e * np.minimum(before[:, 2], 0.0)
    assert np.all(after[:, 2] >= rebound - 1e-9 * speed)
    pressed = iota[:, 2] > 1e-7 * size
    np.testing.assert_allclose(after[pressed, 2], rebound[pressed], atol=1e-9 * speed)
    slip = np.hypot(after[:, 0], after[:, 1])
    slides = slip > 1e-7 * speed
    np.testing.assert_allclose(
        iota[slides, :2] * slip[slides, None],
        -(mu * iota[:, 2])[slides, None] * after[slides, :2],
        atol=1e-8 * size * speed,
    )
    assert max(result.residuals) <= 1e-10


@FIXED
@given(SEEDS, COUNTS, FRICTIONS, RESTITUTIONS)
def test_the_law_holds_at_every_contact(seed, k, friction, restitution):
    M, J, v = random_system(seed, k)
    result = simultaneous_impact(M, J, v, friction=friction, restitution=restitution)
    assert_law_holds(M, J, v, friction, restitution, result)


@FIXED
@given(SEEDS, COUNTS, st.booleans())
def test_the_law_holds_with_other_friction_at_each_contact_and_with_fewer_velocities(seed, k, mix):
    M, J, v = random_system(seed, k, free=False)
    friction = np.random.default_rng(seed).choice([0.0, 0.3, 0.8], k) if mix else np.full(k, 0.3)
    result = simultaneous_impact(M, J, v, friction=friction)
    assert_law_holds(M, J, v, friction, np.zeros(k), result)


@FIXED
@given(SEEDS, COUNTS, FRICTIONS, st.booleans())
def test_energy_never_grows_without_restitution(seed, k, friction, free):
    M, J, v = random_system(seed, k, free=free)
    result = simultaneous_impact(M, J, v, friction=friction)
    assert energy(M, result.v_after) <= energy(M, v) * (1 + 1e-12)
    assert result.energy_gain <= 1e-12 * energy(M, v)
    assert Flag.ENERGY_GAIN not in result.flags


@FIXED
@given(SEEDS, COUNTS, st.floats(0.0, 1.0), st.sampled_from([1e-9, 0.5]))
def test_energy_never_grows_without_friction_where_no_contact_separates(seed, k, e, resting):
    M, J, v = random_system(seed, k, resting=resting)
    result = simultaneous_impact(M, J, v, restitution=e)
    assert energy(M, result.v_after) <= energy(M, v) * (1 + 1e-12)
    assert Flag.ENERGY_GAIN not in result.flags
    if e == 1.0:
        assert energy(M, result.v_after) == pytest.approx(energy(M, v))
    each = np.random.default_rng(seed).uniform(0.0, 1.0, k)
    result = simultaneous_impact(M, J, v, restitution=each)
    assert energy(M, result.v_after) <= energy(M, v) * (1 + 1e-12)


@FIXED
@given(SEEDS, COUNTS, RESTITUTIONS)
def test_without_friction_it_is_moreaus_quadratic_program(seed, k, e):
    """v^+ is the nearest velocity, in the metric of M, that respects every contact."""
    M, J, v = random_system(seed, k)
    normals, rebound = J[2::3], -e * np.minimum(J[2::3] @ v, 0.0)
    nearest = quadprog.solve_qp(M, M @ v, normals.T, rebound)[0]
    result = simultaneous_impact(M, J, v, restitution=e)
    np.testing.assert_allclose(result.v_after, nearest, atol=1e-9 * np.abs(v).max())


@FIXED
@given(SEEDS, FRICTIONS, RESTITUTIONS)
def test_one_contact_is_coulombs_closed_form(seed, friction, restitution):
    random = np.random.default_rng(seed)
    A = random.normal(size=(3, 3))
    A = A + A.T
    G = np.eye(3) + 0.3 * A / np.linalg.norm(A)  # coupled weakly: one solution
    before = np.append(random.normal(size=2) * random.choice([0.0, 0.3, 3.0]), -random.random())
    impulse, sticks = coulomb_impulse(G, before, friction, restitution)
    result = simultaneous_impact(
        np.linalg.inv(G), np.eye(3), before, friction=friction, restitution=restitution
    )
    np.testing.assert_allclose(result.impulses[0], impulse, atol=1e-8 * np.abs(impulse).max())
    assert (result.modes[0] is ContactMode.STICK) == sticks


@FIXED
@given(SEEDS, st.sampled_from([2, 4, 8]), st.sampled_from([0.0, 0.2]), RESTITUTIONS)
def test_neither_order_nor_tangent_axes_matter(seed, k, friction, e):
    M, J, v = random_system(seed, k)
    random = np.random.default_rng(seed)
    M, J = np.eye(len(v)), np.linalg.qr(J.T)[0].T + 0.05 * J  # coupled weakly: one solution
    order, angle = random.permutation(k), random.uniform(0.0, 2 * np.pi, k)
    turned = J.reshape(k, 3, -1).copy()
    for block, a in zip(turned, angle, strict=True):
        c, s = np.cos(a), np.sin(a)
        block[:2] = np.array([[c, s], [-s, c]]) @ block[:2]
    case = {"friction": friction, "restitution": e}
    straight = simultaneous_impact(M, J, v, **case)
    other = simultaneous_impact(M, turned[order].reshape(3 * k, -1), v, **case)
    np.testing.assert_allclose(other.v_after, straight.v_after, atol=1e-9)
    np.testing.assert_allclose(other.impulses[:, 2], straight.impulses[order, 2], atol=1e-9)
    assert other.modes == tuple(straight.modes[i] for i in order)


@pytest.mark.parametrize("e", [0.0, 0.5])
def test_a_sliding_contact_does_not_lift_off(e):
    """Anitescu's convex relaxation would leave v_n = mu |v_T| after the impact."""
    result = simultaneous_impact(
        np.eye(3), np.eye(3), [3.0, 0.0, -1.0], friction=0.5, restitution=e
    )
    assert result.modes == (ContactMode.SLIDE,)
    slip = 3.0 - 0.5 * (1 + e)
    np.testing.assert_allclose(result.velocities_after, [[slip, 0.0, e]], atol=1e-13)


def test_restitution_with_friction_can_create_energy_and_says_so():
    """Kane's paradox: an eccentric body that bounces with friction."""
    G = np.array([[4.0, 0.0, 1.5], [0.0, 1.0, 0.0], [1.5, 0.0, 1.0]])
    case = {"M": np.linalg.inv(G), "J": np.eye(3), "v": [-0.5, 0.0, -1.0], "friction": 0.8}
    result = simultaneous_impact(**case, restitution=0.9)
    assert result.energy_gain > 0.05
    assert Flag.ENERGY_GAIN in result.flags
    assert Flag.ENERGY_GAIN not in simultaneous_impact(**case).flags


@FIXED
@given(SEEDS, st.sampled_from([1, 4, 8]), FRICTIONS)
def test_energy_never_grows_with_closed_loops(seed, k, friction):
    M, J, v = random_system(seed, k)
    random = np.random.default_rng(seed)
    loops = random.normal(size=(min(4, len(v) - 1), len(v)))
    v = v - np.linalg.pinv(loops) @ (loops @ v)
    result = simultaneous_impact(M, J, v, friction=friction, loops=np.vstack([loops, loops[:1]]))
    np.testing.assert_allclose(loops @ result.v_after, 0.0, atol=1e-11 * np.abs(v).max())
    assert energy(M, result.v_after) <= energy(M, v) * (1 + 1e-12)


@FIXED
@given(SEEDS, st.sampled_from([1e-3, 1.0, 1e3]), st.sampled_from([0.0, 0.8]))
def test_mass_ratios_of_a_thousand_are_no_trouble(seed, ratio, friction):
    """Two boxes of four feet each, one on the other, one of them hit from above."""
    random = np.random.default_rng(seed)
    corners = 0.1 * np.array([[1, 1, -1], [-1, 1, -1], [-1, -1, -1], [1, -1, -1]])
    feet = np.vstack([np.hstack([np.eye(3), -np.cross(np.eye(3), c)]) for c in corners])
    top = np.vstack([np.hstack([np.eye(3), -np.cross(np.eye(3), c * [1, 1, -1])]) for c in corners])
    body = np.diag([1.0, 1.0, 1.0, 0.01, 0.01, 0.01])
    M = np.block([[body, np.zeros((6, 6))], [np.zeros((6, 6)), ratio * body]])
    J = np.block([[feet, np.zeros((12, 6))], [-top, feet]])
    v = np.append(np.zeros(6), random.normal(size=6) * [0.3, 0.3, 0.0, 1, 1, 1] - 0.2)
    result = simultaneous_impact(M, J, v, friction=friction)
    assert max(result.residuals) <= 1e-10
    assert energy(M, result.v_after) <= energy(M, v) * (1 + 1e-12)


def test_the_same_question_has_the_same_answer():
    M, J, v = random_system(5, 8, free=False)
    first, second = (simultaneous_impact(M, J, v, friction=0.3) for _ in range(2))
    for field in fields(first):
        np.testing.assert_array_equal(getattr(first, field.name), getattr(second, field.name))


def test_residuals_notice_each_way_to_be_wrong():
    G, g, mu = np.eye(3), np.array([3.0, 0.0, -1.0]), np.array([0.5])
    right = residuals(G, g, mu, np.array([-0.5, 0.0, 1.0]))
    assert max(right) <= 1e-15
    assert residuals(G, g, mu, np.array([-0.9, 0.0, 1.0])).cone > 0.1
    assert residuals(G, g, mu, np.zeros(3)).dual > 0.1
    assert residuals(G, g, mu, np.array([0.0, 0.0, 1.0])).complementarity > 0.1
    relaxed = residuals(G, g, mu, np.array([-1.0, 0.0, 2.0]))  # Anitescu's: lifts off
    assert relaxed.fixed_point > 0.1


def test_a_projection_is_the_nearest_point_of_the_cone():
    vectors = np.array([[0.1, 0, 1], [0, 0, -1], [-1, 0, 1], [3, 4, 0]])
    friction = np.array([0.5, 0.5, 1.0, 0.0])
    expected = [[0.1, 0, 1], [0, 0, 0], [-1, 0, 1], [0, 0, 0]]
    np.testing.assert_allclose(project(vectors, friction), expected)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"v": []}, "v: expected at least one velocity"),
        ({"v": [0, 0, np.inf]}, r"v: expected finite numbers of shape \(3,\)"),
        ({"M": np.eye(2)}, r"M: expected finite numbers of shape \(3, 3\)"),
        ({"M": np.triu(np.ones((3, 3)))}, "M: expected a symmetric matrix"),
        ({"M": -np.eye(3)}, "M: expected a positive definite matrix"),
        ({"J": np.eye(3)[:2]}, "J: expected three rows of 3 numbers for each contact"),
        ({"J": np.zeros((0, 3))}, "J: expected three rows of 3 numbers for each contact"),
        ({"J": np.eye(6)}, r"J: expected finite numbers of shape \(6, 3\)"),
        ({"friction": -0.1}, "friction: expected numbers at least 0, got -0.1"),
        ({"friction": [0.1, 0.1]}, r"friction: expected finite numbers of shape \(1,\)"),
        ({"restitution": 1.5}, "restitution: expected numbers from 0 to 1, got 1.5"),
        ({"restitution": "soft"}, r"restitution: expected finite numbers of shape \(1,\)"),
        ({"loops": [1.0, 0.0, 0.0]}, "loops: expected rows of 3 numbers"),
        ({"loops": [[1.0, 0.0]]}, r"loops: expected finite numbers of shape \(1, 3\)"),
        ({"tolerance": 0.0}, "tolerance: expected a finite number above 0, got 0.0"),
    ],
)
def test_bad_input_is_named_in_one_line(change, message):
    good = {"M": np.eye(3), "J": np.eye(3), "v": [0.0, 0.0, -1.0]}
    with pytest.raises(OutOfRangeError, match=message) as caught:
        simultaneous_impact(**good | change)
    assert "\n" not in str(caught.value)
