# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Errors of a model move what they are named after, and nothing else."""

import numpy as np
import pytest
from walls import a_wall

from impact_predictor import velocity_interval
from impact_predictor.inertia.jacobian import contact_jacobian
from impact_predictor.prediction.model_error import (
    ModelError,
    inertia_variations,
    joint_impulse_effects,
    place_variations,
)
from impact_predictor.prediction.predict import map_inertia


def test_links_add_up_to_the_mass_matrix(hitting):
    links = hitting.robot_state.link_inertias()
    np.testing.assert_allclose(links.sum(axis=0), hitting.M, atol=1e-12)
    assert np.all(links[0][1:] == 0.0)  # the first link moves with the first joint alone


@pytest.mark.parametrize("model", ["M", "M+B_theta"])
def test_all_inertias_together_are_the_whole_ten_percent(hitting, panda, model):
    M_x = map_inertia(hitting, panda, model)
    moved = [each - M_x for each in inertia_variations(hitting, panda, model)]
    assert len(moved) == 2 * panda.dof
    np.testing.assert_allclose(sum(moved), 0.1 * M_x, atol=1e-12)


def test_a_moved_contact_point_is_that_of_the_robot_moved(hitting):
    error = ModelError(point=0.02)
    wall = a_wall(0.3)
    for axis, J in zip(np.eye(3), place_variations(hitting, wall, error)[:3], strict=True):
        expected = contact_jacobian(hitting.beside(0.02 * axis), wall.rotation)
        np.testing.assert_allclose(J, expected, atol=1e-12)


def test_a_tilted_surface_is_tilted_by_the_angle_about_each_tangent(hitting):
    wall, angle = a_wall((0.2, 0.4), 0.1), 0.1
    J = contact_jacobian(hitting, wall.rotation)
    first, second = place_variations(hitting, wall, ModelError(normal=angle))[3:]
    for tilted, kept, other in ((first, 0, 1), (second, 1, 0)):
        np.testing.assert_allclose(tilted[kept], J[kept], atol=1e-15)  # the tangent it turns about
        np.testing.assert_allclose(tilted.T @ tilted, J.T @ J, atol=1e-12)
        side = tilted[2] - np.cos(angle) * J[2]  # of the normal
        np.testing.assert_allclose(np.abs(side), np.abs(np.sin(angle) * J[other]), atol=1e-12)


def test_a_joint_impulse_changes_momentum_by_itself(hitting, panda):
    M_x = map_inertia(hitting, panda, "M+B_theta")
    changes = joint_impulse_effects(M_x, ModelError(joint_impulse=0.01))
    np.testing.assert_allclose(M_x @ changes.T, 0.01 * np.eye(panda.dof), atol=1e-15)


@pytest.mark.parametrize("model", ["M", "M+B_theta", "M+B_rho"])
def test_every_inertia_has_a_width_at_fixed_coefficients(hitting, panda, model):
    """Scaling M as a whole moves no velocity: links must be moved one by one."""
    low, high = velocity_interval(hitting, a_wall(0.3, 0.1), panda, inertia=model)
    assert np.all(high - low > np.radians(0.01))
