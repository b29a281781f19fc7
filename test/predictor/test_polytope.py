# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Half-spaces and vertices of a polytope are the same set, also when it is flat or moved."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from impact_predictor import Polytope
from impact_predictor.sets.hull import half_spaces
from impact_robots.exceptions import OutOfRangeError

FIXED = settings(max_examples=60)
SEEDS = st.integers(0, 2**32 - 1)
AXES = ("x", "y", "z")


def random_polytope(random, flat=0, away=3.0):
    """Return the hull of random points, ``flat`` of whose coordinates are constant."""
    points = random.normal(size=(12, 3))
    points[:, :flat] = 0.5
    points = points @ np.linalg.qr(random.normal(size=(3, 3)))[0] + away
    return Polytope(*half_spaces(points), points, "test", "m", AXES)


def in_hull(x, vertices):
    """Return whether x is a convex combination of the vertices, by a linear programme."""
    A = np.vstack([vertices.T, np.ones(len(vertices))])
    return linprog(np.zeros(len(vertices)), A_eq=A, b_eq=np.append(x, 1.0)).status == 0


def mix(random, vertices):
    """Return a random convex combination."""
    return random.dirichlet(np.ones(len(vertices))) @ vertices


@FIXED
@given(SEEDS, st.integers(0, 3))
def test_mixtures_of_vertices_are_inside_whatever_the_dimension(seed, flat):
    random = np.random.default_rng(seed)
    polytope = random_polytope(random, flat)
    assert polytope.contains(mix(random, polytope.vertices))
    assert all(polytope.contains(vertex) for vertex in polytope.vertices)


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_the_hull_does_not_depend_on_the_unit(scale):
    points = np.random.default_rng(1).normal(size=(12, 3))
    (A, b), (A_scaled, b_scaled) = half_spaces(points), half_spaces(scale * points)
    np.testing.assert_allclose(A_scaled, A, atol=1e-9)
    np.testing.assert_allclose(b_scaled, scale * b, rtol=1e-9)


@FIXED
@given(SEEDS)
def test_both_forms_agree_on_random_points(seed):
    random = np.random.default_rng(seed)
    polytope = random_polytope(random)
    for x in random.normal(size=(10, 3)) + 3.0:
        if abs(polytope.margin(x)) > 1e-6:
            assert polytope.contains(x) == in_hull(x, polytope.vertices)


@FIXED
@given(SEEDS, st.integers(0, 2))
def test_a_flat_set_has_nothing_beside_it(seed, flat):
    random = np.random.default_rng(seed)
    polytope = random_polytope(random, flat + 1)
    outside = polytope.vertices.mean(axis=0) + random.normal(size=3)
    assert not polytope.contains(outside)
    assert polytope.margin(polytope.vertices.mean(axis=0)) == pytest.approx(0.0, abs=1e-12)


@FIXED
@given(SEEDS, st.integers(0, 1), st.sampled_from([0.0, 0.5, 3.0]))
def test_the_hull_with_zero_holds_every_shrunken_point_and_no_more(seed, flat, away):
    random = np.random.default_rng(seed)
    polytope = random_polytope(random, flat, away)
    x = random.uniform() * mix(random, polytope.vertices)
    assert polytope.contains_in_hull_with_zero(x, 1e-9)
    hull = polytope.with_zero()
    for x in random.normal(size=(5, 3)) * 2 + away / 2:
        if abs(hull.margin(x)) > 1e-6:
            assert hull.contains(x) == in_hull(x, hull.vertices)


@FIXED
@given(SEEDS, st.sampled_from([(3, 3), (7, 3), (2, 3), (3, 2), (7, 2)]))
def test_an_image_holds_the_images_of_points_and_no_more(seed, shape):
    random = np.random.default_rng(seed)
    rows, rank = shape
    polytope = random_polytope(random)
    L = random.normal(size=(rows, rank)) @ random.normal(size=(rank, 3))
    axes = tuple(str(i) for i in range(rows))
    image = polytope.image(L, name="image", unit="N", axes=axes, frame="joints")
    assert image.contains(L @ mix(random, polytope.vertices), 1e-8)
    for x in (polytope.vertices.mean(axis=0) + 3 * random.normal(size=(5, 3))) @ L.T:
        if abs(image.margin(x)) > 1e-6:
            assert image.contains(x, 1e-8) == in_hull(x, image.vertices)


def test_the_margin_is_the_distance_to_the_edge():
    A, b = np.array([[2.0, 0.0], [0.0, 4.0], [-1.0, 0.0], [0.0, -1.0]]), [2.0, 4.0, 0.0, 0.0]
    square = Polytope(
        A, np.array(b), np.array([[0, 0], [1, 0], [1, 1], [0, 1]]), "square", "m", ("x", "y")
    )
    assert square.margin([0.5, 0.9]) == pytest.approx(0.1)
    assert square.margin([0.5, 1.3]) == pytest.approx(-0.3)
    assert square.contains([0.5, 1.3], tolerance=0.31)


def test_a_polytope_cannot_be_changed():
    polytope = random_polytope(np.random.default_rng(0))
    with pytest.raises(ValueError, match="read-only"):
        polytope.vertices[0] = 0.0


@pytest.mark.parametrize("x", [[1.0, 2.0], [np.nan, 0.0, 0.0], "here"])
def test_a_point_of_another_kind_is_refused(x):
    polytope = random_polytope(np.random.default_rng(0))
    with pytest.raises(OutOfRangeError, match=r"test: expected finite numbers of shape \(3,\)"):
        polytope.contains(x)
