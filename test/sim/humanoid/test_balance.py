# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Where the ground's force acts."""

import numpy as np
import pytest

from impact_sim.humanoid.balance import balance_of, support_margin, zero_moment_point

SQUARE = np.array([[1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0], [1.0, -1.0, 0.0]])


def test_about_the_zero_moment_point_forces_turn_nothing():
    rng = np.random.default_rng(5)
    corners, forces = rng.normal(size=(8, 3)), rng.uniform(0.0, 50.0, 8)
    zmp = zero_moment_point(corners, forces)
    np.testing.assert_allclose(forces @ (corners[:, :2] - zmp), 0.0, atol=1e-10)


def test_equal_forces_act_in_the_middle():
    found = balance_of(SQUARE[None], np.full((1, 4), 10.0))
    np.testing.assert_allclose(found.zmp, 0.0)
    assert found.margin == pytest.approx(1.0)


def test_a_point_outside_has_a_negative_margin():
    assert support_margin(SQUARE, np.array([1.3, 0.0])) == pytest.approx(-0.3)


@pytest.mark.parametrize("forces", [[10.0, 0.0, 0.0, 5.0], [3.0, 0.0, 0.0, 0.0]])
def test_on_an_edge_or_a_corner_there_is_no_margin(forces):
    assert balance_of(SQUARE[None], np.array([forces])).margin == pytest.approx(0.0, abs=1e-12)


def test_on_one_sole_the_other_is_no_support():
    both = np.stack([SQUARE, SQUARE + np.array([4.0, 0.0, 0.0])])
    forces = np.full((2, 4), 10.0)
    assert balance_of(both, forces).zmp[0] == pytest.approx(2.0)
    assert balance_of(both, forces).margin == pytest.approx(1.0)
    forces[1] = 0.0
    assert balance_of(both, forces).margin == pytest.approx(1.0)
    forces[0] = [10.0, 0.0, 0.0, 10.0]
    assert balance_of(both, forces).margin == pytest.approx(0.0, abs=1e-12)


def test_in_the_air_there_is_no_zero_moment_point():
    found = balance_of(SQUARE[None], np.zeros((1, 4)))
    assert np.isnan(found.zmp).all()
    assert np.isnan(found.margin)
