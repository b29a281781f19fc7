# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What resists a force, where the point cannot move in every direction."""

from math import cos, inf, radians, sin

import numpy as np
import pytest

from impact_predictor.inertia.resistance import resistance

U = np.array([0.0, 0.0, 1.0])


def least_motion(W, friction):
    """The least motion along u of 1 N along it with friction across it, by enumeration."""
    angles, sizes = np.linspace(0.0, 2.0 * np.pi, 721), np.linspace(0.0, friction, 201)
    x, y = (np.outer(sizes, each).ravel() for each in (np.cos(angles), np.sin(angles)))
    forces = np.stack([x, y, np.ones_like(x)], axis=1)
    slip = forces @ W[:, :2]
    brakes = (forces[:, :2] * slip).sum(axis=1) <= 1e-12  # friction does not drive the slip
    return (forces @ W @ U)[brakes].min()


@pytest.mark.parametrize("angle", [20.0, 40.0, 60.0])
@pytest.mark.parametrize("added", [0.0, 1e-7, 1e-4])
def test_a_point_that_moves_along_one_line_alone(angle, added):
    way = np.array([sin(radians(angle)), 0.0, cos(radians(angle))])
    W = np.outer(way, way) + added * np.eye(3)
    assert resistance(W, U, 0.3) == pytest.approx(1.0 / least_motion(W, 0.3), rel=1e-3)
    assert resistance(W, U, 0.0) == pytest.approx(1.0 / W[2, 2])


@pytest.mark.parametrize("tilt", [0.0, 20.0, 45.0])
@pytest.mark.parametrize("friction", [0.0, 0.1, 0.3])
def test_an_arm_that_moves_in_a_plane_alone(tilt, friction):
    A = np.random.default_rng(0).normal(size=(2, 3))
    A[:, 1] = 0.0
    turn = np.array(
        [
            [1.0, 0.0, 0.0],
            [0.0, cos(radians(tilt)), -sin(radians(tilt))],
            [0.0, sin(radians(tilt)), cos(radians(tilt))],
        ]
    )
    W = turn @ A.T @ A @ turn.T
    assert resistance(W, U, friction) == pytest.approx(1.0 / least_motion(W, friction), rel=2e-3)


def test_what_friction_wedges_does_not_give_way():
    way = np.array([1.0, 0.0, 1.0]) / np.sqrt(2.0)
    assert resistance(np.outer(way, way), U, 2.0) == inf
    assert resistance(np.zeros((3, 3)), U, 0.3) == inf
