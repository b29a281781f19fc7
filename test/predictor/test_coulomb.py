# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One contact with friction: the cone holds, friction opposes slip, energy does not grow."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impact_predictor.compiled.coulomb import slides
from impact_predictor.laws.coulomb import coulomb_impulse

FIXED = settings(max_examples=1000)
SEEDS = st.integers(0, 2**32 - 1)
FRICTIONS = st.one_of(st.just(0.0), st.floats(0.0, 3.0))
RESTITUTIONS = st.one_of(st.just(0.0), st.floats(0.0, 1.0))


def random_contact(seed):
    """Return a random Delassus matrix, far from isotropic, and a velocity of approach."""
    random = np.random.default_rng(seed)
    A = random.normal(size=(3, 3)) * np.exp(1.5 * random.normal(size=3))
    velocity = random.normal(size=3) * [1, 1, 0.1 ** random.integers(0, 3)]
    velocity[:2] *= random.choice([1.0, 1e-2, 1e-6, 0.0])
    velocity[2] = -abs(velocity[2]) - 1e-3
    return A @ A.T, velocity


@FIXED
@given(SEEDS, FRICTIONS, RESTITUTIONS)
def test_coulombs_law_holds(seed, friction, restitution):
    G, before = random_contact(seed)
    impulse, sticks = coulomb_impulse(G, before, friction, restitution)
    after = before + G @ impulse
    scale = np.linalg.norm(before) + np.abs(G @ impulse).max()
    tangential = np.hypot(impulse[0], impulse[1])
    assert impulse[2] > 0.0
    assert tangential <= friction * impulse[2] * (1 + 1e-9) + 1e-9 * np.linalg.norm(impulse)
    assert after[2] == pytest.approx(-restitution * before[2], abs=1e-7 * scale)
    if sticks:
        np.testing.assert_allclose(after[:2], 0.0, atol=1e-7 * scale)
    else:
        slip = np.hypot(after[0], after[1])
        assert tangential == pytest.approx(friction * impulse[2])
        assert impulse[:2] @ after[:2] <= -tangential * (slip - 1e-6 * scale)


@FIXED
@given(SEEDS, FRICTIONS)
def test_energy_never_grows_without_restitution(seed, friction):
    G, before = random_contact(seed)
    impulse, _ = coulomb_impulse(G, before, friction)
    assert impulse @ (before + G @ impulse / 2) <= 1e-9 * abs(impulse @ before)


@FIXED
@given(SEEDS, RESTITUTIONS)
def test_energy_never_grows_without_friction(seed, restitution):
    G, before = random_contact(seed)
    impulse, _ = coulomb_impulse(G, before, 0.0, restitution)
    assert impulse @ (before + G @ impulse / 2) <= 1e-9 * abs(impulse @ before)


@FIXED
@given(SEEDS, st.floats(0.01, 3.0))
def test_a_contact_sticks_or_slides_in_an_odd_number_of_ways(seed, friction):
    G, before = random_contact(seed)
    impulse, sticks = coulomb_impulse(G, before, friction)
    ways = slides(tuple(map(tuple, G)), tuple(before), friction, 0.0, np.empty((8, 3)))
    if sticks:  # sticking at the cone's edge is also the end of sliding
        inner = np.hypot(*impulse[:2]) < friction * impulse[2] * (1 - 1e-6)
        assert not inner or ways % 2 == 0
    else:
        assert ways in (1, 3)


def test_a_turn_of_the_tangent_axes_turns_the_impulse():
    G, before = random_contact(3)
    c, s = np.cos(1.0), np.sin(1.0)
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    straight, _ = coulomb_impulse(G, before, 0.3)
    turned, _ = coulomb_impulse(R @ G @ R.T, R @ before, 0.3)
    np.testing.assert_allclose(turned, R @ straight, atol=1e-12)


@pytest.mark.parametrize(("slip", "sticks"), [(0.29, True), (0.31, False)])
def test_a_point_mass_sticks_inside_the_cone_only(slip, sticks):
    impulse, stuck = coulomb_impulse(np.eye(3) / 2.0, np.array([slip, 0.0, -1.0]), 0.3)
    assert stuck is sticks
    np.testing.assert_allclose(impulse, [-2 * min(slip, 0.3), 0.0, 2.0], atol=1e-12)


def test_a_rod_that_hits_with_its_tip_starts_to_slip():
    """A thin rod, 60 degrees from the ground, falls straight down: the tip slides away."""
    angle, mass, length = np.pi / 3, 1.0, 1.0
    lever = length / 2 * np.array([np.cos(angle), 0.0, -np.sin(angle)])
    normal, tangent = lever[0], lever[2]  # moments of unit impulses about the centre of mass
    inertia = mass * length**2 / 12
    G = np.diag([1.0, 1.0, 1.0]) / mass
    G[0, 0] += tangent**2 / inertia
    G[2, 2] += normal**2 / inertia
    G[0, 2] = G[2, 0] = -normal * tangent / inertia
    impulse, sticks = coulomb_impulse(G, np.array([0.0, 0.0, -1.0]), 0.1)
    after = np.array([0.0, 0.0, -1.0]) + G @ impulse
    assert not sticks
    np.testing.assert_allclose(impulse[0], -0.1 * impulse[2] * np.sign(after[0]))


@pytest.mark.parametrize("friction", [0.0, 0.3, 5.0])
def test_a_single_joint_has_a_solution_though_its_delassus_matrix_has_rank_one(friction):
    direction = np.array([0.6, 0.0, 0.8])
    G, before = np.outer(direction, direction), -direction
    impulse, sticks = coulomb_impulse(G, before, friction)
    assert sticks
    np.testing.assert_allclose(before + G @ impulse, 0.0, atol=1e-12)
    assert np.hypot(impulse[0], impulse[1]) <= friction * impulse[2] + 1e-12


@pytest.mark.parametrize("slip", [0.0, 0.5, -0.5])
def test_a_planar_arm_gets_no_impulse_out_of_its_plane(slip):
    G = np.array([[0.5, 0.0, 0.1], [0.0, 0.0, 0.0], [0.1, 0.0, 0.4]])
    impulse, _ = coulomb_impulse(G, np.array([slip, 0.0, -1.0]), 0.4)
    assert impulse[1] == pytest.approx(0.0, abs=1e-12)
