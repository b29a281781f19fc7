# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What impulses do: each derived set holds the effects of all impulses, with unit and axes."""

import numpy as np
import pytest
from walls import a_wall

from impact_predictor import SETS, impact_map, robot_sets
from impact_predictor.exceptions import NotApproachingError, SingularJacobianError, UnknownNameError
from impact_predictor.inertia.impulse_maps import (
    com_velocity_map,
    joint_torque_map,
    joint_velocity_map,
    mean_force_factor,
    minimum_norm_joint_velocity_map,
)
from impact_predictor.inertia.inverse_inertia import crb, generalized_momentum
from impact_predictor.inertia.jacobian import contact_jacobian
from impact_predictor.sets.derived_sets import force_set, joint_velocity_jump_set
from impact_predictor.sets.feasible_sets import (
    friction_half_spaces,
    impulse_set,
    restitution_half_spaces,
)
from impact_predictor.sets.robot_sets import RIGID_SETS

CASE = {"friction": 0.279, "restitution": (0.0, 0.3)}


@pytest.fixture
def sets(hitting, panda):
    return {each.name: each for each in robot_sets(hitting, a_wall(**CASE), panda)}


def test_every_set_holds_its_vertices_and_their_mean(sets):
    assert tuple(sets) == RIGID_SETS
    for each in sets.values():
        tolerance = 1e-9 * max(1.0, np.abs(each.vertices).max())
        assert all(each.contains(vertex, tolerance) for vertex in each.vertices)
        assert each.contains(each.vertices.mean(axis=0), tolerance)
        assert each.A.shape[1] == each.dimension == len(each.axes) == each.vertices.shape[1]


def test_forces_and_torques_include_none_at_all(sets):
    assert sets["force"].contains(np.zeros(3))
    assert sets["impulsive_torque"].contains(np.zeros(7))
    assert not sets["impulse"].contains(np.zeros(3))


def test_the_worst_force_is_the_mean_force_times_the_peak_factor(sets):
    worst = sets["impulse"].vertices[:, 2].max() * 3.0 / 0.018
    assert sets["force"].vertices[:, 2].max() == pytest.approx(worst)


def test_an_impulse_has_no_moment_about_the_line_to_its_point(sets, hitting):
    lever = hitting.position - hitting.com
    np.testing.assert_allclose(sets["angular_momentum_jump"].vertices @ lever, 0.0, atol=1e-12)


def test_the_joint_velocity_jump_moves_the_contact_point_by_the_same_inertia(
    hitting, panda, wall, sets
):
    J = contact_jacobian(hitting, wall)
    W = generalized_momentum(hitting, wall, panda.apparent_motor_inertia)
    moved = sets["joint_velocity_jump"].vertices @ J.T
    np.testing.assert_allclose(moved, sets["impulse"].vertices @ W, atol=1e-12)


def test_a_predicted_jump_is_in_the_set_of_its_own_inertia(hitting, panda, wall):
    J, B = contact_jacobian(hitting, wall), panda.apparent_motor_inertia
    W = generalized_momentum(hitting, wall, B)
    after = impact_map(hitting.M, B, J, hitting.dq, friction=0.279, restitution=0.2)
    impulses = impulse_set(W, 0.279, (0.0, 0.3), -0.2, circumscribed=True)
    jumps = joint_velocity_jump_set(
        impulses, joint_velocity_map(J, hitting.M, B), panda.joint_names
    )
    assert impulses.contains(after.impulse)
    assert jumps.contains(after.dq_after - hitting.dq, 1e-9)
    assert not jumps.contains(1.5 * (after.dq_after - hitting.dq))


def test_the_published_velocity_map_is_the_smallest_that_moves_the_point(hitting, wall):
    J, W = contact_jacobian(hitting, wall), crb(hitting, wall)
    jump = minimum_norm_joint_velocity_map(J, W) @ [0.1, 0.0, 1.0]
    np.testing.assert_allclose(J @ jump, W @ [0.1, 0.0, 1.0], atol=1e-12)
    null_space = np.linalg.svd(J)[2][3:]
    np.testing.assert_allclose(null_space @ jump, 0.0, atol=1e-12)


def test_the_published_velocity_map_needs_full_rank():
    with pytest.raises(SingularJacobianError, match="expected rank 3, got smallest") as caught:
        minimum_norm_joint_velocity_map(np.diag([1.0, 1.0, 0.0]), np.eye(3))
    assert caught.value.smallest_singular_value == 0.0


def test_torque_is_the_transposed_jacobian_times_the_force(hitting, wall):
    J = contact_jacobian(hitting, wall)
    force = mean_force_factor(3.0, 0.018) * np.array([0.0, 0.1, 1.0])
    np.testing.assert_allclose(joint_torque_map(J) @ [0.0, 0.1, 1.0], J.T @ force)


