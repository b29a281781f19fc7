# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The impulse set holds every impulse that physics allows, scales with speed, and is bounded."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impact_predictor.exceptions import NotApproachingError, UnboundedSetError
from impact_predictor.inertia.inverse_inertia import crb
from impact_predictor.laws.coulomb import coulomb_impulse
from impact_predictor.sets.feasible_sets import friction_pyramid, impulse_set, unit_impulses
from impact_robots.exceptions import OutOfRangeError

FIXED = settings(max_examples=100)
SEEDS = st.integers(0, 2**32 - 1)
W = np.array([[0.4, 0.05, -0.1], [0.05, 0.3, 0.02], [-0.1, 0.02, 0.25]])  # [1/kg]


def random_inertia(random):
    """Return a random inverse inertia whose sets are bounded at friction 0.3 [1/kg]."""
    A = random.normal(size=(3, 3))
    return A @ A.T + 0.5 * np.trace(A @ A.T) * np.eye(3)


@pytest.mark.parametrize("generators", [3, 4, 8, 16])
@pytest.mark.parametrize("circumscribed", [False, True])
def test_the_pyramid_is_inside_or_around_coulombs_cone(generators, circumscribed):
    K = friction_pyramid(0.3, generators, circumscribed)
    np.testing.assert_allclose(K[2], 1.0)
    assert K[1, 0] == 0.0
    assert K[0, 0] > 0.0
    radius = np.hypot(K[0], K[1])
    middle = (K + np.roll(K, -1, axis=1)) / 2
    touching = np.hypot(middle[0], middle[1]) if circumscribed else radius
    np.testing.assert_allclose(touching, 0.3)


def test_eight_generators_inside_the_cone_leave_out_a_tenth_of_its_section():
    K = friction_pyramid(1.0, 8)
    area = np.sum(np.cross(np.roll(K, 1, axis=1).T, K.T)[:, 2]) / 2
    assert 1 - area / np.pi == pytest.approx(0.0997, abs=1e-4)


@FIXED
@given(SEEDS, st.floats(0, 0.3), st.floats(0, 1), st.floats(0, 1), st.booleans())
def test_vertices_satisfy_the_half_spaces(seed, friction, e_1, e_2, circumscribed):
    random = np.random.default_rng(seed)
    restitution = sorted([e_1, e_2])
    polytope = impulse_set(random_inertia(random), friction, restitution, -0.2, 8, circumscribed)
    assert polytope.vertices.shape == (16, 3)
    assert all(polytope.contains(vertex) for vertex in polytope.vertices)
    further = polytope.vertices + 0.01 * (polytope.vertices - polytope.vertices.mean(axis=0))
    moved = np.linalg.norm(further - polytope.vertices, axis=1) > 1e-6
    assert not any(polytope.contains(vertex) for vertex in further[moved])


@FIXED
@given(SEEDS, st.floats(0, 0.3), st.floats(0, 1))
def test_every_impact_with_coulombs_friction_is_inside(seed, friction, restitution):
    random = np.random.default_rng(seed)
    G, velocity = random_inertia(random), random.normal(size=3)
    velocity[2] = -abs(velocity[2]) - 1e-3
    impulse, _ = coulomb_impulse(G, velocity, friction, restitution)
    polytope = impulse_set(G, friction, (0.0, 1.0), velocity[2], circumscribed=True)
    assert polytope.contains(impulse, 1e-9)


def test_every_vertex_brings_its_restitution():
    speeds = W[2] @ unit_impulses(W, 0.3, (0.1, 0.4))
    np.testing.assert_allclose(speeds, [1.1] * 8 + [1.4] * 8)


def test_impulses_scale_with_speed():
    slow, fast = (impulse_set(W, 0.3, (0.0, 0.3), -v) for v in (0.1, 0.3))
    np.testing.assert_allclose(3 * slow.vertices, fast.vertices)
    np.testing.assert_allclose(3 * slow.b, fast.b)
    np.testing.assert_allclose(slow.A, fast.A)


