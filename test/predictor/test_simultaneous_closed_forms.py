# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Simultaneous impacts with known answers: balls, plates, blocks, pendulums and linkages."""

import numpy as np
import pytest

from impact_predictor import ContactMode, Flag, simultaneous_impact
from impact_predictor.exceptions import UnsolvedImpactError


def on_normals(normals):
    """Return the contact Jacobian, shape (3k, nv), of rows that have a normal only."""
    J = np.zeros((3 * len(normals), np.shape(normals)[1]))
    J[2::3] = normals
    return J


def test_a_plate_that_falls_flat_stays_flat_though_its_impulses_are_not_unique():
    """Four corners, six velocities: the Delassus matrix has rank 6 of 12."""
    corners = [[1, 1, 0], [-1, 1, 0], [-1, -1, 0], [1, -1, 0]]
    J = np.vstack([np.hstack([np.eye(3), -np.cross(np.eye(3), c)]) for c in corners])
    M = np.diag([2.0, 2.0, 2.0, 0.5, 0.5, 1.0])
    result = simultaneous_impact(M, J, [0.1, 0, -1, 0, 0, 0], friction=0.4, restitution=0.25)
    np.testing.assert_allclose(result.v_after, [0, 0, 0.25, 0, 0, 0], atol=1e-12)
    np.testing.assert_allclose(result.impulses.sum(axis=0), [-0.2, 0.0, 2.5], atol=1e-12)
    assert result.modes == 4 * (ContactMode.STICK,)


def test_three_equal_balls_share_the_motion_of_the_first():
    """The simultaneous law's answer (-1/3, 2/3, 2/3), not Newton's cradle's (0, 0, 1)."""
    chain = on_normals([[-1.0, 1.0, 0.0], [0.0, -1.0, 1.0]])
    result = simultaneous_impact(np.eye(3), chain, [1.0, 0.0, 0.0], restitution=1.0)
    np.testing.assert_allclose(result.v_after, [-1 / 3, 2 / 3, 2 / 3], atol=1e-12)
    np.testing.assert_allclose(result.impulses[:, 2], [4 / 3, 2 / 3], atol=1e-12)
    assert result.energy_gain == pytest.approx(0.0, abs=1e-12)
    lump = simultaneous_impact(np.eye(3), chain, [1.0, 0.0, 0.0])
    np.testing.assert_allclose(lump.v_after, 3 * [1 / 3], atol=1e-12)


def test_pressing_a_contact_that_separates_creates_energy_and_says_so():
    """The third ball already leaves the second: pressed by it, the law may not let it rebound."""
    chain = on_normals([[-1.0, 1.0, 0.0], [0.0, -1.0, 1.0]])
    result = simultaneous_impact(np.eye(3), chain, [1.0, 0.0, 0.5], restitution=1.0)
    np.testing.assert_allclose(result.velocities_after[:, 2], [1.0, 0.0], atol=1e-12)
    assert result.energy_gain == pytest.approx(1 / 12)
    assert Flag.ENERGY_GAIN in result.flags
    assert Flag.ENERGY_GAIN not in simultaneous_impact(np.eye(3), chain, [1.0, 0.0, 0.5]).flags


