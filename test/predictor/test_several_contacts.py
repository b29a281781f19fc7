# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Compiled impulses of a few contacts: those of the general solver, and of springs."""

import numpy as np

from impact_predictor import simultaneous_impact
from impact_predictor.compiled.contact_springs import Springs, spring_impulses
from impact_predictor.compiled.several_contacts import several_impulses
from impact_predictor.laws.tangential_compliance import compliant_impulse
from impact_predictor.multicontact.friction_cone import residuals


def jacobians(levers):
    """Jacobian of points of a free body, shape (3k, 6)."""
    rows = []
    for x, y, z in levers:
        rows.append(np.hstack([np.eye(3), [[0, z, -y], [-z, 0, x], [y, -x, 0]]]))
    return np.vstack(rows)


def bodies(count):
    """Yield M, J, v, mu of a body that falls on two or three of its points."""
    random = np.random.default_rng(2)
    for _ in range(count):
        levers = random.uniform(-0.1, 0.1, (random.integers(2, 4), 3)) - [0.0, 0.0, 0.15]
        M = np.diag([1.0, 1.0, 1.0, *random.uniform(0.002, 0.01, 3)])
        v = np.append(random.normal([0.3, 0.0, -1.5], 0.2), random.normal(size=3))
        yield M, jacobians(levers), v, random.uniform(0.0, 0.6)


def test_impulses_satisfy_the_law_and_are_those_of_the_general_solver_unless_there_are_several():
    """Coulomb's impact is not unique: two bodies of 60 have two answers that both satisfy it."""
    same, solved = 0, 0
    for M, J, v, mu in bodies(60):
        effect = np.linalg.solve(M, J.T)
        G, u, k = J @ effect, J @ v, len(J) // 3
        impulses, scale = several_impulses(G, u, mu), np.sqrt(np.trace(G) / len(G))
        left = residuals(G / scale**2, u / scale, np.full(k, mu), impulses * scale)
        assert left.cone <= 1e-9 and left.fixed_point <= 1e-3
        solved += left.fixed_point <= 1e-6
        expected = simultaneous_impact(M, J, v, friction=mu)
        same += np.allclose(v + effect @ impulses, expected.v_after, atol=1e-6)
    assert solved >= 59 and same >= 57


def test_one_contact_in_a_plane_is_the_planar_law_with_a_spring_along_the_surface():
    random = np.random.default_rng(3)
    for _ in range(40):
        a = random.normal(size=(2, 2))
        a = a @ a.T + 0.3 * np.eye(2)
        mu, e, ratio = random.uniform([0.05, 0.2, 1.0], [0.6, 0.9, 8.0])
        u = np.array([random.normal(), -random.uniform(0.5, 1.5)])
        G = np.array([[a[0, 0], 0.0, a[0, 1]], [0.0, 1.0, 0.0], [a[0, 1], 0.0, a[1, 1]]])
        velocity, law = np.array([u[0], 0.0, u[1]]), Springs(mu, e, ratio, 1e6)
        found = spring_impulses(G, velocity, np.zeros(1), law, 400)
        expected = compliant_impulse(a, u, mu, e, ratio, 400)
        size = np.linalg.norm(expected)
        np.testing.assert_allclose(found, [expected[0], 0.0, expected[1]], atol=0.01 * size)


def test_springs_return_no_more_energy_than_they_took_and_leave_no_contact_pressed():
    for M, J, v, mu in bodies(60):
        effect = np.linalg.solve(M, J.T)
        gaps = np.linspace(0.0, 2e-3, len(J) // 3)
        impulses = spring_impulses(J @ effect, J @ v, gaps, Springs(mu, 0.4, 3.0, 2e6), 40)
        after = v + effect @ impulses
        assert after @ M @ after <= v @ M @ v
        normal, tangential = impulses[2::3], np.hypot(impulses[::3], impulses[1::3])
        assert (tangential <= mu * normal * (1.0 + 1e-9) + 1e-12).all()


def test_a_contact_takes_part_when_its_gap_closes_and_not_if_it_opens():
    """Two points of a body without friction: the second falls like the first, or goes up."""
    J = jacobians([[0.1, 0.0, -0.1], [-0.1, 0.0, -0.1]])
    M, law = np.diag([1.0, 1.0, 1.0, 0.01, 0.01, 0.01]), Springs(0.0, 0.5, 2.0, 1e7)
    effect, gaps = np.linalg.solve(M, J.T), np.array([0.0, 1e-3])
    for turn, touches in ((0.0, True), (30.0, False)):
        v = np.array([0.0, 0.0, -1.0, 0.0, turn, 0.0])  # the second point at -1 + turn/10
        impulses = spring_impulses(J @ effect, J @ v, gaps, law, 40)
        assert impulses[2] > 0.5 and (impulses[5] > 0.0) == touches
