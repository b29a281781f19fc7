# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Contacts that press on one another through an object: bounds, and what is simulated."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import nnls

from impact_predictor.contact_force.delayed_contacts import (
    LASTING,
    largest_over_delays,
    simulate_delayed,
)
from impact_predictor.exceptions import PredictionError
from impact_predictor.joint_load.load_case import viscoelastic
from impact_predictor.multicontact.bodies import box
from impact_predictor.multicontact.contacts import face_points
from impact_predictor.sets.coupled_bounds import (
    coupled_bounds,
    face_bounds,
    mobility,
)
from impact_robots.exceptions import OutOfRangeError

PALMS = mobility((1.4825, 1.4697), 1.08)  # HRP-4's and its box, spec/palms.md


def energy(G, speeds):
    """Return the energy of relative motion that contacts can take [J]."""
    return speeds @ np.linalg.solve(G, speeds) / 2


def laws(stiffness, e, closing):
    return [viscoelastic(stiffness, e, speed) for speed in closing]


def test_the_bound_is_reached_by_an_impulse_that_leaves_e_squared_of_the_energy():
    c, e = np.array([0.25, 0.2]), 0.3
    bounds = coupled_bounds(PALMS, c, e)
    for a in range(2):
        column = np.linalg.inv(PALMS)[:, a]
        p = bounds.inelastic + column / column[a] * (bounds.total - bounds.inelastic)[a]
        assert p[a] == pytest.approx(bounds.total[a])
        assert energy(PALMS, c - PALMS @ p) == pytest.approx(e**2 * energy(PALMS, c))


def test_a_plastic_impact_stops_both_and_has_no_reserve():
    c = np.array([0.25, 0.2])
    bounds = coupled_bounds(PALMS, c, 0.0)
    np.testing.assert_allclose(PALMS @ bounds.inelastic, c)
    np.testing.assert_allclose(bounds.total, bounds.inelastic)
    np.testing.assert_allclose(bounds.compression, bounds.inelastic)


def test_an_immovable_object_separates_compressions():
    """Then each compression is that of the mass alone."""
    bounds = coupled_bounds(mobility((2.0, 5.0), 1e9), (0.3, 0.1), 0.4)
    np.testing.assert_allclose(bounds.compression, [0.6, 0.5], rtol=1e-6)


def test_one_corner_each_is_the_lumped_bound():
    c = np.array([0.25, 0.2])
    found = face_bounds(PALMS, c, ([0], [1]), 0.3)
    np.testing.assert_allclose(found, coupled_bounds(PALMS, c, 0.3).total, rtol=1e-9)


@pytest.mark.parametrize("e", [0.02, 0.3, 0.9])
def test_a_contact_alone_has_its_restitution(e):
    (law,) = laws(1e5, e, [0.25])
    found = simulate_delayed(np.array([[1 / 1.5]]), [0.25], [law], [0.0])
    assert found.compression[0] == pytest.approx(1.5 * 0.25, rel=1e-6)
    assert found.total[0] == pytest.approx((1 + e) * 1.5 * 0.25, rel=1e-6)


@pytest.mark.parametrize("delay", [0.0, 0.002, 0.012])
def test_impulses_are_those_of_another_integrator(delay):
    c = np.array([0.25, 0.2])
    pair = laws(1e5, 0.3, c)

    def slope(_, y):
        f = np.array([law.force(x, v) for law, x, v in zip(pair, y[:2], y[2:4], strict=True)])
        return np.concatenate([y[2:4], -PALMS @ f, f])

    start = np.array([0.0, -c[1] * delay, *c, 0.0, 0.0])
    end = solve_ivp(slope, (0.0, 0.06), start, method="LSODA", rtol=1e-10, atol=1e-13)
    assert np.all(end.y[:2, -1] < 0.0)
    found = simulate_delayed(PALMS, c, pair, (0.0, delay))
    np.testing.assert_allclose(found.total, end.y[4:, -1], rtol=1e-6)


def test_a_compression_that_pauses_shortly_goes_on_and_one_that_opens_has_ended():
    """The late contact presses through the box: 3.5 ms late in a pause, 6 ms late after it."""
    c = np.array([0.25, 0.25])
    alone, paused, opened = (
        simulate_delayed(PALMS, c, laws(1e5, 0.3, c), (0.0, delay)).compression[0]
        for delay in (1.0, 0.0035, 0.006)
    )
    assert paused > 2 * alone
    assert opened == pytest.approx(alone, rel=1e-6)
    assert LASTING == 1e-3


@pytest.fixture(scope="module")
def drawn():
    """500 drawn cases: G, closing speeds, restitution, largest impulses over 29 delays."""
    random, cases = np.random.default_rng(37), []
    for _ in range(500):
        masses, closing = random.uniform(1.5, 12.0, 2), random.uniform(0.1, 0.5, 2)
        G = mobility(masses, np.exp(random.uniform(np.log(0.2), np.log(5.0))))
        k, e = 10 ** random.uniform(4.0, 6.0), random.uniform(0.01, 0.5)
        largest = largest_over_delays(G, closing, laws(k, e, closing), step=0.015 / 14)
        cases.append((G, closing, e, largest))
    return cases