@pytest.mark.parametrize("e", [0.0, 0.4, 1.0])
def test_a_straight_double_pendulum_that_hits_with_its_tip_stops_only_the_tip(e):
    """Point masses on light rods: no impulse across the second rod reaches the elbow's mass."""
    l1, l2, m1, m2 = 0.4, 0.3, 2.0, 0.5
    M = np.array(
        [
            [m1 * l1**2 + m2 * (l1 + l2) ** 2, m2 * l2 * (l1 + l2)],
            [m2 * l2 * (l1 + l2), m2 * l2**2],
        ]
    )
    tip, dq = np.array([l1 + l2, l2]), np.array([-2.0, -1.0])
    result = simultaneous_impact(M, on_normals([tip]), dq, restitution=e)
    after = -e * (tip @ dq)
    np.testing.assert_allclose(result.v_after, [-2.0, (after + 2.0 * (l1 + l2)) / l2], atol=1e-12)
    assert result.impulses[0, 2] == pytest.approx(-m2 * (1 + e) * (tip @ dq))
    assert Flag.SINGULAR_JACOBIAN in result.flags
    both = simultaneous_impact(M, on_normals([tip, [l1, 0.0]]), dq, restitution=e)
    np.testing.assert_allclose(both.v_after, -e * dq, atol=1e-12)
    np.testing.assert_allclose(
        both.impulses[:, 2], -(1 + e) * np.array([m2 * tip @ dq, m1 * l1 * dq[0]]), atol=1e-12
    )


def planar_block(width, height, corners):
    """Return inertia and Jacobian of a block of 1 kg in the x-z plane, velocities (x, z, tilt)."""
    M = np.diag([1.0, 1.0, (width**2 + height**2) / 12])
    J = np.zeros((3 * len(corners), 3))
    for i, (x, z) in enumerate(corners):
        J[3 * i], J[3 * i + 2] = [1, 0, z], [0, 1, -x]
    return M, J


@pytest.mark.parametrize(("width", "height"), [(0.2, 1.0), (0.5, 1.0), (1.0, 1.0), (2.0, 1.0)])
def test_a_rocking_block_goes_on_as_housner_says(width, height):
    """It turns about its left corner and lands on the right one; Housner 1963."""
    M, J = planar_block(width, height, [(-width / 2, -height / 2), (width / 2, -height / 2)])
    # Turning about the left corner: the right one comes down with ``width`` times the rate.
    v = np.array([height / 2, -width / 2, 1.0])
    np.testing.assert_allclose(J[:3] @ v, 0.0, atol=1e-12)
    result = simultaneous_impact(M, J, v, friction=2.0)
    kept = 1 - 1.5 * width**2 / (width**2 + height**2)
    assert result.v_after[2] == pytest.approx(max(kept, 0.0), abs=1e-12)
    left = ContactMode.NONE if kept > 0 else ContactMode.STICK
    assert result.modes == (left, ContactMode.STICK)


@pytest.mark.parametrize("e", [0.0, 0.5])
def test_a_box_on_a_table_slides_into_a_wall_and_comes_straight_back(e):
    feet, wall = [(-0.1, -0.2), (0.1, -0.2)], [(0.1, -0.2), (0.1, 0.2)]
    M, J = planar_block(0.2, 0.4, feet + wall)
    J[6], J[8], J[9], J[11] = [0, 1, -0.1], [-1, 0, 0.2], [0, 1, -0.1], [-1, 0, -0.2]
    result = simultaneous_impact(
        M, J, [0.7, 0, 0], friction=[0.3, 0.3, 0.0, 0.0], restitution=[0, 0, e, e]
    )
    np.testing.assert_allclose(result.v_after, [-0.7 * e, 0, 0], atol=1e-12)
    np.testing.assert_allclose(result.impulses[2:, 2].sum(), 0.7 * (1 + e), atol=1e-12)
    np.testing.assert_allclose(result.impulses[:2], 0.0, atol=1e-12)


def test_a_box_that_trips_over_an_edge_keeps_its_momentum_about_the_edge():
    a, h = 0.1, 0.2
    M, J = planar_block(2 * a, 2 * h, [(-a, -h), (a, -h), (a, -h)])
    J[6:] = [[0, 0, 0], [0, 0, 0], [-1, 0, h]]  # the edge's upright side
    result = simultaneous_impact(M, J, [0.7, 0, 0])
    assert result.v_after[2] == pytest.approx(3 * 0.7 * h / (4 * (a**2 + h**2)))
    assert result.modes[0] is ContactMode.NONE  # the rear foot lifts off
    assert result.velocities_after[0, 2] > 0.0


