# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What is drawn of an impact: hulls of any dimension, and the same shapes every time."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from walls import a_wall

from impact_predictor import predict, robot_sets
from impact_predictor.ros.marker_shapes import Kind, Scales, shapes
from impact_predictor.sets.hull_edges import hull_edges

CUBE = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
TURN = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))[0]
FIXED = settings(max_examples=200)


def as_set(edges):
    """Return edges as a set of unordered pairs of rounded points."""
    return {frozenset(map(tuple, edge.round(9).tolist())) for edge in edges}


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_a_cube_has_twelve_edges_and_no_diagonals(size):
    edges = hull_edges(size * np.vstack([CUBE, CUBE, CUBE.mean(axis=0)]) @ TURN) / size
    assert edges.shape == (12, 2, 3)
    np.testing.assert_allclose(np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1), 1.0)


def test_a_face_turned_in_space_has_its_own_four():
    face = CUBE[CUBE[:, 0] == 1.0]
    flat = np.vstack([face, face.mean(axis=0), face]) @ TURN + 3.0
    edges = hull_edges(flat)
    assert edges.shape == (4, 2, 3)
    np.testing.assert_allclose(np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1), 1.0)


def test_points_on_a_line_have_one_edge_and_a_point_none():
    along = np.outer([0.3, 0.1, 0.2, 0.1], [0.0, 0.6, 0.8])
    assert as_set(hull_edges(along)) == as_set(along[None, :2])
    assert hull_edges(np.tile([1.0, 2.0, 3.0], (5, 1))).shape == (0, 2, 3)
    assert hull_edges(np.zeros((2, 3))).shape == (0, 2, 3)


@FIXED
@given(st.integers(0, 2**32 - 1), st.integers(1, 3))
def test_edges_of_random_points_are_of_the_hull(seed, rank):
    """The middle of an edge is extreme in some direction, and every extreme point has an edge."""
    random = np.random.default_rng(seed)
    points = random.normal(size=(12, rank)) @ random.normal(size=(rank, 3))
    edges = hull_edges(points)
    given_points = set(map(tuple, points))
    assert all(tuple(end) in given_points for edge in edges for end in edge)
    for direction in random.normal(size=(20, 3)):
        extreme = points[np.argmax(points @ direction)]
        assert (edges == extreme).all(axis=2).any()
    vertices, faces = len(np.unique(edges.reshape(-1, 3), axis=0)), len(edges)
    assert faces == {1: 1, 2: vertices, 3: 3 * vertices - 6}[rank]  # Euler, all faces triangles


@pytest.fixture
def prediction(hitting, panda):
    return predict(hitting, a_wall(0.3, 0.15), panda)


def impulses_of(state, panda, friction=0.3, restitution=(0.0, 0.3)):
    return robot_sets(state, a_wall(friction, restitution), panda, names=["impulse"])[0]


def test_the_frame_is_drawn_as_its_axes_in_red_green_blue(prediction):
    axes = [each for each in shapes(prediction, None, Scales()) if each.group == "contact_frame"]
    for i, axis in enumerate(axes):
        np.testing.assert_array_equal(axis.points, [np.zeros(3), 0.1 * np.eye(3)[i]])
        assert np.argmax(axis.colour[:3]) == i
        assert (axis.kind, axis.number) == (Kind.ARROW, i)


def test_the_arrow_before_ends_where_the_arrow_after_begins(prediction):
    drawn = {each.group: each for each in shapes(prediction, None, Scales(velocity=2.0))}
    before, after = drawn["velocity_before"].points, drawn["velocity_after"].points
    np.testing.assert_allclose(before[1] - before[0], 2.0 * prediction.velocity_before)
    np.testing.assert_allclose(after[1] - after[0], 2.0 * prediction.velocity_after)
    np.testing.assert_array_equal([before[1], after[0]], np.zeros((2, 3)))


def test_the_set_of_impulses_is_drawn_whole(hitting, panda, prediction):
    impulses = impulses_of(hitting, panda)
    lines = shapes(prediction, impulses, Scales(impulse=0.5))[3]
    assert lines.kind is Kind.LINES
    assert len(lines.points) == 2 * 24  # two octagons and what joins them
    drawn = np.unique(lines.points.round(9), axis=0)
    np.testing.assert_allclose(drawn, np.unique((0.5 * impulses.vertices).round(9), axis=0))


@pytest.mark.parametrize(
    ("friction", "restitution", "kind", "points"),
    [
        (0.3, (0.2, 0.2), Kind.LINES, 2 * 8),  # an octagon
        (0.0, (0.0, 0.3), Kind.LINES, 2),  # without friction: along the normal
        (0.0, (0.2, 0.2), Kind.DOTS, 1),  # a single impulse
    ],
)
def test_flat_sets_are_drawn_too(hitting, panda, prediction, friction, restitution, kind, points):
    impulses = impulses_of(hitting, panda, friction, restitution)
    shape = shapes(prediction, impulses, Scales())[3]
    assert (shape.kind, len(shape.points), shape.visible) == (kind, points, True)


def test_a_contact_has_the_same_shapes_whatever_there_is_to_draw(prediction, hitting, panda):
    def names(drawn):
        return [(each.group, each.number) for each in drawn]

    impulses = impulses_of(hitting, panda)
    still = prediction._replace(velocity_after=np.zeros(3))
    unknown = prediction._replace(velocity_after=np.full(3, np.nan))
    whole = shapes(prediction, impulses, Scales())
    for other in (still, unknown):
        drawn = shapes(other, None, Scales())
        assert names(drawn) == names(whole)
        hidden = {each.group for each in drawn if not each.visible}
        assert hidden == {"impulse_set", "velocity_after"}


def test_no_two_contacts_share_a_shape(prediction):
    drawn = [shapes(prediction, None, Scales(), number) for number in range(4)]
    for one, other in combinations(drawn, 2):
        assert not {(s.group, s.number) for s in one} & {(s.group, s.number) for s in other}


def test_the_text_says_mass_and_impulse(prediction):
    text = shapes(prediction, None, Scales())[-1].text
    mass, impulse = prediction.effective_mass, prediction.impulse[2]
    assert text == f"{mass:.3g} kg (crb), {impulse:.3g} N.s (M+B_theta)"
