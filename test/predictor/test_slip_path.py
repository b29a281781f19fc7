# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Friction along the path of the slip: closed forms of a plane, a fine integration in space."""

import numpy as np
import pytest

from impact_predictor import ContactMode, impact_map, planar_impulse
from impact_predictor.exceptions import NoImpulseError
from impact_predictor.laws.coulomb import solve_contact
from impact_predictor.laws.slip_path import path_impulse


def problems(count, seed=0):
    """Yield G, v, mu and e of approaching contacts."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        A, v = random.normal(size=(3, 3)), random.normal(size=3)
        v[2] = -abs(v[2])
        yield A @ A.T + 0.2 * np.eye(3), v, *random.uniform([0.05, 0.0], [0.9, 1.0])


def solved(G, v, mu, e, **options):
    impulse, mode, _ = path_impulse(G.tolist(), tuple(v.tolist()), mu, e, **options)
    return np.array(impulse), mode


def stepped(G, v, mu, stop, steps=400_000):
    """The impulse at a normal velocity, by many small steps of the definition."""
    u, impulse, dp = v.copy(), np.zeros(3), abs(v[2]) / G[2, 2] / steps
    while u[2] < stop:
        slip = max(np.hypot(u[0], u[1]), 1e-12)
        held = np.linalg.solve(G[:2, :2] * dp, -u[:2] - G[:2, 2] * dp)  # what stops the slip now
        size = np.hypot(*held)
        t = held if size <= mu else -mu * u[:2] / slip
        step = np.array([t[0], t[1], 1.0]) * dp
        u, impulse = u + G @ step, impulse + step
    return impulse


def test_in_a_plane_it_is_rouths_closed_form():
    random = np.random.default_rng(0)
    for _ in range(200):
        a, side = random.normal(size=(2, 2)), random.uniform(0.5, 2.0)
        a = a @ a.T + 0.05 * np.eye(2)
        G = np.array([[a[0, 0], 0.0, a[0, 1]], [0.0, side, 0.0], [a[0, 1], 0.0, a[1, 1]]])
        v = np.array([random.normal(), 0.0, -abs(random.normal())])
        mu, e = random.uniform(0.0, 1.0, 2)
        impulse, _ = solved(G, v, mu, e, poisson=True)
        expected = planar_impulse(a, v[[0, 2]], mu, e, "poisson")
        np.testing.assert_allclose(
            impulse, [expected[0], 0.0, expected[1]], atol=1e-7 * np.linalg.norm(expected)
        )


@pytest.mark.parametrize("poisson", [False, True])
def test_contact_that_cannot_end_its_slip_matters_only_where_the_slip_ends(poisson):
    singular = np.outer([1.0, 0.0, 1.0], [1.0, 0.0, 1.0])  # wedges at a friction above 1
    impulse, mode = solved(singular, np.array([-5.0, 0.0, -1.0]), 1.5, 0.0, poisson=poisson)
    np.testing.assert_allclose(impulse, [0.6, 0.0, 0.4], atol=1e-9)
    assert mode is ContactMode.SLIDE
    with pytest.raises(NoImpulseError):
        solved(singular, np.array([-0.5, 0.0, -1.0]), 1.5, 0.0, poisson=poisson)


@pytest.mark.parametrize("seed", range(3))
def test_in_space_it_is_what_small_steps_give(seed):
    ((G, v, mu, e),) = problems(1, seed)
    impulse, _ = solved(G, v, mu, e)
    np.testing.assert_allclose(
        impulse, stepped(G, v, mu, -e * v[2], 20_000), atol=3e-4 * np.linalg.norm(impulse)
    )


def test_poissons_end_never_adds_energy_and_turns_the_point_around():
    for G, v, mu, e in problems(500):
        impulse, _ = solved(G, v, mu, e, poisson=True)
        after = v + G @ impulse
        assert impulse @ (v + after) <= 1e-9 * (v @ v)
        assert after[2] >= -1e-9 * np.linalg.norm(G @ impulse)
        assert np.hypot(*impulse[:2]) <= mu * impulse[2] * (1.0 + 1e-9)


def test_plastic_impacts_end_alike_by_newton_and_by_poisson():
    for G, v, mu, _ in problems(50):
        np.testing.assert_allclose(solved(G, v, mu, 0.0)[0], solved(G, v, mu, 0.0, poisson=True)[0])


def test_without_slip_before_it_is_coulombs_law():
    for G, v, mu, e in problems(200):
        v = np.array([0.0, 0.0, v[2]])
        coulomb, mode, flags = solve_contact(G.tolist(), tuple(v.tolist()), mu, e)
        if flags:
            continue
        impulse, found = solved(G, v, mu, e)
        np.testing.assert_allclose(impulse, coulomb, atol=1e-9 * np.linalg.norm(coulomb))
        assert found is mode


def test_a_slip_that_turns_leaves_another_impulse_than_coulombs():
    """The contact slips forward first, then sideways: friction of the end alone cannot say so."""
    G = np.array([[3.0, 0.0, -2.0], [0.0, 3.0, 1.0], [-2.0, 1.0, 3.0]])
    v = np.array([0.4, 0.0, -1.0])
    path, coulomb = (
        impact_map(np.linalg.inv(G), None, np.eye(3), v, friction=0.3, restitution=0.2, law=law)
        for law in ("path", "coulomb")
    )
    assert path.mode is ContactMode.SLIDE
    assert path.velocity_after[2] == pytest.approx(coulomb.velocity_after[2])
    assert np.linalg.norm(path.impulse - coulomb.impulse) > 0.02 * np.linalg.norm(path.impulse)
    turned = np.degrees(np.arctan2(path.velocity_after[1], path.velocity_after[0]))
    assert abs(turned) > 20.0