def four_bar(q):
    """Return the loop Jacobian, shape (2, 3), of three unit links whose end is pinned."""
    angle = np.cumsum(q)
    reach = np.array([-np.sin(angle), np.cos(angle)])
    return np.column_stack([reach[:, i:].sum(axis=1) for i in range(3)])


@pytest.mark.parametrize("repeat", [1, 3])
@pytest.mark.parametrize("e", [0.0, 0.6])
def test_a_four_bar_linkage_moves_as_its_one_coordinate(e, repeat):
    q, random = np.array([1.9, -1.0, -1.4]), np.random.default_rng(1)
    A, J_l = random.normal(size=(3, 3)), four_bar(q)
    M = A @ A.T + np.eye(3)
    N = np.linalg.svd(J_l)[2][2]  # the one direction in which the loop moves
    J = random.normal(size=(3, 3))
    J[2] = np.sign(J[2] @ N) * J[2] + 2.0 * N  # so that the linkage does not lock itself
    N = -N
    reduced = simultaneous_impact(
        [[N @ M @ N]], (J @ N)[:, None], [0.8], friction=0.1, restitution=e
    )
    full = simultaneous_impact(
        M, J, 0.8 * N, friction=0.1, restitution=e, loops=np.vstack(repeat * [J_l])
    )
    np.testing.assert_allclose(full.v_after, reduced.v_after[0] * N, atol=1e-11)
    np.testing.assert_allclose(J_l @ full.v_after, 0.0, atol=1e-12)
    balance = J.T @ full.impulses.ravel() + np.vstack(repeat * [J_l]).T @ full.loop_impulses
    np.testing.assert_allclose(M @ (full.v_after - 0.8 * N), balance, atol=1e-12)


def test_a_linkage_of_one_coordinate_that_locks_itself_cannot_rebound():
    """Its contact moves along the surface ten times as fast as across it."""
    case = {"M": [[1.0]], "J": [[10.0], [0.0], [1.0]], "v": [-1.0], "friction": 0.2}
    assert simultaneous_impact(**case).v_after[0] == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(UnsolvedImpactError):
        simultaneous_impact(**case, restitution=0.6)


def test_what_rests_stays():
    M, J = planar_block(0.2, 0.4, [(-0.1, -0.2), (0.1, -0.2)])
    result = simultaneous_impact(M, J, np.zeros(3), friction=0.3, restitution=0.5)
    np.testing.assert_array_equal(result.v_after, np.zeros(3))
    assert result.modes == 2 * (ContactMode.NONE,)
    assert result.flags & (Flag.APPROACHING | Flag.ENERGY_GAIN) == Flag.NONE


def test_a_loop_that_is_not_closed_is_neither_corrected_nor_hidden():
    J_l = np.array([[1.0, -1.0, 0.0]])
    J = on_normals([[0.0, 0.0, 1.0]])
    result = simultaneous_impact(np.eye(3), J, [0.3, 0.1, -1.0], loops=J_l)
    np.testing.assert_allclose(result.loop_velocity, [0.2])
    np.testing.assert_allclose(J_l @ result.v_after, [0.2], atol=1e-12)


def test_restitution_that_asks_for_the_impossible_raises_and_keeps_the_problem():
    """A block between two fixed jaws: it must rebound from one, and cannot leave the other."""
    jaws = on_normals([[1.0], [-1.0]])
    with pytest.raises(UnsolvedImpactError, match="2 contacts") as caught:
        simultaneous_impact([[2.0]], jaws, [-1.0], restitution=0.5)
    assert caught.value.delassus.shape == (6, 6)
    assert caught.value.residuals[-1] > 1e-3
    assert "\n" not in str(caught.value)
    jammed = simultaneous_impact([[2.0]], jaws, [-1.0])
    assert jammed.v_after[0] == pytest.approx(0.0, abs=1e-12)