def test_a_turn_by_one_generator_turns_the_set():
    c, s = np.cos(np.pi / 4), np.sin(np.pi / 4)
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    original, turned = (impulse_set(M, 0.3, (0.0, 0.3), -0.2) for M in (W, R.T @ W @ R))
    assert all(original.contains(R @ vertex) for vertex in turned.vertices)
    assert all(turned.contains(R.T @ vertex) for vertex in original.vertices)


def test_without_friction_and_range_one_impulse_is_left():
    polytope = impulse_set(W, 0.0, (0.2, 0.2), -0.5)
    np.testing.assert_allclose(polytope.vertices, [[0, 0, 1.2 * 0.5 / W[2, 2]]] * 16)
    assert polytope.contains([0, 0, 2.4])
    assert not polytope.contains([0, 0, 2.39])
    assert not polytope.contains([1e-3, 0, 2.4])


def test_a_weaker_impulse_is_no_worse_than_announced():
    polytope = impulse_set(W, 0.3, (0.0, 0.3), -0.2)
    weak = 0.7 * polytope.vertices[3]
    assert not polytope.contains(weak)
    assert polytope.contains_in_hull_with_zero(weak)
    assert not polytope.contains_in_hull_with_zero(1.01 * polytope.vertices[-1])
    assert not polytope.contains_in_hull_with_zero([0.5, 0.0, 0.1])


def test_too_much_friction_has_no_bound():
    largest = W[2, 2] / np.hypot(W[2, 0], W[2, 1])
    impulse_set(W, 0.97 * largest, (0.0, 0.3), -0.2)
    with pytest.raises(UnboundedSetError, match=r"friction: expected below 2\.451") as caught:
        impulse_set(W, 1.1 * largest, (0.0, 0.3), -0.2)
    assert caught.value.largest_friction == pytest.approx(largest)


@pytest.mark.parametrize("velocity", [0.0, 0.1])
def test_without_approach_there_is_no_impulse(velocity):
    with pytest.raises(NotApproachingError, match="expected below 0") as caught:
        impulse_set(W, 0.3, (0.0, 0.3), velocity)
    assert caught.value.normal_velocity == velocity


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"friction": -0.1}, "friction: expected a finite number, at least 0, got -0.1"),
        ({"friction": np.inf}, "friction: expected a finite number, at least 0, got inf"),
        ({"restitution": (0.3, 0.1)}, "restitution: expected low, high with 0 <= low <= high"),
        ({"restitution": (0.0, 1.1)}, "restitution: expected low, high with 0 <= low <= high"),
        ({"restitution": (np.nan, 0.3)}, "restitution: expected low, high"),
        ({"generators": 2}, "generators: expected an integer from 3 to 1000, got 2"),
        ({"generators": 10**9}, "generators: expected an integer from 3 to 1000"),
        ({"W": np.eye(2)}, r"inverse inertia: expected finite numbers of shape \(3, 3\)"),
        ({"normal_velocity": np.nan}, "normal_velocity: expected a finite number, got nan"),
    ],
)
def test_bad_input_is_named(change, message):
    good = {"W": W, "friction": 0.3, "restitution": (0.0, 0.3), "normal_velocity": -0.2}
    with pytest.raises(OutOfRangeError, match=message):
        impulse_set(**good | change)


def test_no_normal_mobility_is_unbounded_not_a_division_by_zero():
    with pytest.raises(UnboundedSetError):
        unit_impulses(np.diag([1.0, 1.0, 0.0]), 0.0, (0.0, 0.0))


def test_a_real_arm_in_front_of_a_wall(hitting, wall):
    polytope = impulse_set(crb(hitting, wall), 0.279, (0.0, 0.3), -0.2)
    assert polytope.contains(polytope.vertices.mean(axis=0))
    assert polytope.margin(polytope.vertices.mean(axis=0)) > 0.01