def test_bounds_hold_in_all_drawn_cases_and_are_tight(drawn):
    bounds = [coupled_bounds(G, c, e) for G, c, e, _ in drawn]
    total = np.array([r.total / b.total for b, (*_, r) in zip(bounds, drawn, strict=True)])
    compression = np.array(
        [r.compression / b.compression for b, (*_, r) in zip(bounds, drawn, strict=True)]
    )
    assert total.max() <= 1.0 and compression.max() <= 1.0
    assert np.median(total) > 0.98


def test_less_than_the_bound_does_not_hold(drawn):
    """Such as (1 + e) p0, which takes each contact's restitution for itself."""
    exceeded = [np.any(r.total > (1 + e) * np.linalg.solve(G, c)) for G, c, e, r in drawn]
    assert np.mean(exceeded) > 0.3


def faces(random):
    """Return G and closing speeds of the eight corners of two plates at a box, one off centre."""
    side = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    M, R = np.zeros((18, 18)), np.zeros((8, 18))
    thing = box(np.exp(random.uniform(-1.0, 1.0)), (0.2, 0.3, 0.2), np.zeros(3))
    closing = random.uniform(0.1, 0.4, 2)
    M[12:, 12:] = thing.inertia()
    for k, sign in enumerate((1.0, -1.0)):
        center = np.array(
            [*random.uniform(-0.04, 0.04, 1), sign * 0.15, random.uniform(-0.04, 0.04)]
        )
        plate = box(
            random.uniform(1.5, 6.0), (0.1, 0.2, 0.1), center + np.array([0.02, sign * 0.1, 0.0])
        )
        M[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = plate.inertia()
        for j, point in enumerate(face_points(center, side, (0.04, 0.05))):
            R[4 * k + j, 6 * k : 6 * k + 6] = -sign * plate.jacobian(point)[1]
            R[4 * k + j, 12:] = sign * thing.jacobian(point)[1]
    return R @ np.linalg.solve(M, R.T), np.repeat(closing, 4)


def plastic_loss(G, c):
    """Return the energy that a plastic impact takes, max of c p - p G p / 2 over p >= 0 [J]."""
    sizes, axes = np.linalg.eigh(G)
    kept = sizes > 1e-12 * sizes[-1]
    root = np.sqrt(sizes[kept])[:, None] * axes[:, kept].T
    p, _ = nnls(root, axes[:, kept].T @ c / np.sqrt(sizes[kept]))
    return c @ p - p @ G @ p / 2


def test_bounds_of_flat_faces_hold_for_the_energy_that_is_left():
    """Corners that hit again do so slowly, and this law bounces more then: e is no premise."""
    random, used = np.random.default_rng(5), []
    for _ in range(40):
        G, c = faces(random)
        e, k = random.uniform(0.05, 0.4), 10 ** random.uniform(4.5, 5.5)
        lost = plastic_loss(G, c)
        for delay in (-0.008, -0.002, 0.0, 0.002, 0.008):
            late = np.repeat([max(-delay, 0.0), max(delay, 0.0)], 4)
            p = simulate_delayed(G, c, laws(k / 4, e, c), late).total
            left = 1.0 - (c @ p - p @ G @ p / 2) / lost
            bounds = face_bounds(G, c, (range(4), range(4, 8)), float(np.sqrt(max(left, 0.0))))
            used.append(p.reshape(2, 4).sum(axis=1) / bounds)
    assert np.max(used) <= 1.0
    assert np.median(used) > 0.9


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda: mobility((1.0, 0.0), 1.0), "masses"),
        (lambda: coupled_bounds(PALMS, (-0.1, 0.2), 0.3), "closing"),
        (lambda: coupled_bounds(PALMS, (0.0, 0.0), 0.3), "closing"),
        (lambda: coupled_bounds(PALMS, (0.1, 0.2), 1.3), "restitution"),
        (lambda: coupled_bounds(-PALMS, (0.1, 0.2), 0.3), "positive definite"),
        (lambda: coupled_bounds(np.array([[1.0, 0.0], [0.5, 1.0]]), (0.1, 0.2), 0.3), "symmetric"),
        (lambda: simulate_delayed(PALMS, (0.1, 0.2), laws(1e5, 0.3, (0.1, 0.2)), (0, -1)), "delay"),
    ],
)
def test_what_is_no_case_is_refused(call, line):
    with pytest.raises(OutOfRangeError, match=line):
        call()


def test_corner_speeds_that_no_body_can_have_are_refused():
    G, c = faces(np.random.default_rng(1))
    with pytest.raises(PredictionError, match="rigid bodies"):
        face_bounds(G, c * [1, 1, 1, 1.2, 1, 1, 1, 1], (range(4), range(4, 8)), 0.3)
