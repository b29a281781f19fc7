# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An arm that coasts into a surface: when and how fast, what its driver knows of it, its noise."""

from dataclasses import replace

import numpy as np
import pytest
from coasting_hit import coasting_hit

from impact_predictor.joint_load.load_case import viscoelastic
from impact_robots import ArmDynamics, Surface
from impact_sim import NO_NOISE

Q = np.array([0.3, -0.6, 0.2, -2.2, 0.5, 2.0, 0.3])
NORMAL = np.array([-1.0, 0.0, 0.0])
SPEED = 0.1
LAW = viscoelastic(4e5, 0.3, SPEED)


@pytest.fixture(scope="module")
def exact(panda):
    return coasting_hit(panda, Q, Surface(None, NORMAL, 0.2), SPEED, LAW, noise=NO_NOISE)


def test_it_touches_when_and_as_fast_as_it_was_asked(panda, exact):
    force = exact.force @ NORMAL
    touch = exact.force_time[np.flatnonzero(force > 0.0)[0]]
    assert touch == pytest.approx(0.0, abs=3e-4)
    before = np.flatnonzero(exact.time < 0.0)[-1]
    point = ArmDynamics(panda)(exact.position[before], exact.velocity[before])
    assert point.velocity @ NORMAL == pytest.approx(-SPEED, rel=0.05)
    assert (np.diff(exact.force_time) == pytest.approx(4e-5)) and exact.time[-1] == 0.06


def test_the_wall_pushes_and_the_joints_feel_it(exact):
    force = exact.force @ NORMAL
    assert force.min() == 0.0 and force.max() > 30.0
    quiet = exact.time < 0.0
    felt = np.abs(exact.torque - exact.torque[0])
    assert felt[quiet].max() < 0.6 < 3.0 < felt[~quiet].max()


def test_another_arm_moves_otherwise_under_the_same_driver(panda, exact):
    soft = replace(
        panda,
        joint_stiffness=0.5 * panda.joint_stiffness,
        loop_damping_time=panda.damping_time,
    )
    surface = Surface(None, NORMAL, 0.2)
    other = coasting_hit(panda, Q, surface, SPEED, LAW, arm=soft, noise=NO_NOISE)
    assert np.abs(other.torque - exact.torque).max() > 1.0


def test_noise_is_that_of_its_seed(panda, exact):
    surface = Surface(None, NORMAL, 0.2)
    same, again, other = (
        coasting_hit(panda, Q, surface, SPEED, LAW, after=0.0, seed=seed) for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(same.torque, again.torque)
    assert (same.torque != other.torque).all()
    rows = len(same.torque)
    assert (same.torque - exact.torque[:rows]).std() == pytest.approx(0.08, rel=0.2)
