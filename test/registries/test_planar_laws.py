# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What every law of planar impacts keeps, a user's own among them."""

import numpy as np
import pytest
from thrown_ellipses import thrown

from impact_analysis.planar.planar_models import planar_models
from impact_predictor import PLANAR_LAWS, PlanarLaw, planar_impulse
from impact_predictor.exceptions import UnknownNameError


def smooth(a, b, g, v_t, v_n, mu, e):
    """No friction at all: a law from outside the package."""
    normal = -(1 + e) * v_n / g
    return np.zeros_like(normal), normal


SMOOTH = PlanarLaw("smooth", smooth, "no friction")
LAWS = pytest.mark.parametrize("law", [*PLANAR_LAWS.values(), SMOOTH], ids=lambda law: law.name)
COUNT = 500


@pytest.fixture
def named(registered):
    registered(PLANAR_LAWS, SMOOTH)


@pytest.fixture(scope="module")
def impacts():
    """G, v, mu and e of impacts."""
    random = np.random.default_rng(11)
    A = random.normal(size=(COUNT, 2, 2))
    G = A @ np.swapaxes(A, 1, 2) + 0.05 * np.eye(2)
    v = random.normal(size=(COUNT, 2))
    return G, v, random.uniform(0.0, 1.0, COUNT), random.uniform(0.0, 1.0, COUNT)


def solved(impacts, law):
    """Return the impulses on approaching bodies, and which there are: the others jam."""
    G, v, mu, e = impacts
    P = planar_impulse(G, v, mu, e, law.name)
    assert P.shape == (COUNT, 2)
    found = np.isfinite(P).all(axis=1) & (v[:, 1] < 0.0)
    assert found.sum() > 200
    return P, found


@LAWS
def test_the_impulse_lies_in_the_friction_cone(impacts, law, named):
    P, found = solved(impacts, law)
    bound = impacts[2] * P[:, 1] * (1 + 1e-9) + 1e-12
    assert (np.abs(P[found, 0]) <= bound[found]).all()


@LAWS
def test_what_does_not_approach_gets_no_impulse(impacts, law, named):
    P, _ = solved(impacts, law)
    assert not P[impacts[1][:, 1] >= 0.0].any()


@LAWS
def test_bodies_leave_the_surface_and_without_restitution_they_stay_on_it(impacts, law, named):
    G, v, mu, _ = impacts
    P, found = solved(impacts, law)
    after = v[:, 1] + np.einsum("ki,ki->k", G[:, 1], P)
    assert (after[found] >= -1e-9 * np.abs(v[found, 1])).all()
    plastic = planar_impulse(G, v, mu, 0.0, law.name)
    left = v[:, 1] + np.einsum("ki,ki->k", G[:, 1], plastic)
    np.testing.assert_allclose(left[found], 0.0, atol=1e-9)


@LAWS
def test_the_mirror_image_of_an_impact_is_an_impact(impacts, law, named):
    G, v, mu, e = impacts
    P, found = solved(impacts, law)
    mirror = np.array([-1.0, 1.0])
    mirrored = planar_impulse(G * np.outer(mirror, mirror), v * mirror, mu, e, law.name)
    np.testing.assert_allclose((mirrored * mirror)[found], P[found], rtol=1e-9, atol=1e-12)


def test_a_law_from_outside_is_a_model_that_recordings_are_judged_by(named):
    summaries = {model.name: model.summary for model in planar_models(thrown(5))}
    assert summaries["smooth"] == "no friction"
    for law in PLANAR_LAWS.values():
        assert summaries[law.name] == law.description


def test_what_was_removed_is_unknown_again():
    with pytest.raises(UnknownNameError, match=f"one of {', '.join(PLANAR_LAWS)}, got"):
        planar_impulse(np.eye(2), [0.1, -0.1], 0.3, 0.5, "smooth")