def test_the_centre_of_mass_takes_the_impulse_over_the_mass(hitting, wall):
    jump = com_velocity_map(hitting.mass, wall) @ [0.0, 0.0, hitting.mass]
    np.testing.assert_allclose(jump, [-1.0, 0.0, 0.0], atol=1e-12)


def test_force_set_is_the_impulse_set_and_zero_scaled():
    impulses = impulse_set(np.eye(3), 0.3, (0.0, 0.3), -1.0)
    assert force_set(impulses, 10.0).contains([0.0, 0.0, 13.0])
    assert not force_set(impulses, 10.0).contains([0.0, 0.0, 13.1])


def test_sets_come_in_the_order_asked(hitting, panda):
    names = ["force", "impulse"]
    sets = robot_sets(hitting, a_wall(**CASE), panda, names=names)
    assert [each.name for each in sets] == names


def test_a_range_of_friction_has_the_set_of_its_highest_which_holds_all_others(hitting, panda):
    """Restitution has both ends in the set; of friction the highest has the most impulses."""
    of_range = robot_sets(hitting, a_wall((0.1, 0.4), (0.0, 0.3)), panda)
    highest = robot_sets(hitting, a_wall(0.4, (0.0, 0.3)), panda)
    for largest, same in zip(of_range, highest, strict=True):
        np.testing.assert_array_equal(largest.vertices, same.vertices)
    for friction in (0.0, 0.1, 0.25, 0.39):
        lower = robot_sets(hitting, a_wall(friction, (0.1, 0.2)), panda)
        for large, small in zip(of_range, lower, strict=True):
            if large.name == "compression_impulse":
                continue  # flat, so only to rounding
            tolerance = 1e-9 * max(1.0, np.abs(large.vertices).max())
            assert all(large.contains(vertex, tolerance) for vertex in small.vertices), large.name
    assert not all(lower[1].contains(vertex, 1e-9) for vertex in of_range[1].vertices)


def test_an_unknown_set_lists_the_choices(hitting, panda):
    with pytest.raises(
        UnknownNameError,
        match=r"set: expected one of compression_.*, got 'power'",
    ):
        robot_sets(hitting, a_wall(**CASE), panda, names=["power"])


def test_a_leaving_arm_has_no_sets(hitting, panda, panda_dynamics):
    leaving = panda_dynamics(hitting.q, -hitting.dq)
    with pytest.raises(NotApproachingError):
        robot_sets(leaving, a_wall(**CASE), panda)


def test_the_compression_ends_at_rest(hitting, panda, wall):
    compression, after = robot_sets(
        hitting, a_wall(**CASE), panda, names=["compression_impulse", "velocity_after"]
    )
    W, v = crb(hitting, wall), contact_jacobian(hitting, wall) @ hitting.dq
    np.testing.assert_allclose(compression.vertices @ W[2], -v[2], atol=1e-12)
    for vertex in compression.vertices:
        assert compression.contains(vertex)
        assert not compression.contains(1.01 * vertex)
    low, high = CASE["restitution"]
    rebound = after.vertices[:, 2]
    assert rebound.min() == pytest.approx(-low * v[2], abs=1e-12)
    assert rebound.max() == pytest.approx(-high * v[2])
    assert after.margin(v) < 0.0  # with the velocity before there was no impact


@pytest.mark.parametrize("name", SETS)
def test_the_worst_vertex_is_a_vertex_on_the_edge(hitting, panda, name):
    (polytope,) = robot_sets(hitting, a_wall(**CASE), panda, names=[name])
    functional = np.random.default_rng(1).normal(size=polytope.dimension)
    value, vertex = polytope.worst(functional)
    assert value == pytest.approx(functional @ vertex)
    assert value >= np.max(polytope.vertices @ functional) - 1e-12
    assert abs(polytope.margin(vertex)) <= 1e-9 * max(1.0, np.abs(vertex).max())


def test_the_impulse_set_is_the_cone_and_the_slab():
    W = np.diag([0.4, 0.3, 0.2]) + 0.02
    impulses = impulse_set(W, 0.3, (0.1, 0.4), -0.2)
    A = np.vstack([friction_half_spaces(0.3), restitution_half_spaces(W, (0.1, 0.4), -0.2)[0]])
    b = np.append(np.zeros(8), restitution_half_spaces(W, (0.1, 0.4), -0.2)[1])
    random = np.random.default_rng(2)
    for iota in random.uniform([-1, -1, 0], [1, 1, 2], size=(500, 3)):
        assert impulses.contains(iota) == bool(np.all(A @ iota <= b + 1e-12))
