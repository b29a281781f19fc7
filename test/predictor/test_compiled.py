# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What is compiled of a prediction, and nothing is in a question."""

import numpy as np
import pytest
from numba.core import event
from walls import a_wall

from impact_predictor import ContactMode, Flag, predict, velocity_interval
from impact_predictor.compiled.coulomb import slides
from impact_predictor.compiled.mobility import (
    inverse,
    mobilities,
    mobility,
    squared_singular_values,
)
from impact_predictor.compiled.velocity_bounds import velocity_bounds
from impact_predictor.laws.coulomb import solve_contact
from impact_predictor.laws.friction_law import FRICTION_LAWS

EXACT = {"rtol": 1e-12, "atol": 1e-12}

ROOT = np.array([[0.1, 2.7, -0.3], [-0.5, 1.7, 0.7], [-0.1, -3.3, 0.6]])
SEVERAL_WAYS = ROOT @ ROOT.T, [0.0, -0.4, -0.2], [1.1, 0.0]  # to slide; rare


def contacts(count):
    """Return Delassus matrices, some without full rank, velocities of approach, coefficients."""
    random = np.random.default_rng(7)
    A = random.normal(size=(count, 3, 3)) * np.exp(random.normal(size=(count, 3, 1)))
    A[::10, 1] = A[::10, 0]
    v = random.normal(size=(count, 3)) * [1.0, 1.0, 0.3]
    v[:, 2] = -np.abs(v[:, 2]) - 1e-3
    coefficients = random.uniform([0.0, 0.0], [1.0, 1.0], (count, 2))
    coefficients[::7, 0], coefficients[::10, 0] = 0.0, 0.02  # a solution whatever the rank
    G = np.swapaxes(A, 1, 2) @ A
    G[1], v[1], coefficients[1] = SEVERAL_WAYS
    return G, v, coefficients


def test_many_contacts_are_solved_as_each_alone():
    G, v, coefficients = contacts(300)
    impulses, modes, flags = FRICTION_LAWS["coulomb"].solve_many(G, v, coefficients)
    assert len(set(zip(modes.tolist(), flags.tolist(), strict=True))) == 3
    for i in range(len(G)):
        impulse, mode, flag = FRICTION_LAWS["coulomb"].solve(
            G[i].tolist(), tuple(v[i].tolist()), *coefficients[i].tolist()
        )
        np.testing.assert_array_equal(impulses[i], impulse)
        assert (modes[i], flags[i]) == (mode, flag)


def test_of_several_ways_to_slide_the_one_with_the_least_energy_is_taken():
    G, v, (mu, e) = SEVERAL_WAYS
    rows, ways = tuple(map(tuple, G.tolist())), np.empty((8, 3))
    count = slides(rows, tuple(v), mu, e, ways)
    energies = [iota @ (v + G @ iota / 2) for iota in ways[:count]]
    impulse, mode, flags = solve_contact(rows, tuple(v), mu, e)
    assert (count, mode, flags) == (3, ContactMode.SLIDE, Flag.AMBIGUOUS)
    np.testing.assert_array_equal(impulse, ways[np.argmin(energies)])
    assert sorted(energies)[1] > min(energies) + 1e-3


@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_whole_numbers_are_solved_as_well(mu):
    """What is compiled takes floats only; a law of one's own may pass integers on."""
    rows = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert solve_contact(rows, (1, 0, -1), mu, 0) == solve_contact(
        np.array(rows, dtype=float).tolist(), (1.0, 0.0, -1.0), mu, 0.0
    )


def test_nothing_is_compiled_in_a_question(hitting, panda):
    predict(hitting, a_wall(0.3), panda)  # loads what is compiled
    with event.install_recorder("numba:compile") as recorder:
        predict(hitting, a_wall(0.1, 0.2), panda)
        velocity_interval(hitting, a_wall((0.2, 0.4), (0.0, 0.3)), panda)
    assert not recorder.buffer


@pytest.fixture
def impacts():
    """Return inertias, Jacobians, one of rank 2, and velocities of joints."""
    random = np.random.default_rng(3)
    A, J = random.normal(size=(6, 7, 7)), random.normal(size=(6, 3, 7))
    J[4, 1] = 2.0 * J[4, 0]
    return A @ np.swapaxes(A, 1, 2) + np.eye(7), J, random.normal(size=(6, 7))


@pytest.mark.parametrize("rows", [6, 1])
def test_what_impulses_move_is_what_numpy_says(impacts, rows):
    M, J, dq = impacts
    dq = dq[:rows]
    effect, G, velocity = mobilities(M, J, dq)
    expected = np.linalg.solve(M, np.swapaxes(J, 1, 2))
    np.testing.assert_allclose(effect, np.swapaxes(expected, 1, 2), **EXACT)
    np.testing.assert_allclose(G, J @ expected, **EXACT)
    np.testing.assert_allclose(velocity, (J @ dq[..., None])[..., 0], **EXACT)
    for i in range(rows):
        alone = mobility(M[i], J[i], dq[i])
        np.testing.assert_array_equal(alone[0], effect[i])
        np.testing.assert_array_equal(alone[1], G[i])
        np.testing.assert_array_equal(alone[2], velocity[i])
        assert alone[3]
        np.testing.assert_allclose(inverse(M[i]), np.linalg.inv(M[i]), **EXACT)


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan])
def test_an_inertia_that_is_none_is_told(impacts, value):
    M, J, dq = impacts
    M[0, 3, :] = M[0, :, 3] = 0.0
    M[0, 3, 3] = value
    assert not mobility(M[0], J[0], dq[0])[3]


def test_singular_values_are_those_of_numpy(impacts):
    for J in [*impacts[1], np.diag([3.0, 2.0, 1.0]), np.ones((3, 2)), np.zeros((3, 4))]:
        expected = np.zeros(3)
        found = np.linalg.svd(J, compute_uv=False)
        expected[: len(found)] = found
        squares = squared_singular_values(J)
        np.testing.assert_allclose(squares, [expected[2] ** 2, expected[0] ** 2], **EXACT)


def test_bounds_add_what_may_be_a_bound_and_square_what_is_independent():
    random = np.random.default_rng(5)
    after, effects = random.normal(size=(9, 3)), random.normal(size=(2, 3))
    low, high = velocity_bounds(after, 4, effects)
    changes = after[1:] - after[0]
    spread = np.linalg.norm(np.vstack([changes[4:], effects]), axis=0)
    pairs = changes[:4].reshape(2, 2, 3)
    lower = np.minimum(pairs.min(axis=1), 0.0).sum(axis=0)
    higher = np.maximum(pairs.max(axis=1), 0.0).sum(axis=0)
    np.testing.assert_allclose(low, after[0] + lower - spread, **EXACT)
    np.testing.assert_allclose(high, after[0] + higher + spread, **EXACT)
