# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Restitution by velocities and by force agree where physics says so."""

import numpy as np
import pytest

from impact_detector import EstimateError, contact_law_of, integrate_impulse, kinematic_restitution
from impact_detector.estimators.measured_restitution import restitution_by_force
from impact_predictor.contact_force.laws import Viscoelastic
from impact_predictor.contact_force.restitution import exact_restitution

MASS, SPEED, NORMAL = 3.0, 0.1, np.array([-1.0, 0.0, 0.0])
LAW = Viscoelastic(1.2e5, 2e6)


@pytest.fixture(scope="module")
def contact():
    """A free mass against a damped wall, its force sampled at 25 kHz."""
    dt, x, v, rows = 1e-6, 0.0, SPEED, []
    while x >= 0.0:
        force = LAW.force(x, v)
        rows.append(force)
        v -= force / MASS * dt
        x += v * dt
    force = np.concatenate([np.zeros(4000), rows, np.zeros(4000)])[::40]
    return integrate_impulse(np.arange(len(force)) * 4e-5, force[:, None] * NORMAL)


def test_a_mirror_reflects():
    J, before = np.eye(3), np.array([0.2, 0.1, 0.0])
    assert kinematic_restitution(J, NORMAL, before, np.array([-0.06, 0.1, 0.0])) == pytest.approx(
        0.3
    )


@pytest.mark.parametrize("before", [[0.001, 0.1, 0.0], [-0.2, 0.0, 0.0], [np.nan, 0.0, 0.0]])
def test_without_an_approach_it_is_unknown(before):
    assert np.isnan(kinematic_restitution(np.eye(3), NORMAL, np.array(before), np.zeros(3)))


def test_three_definitions_agree_for_one_free_mass(contact):
    found = restitution_by_force(contact, NORMAL, np.eye(3) / MASS, -SPEED)
    exact = exact_restitution(LAW, SPEED, MASS)
    assert found.kinematic == pytest.approx(exact, abs=0.01)
    assert found.impulsive == pytest.approx(exact, abs=0.02)
    assert found.energetic == pytest.approx(exact, abs=0.02)


def test_friction_moves_the_normal_too(contact):
    W = np.eye(3) / MASS
    W[0, 1] = W[1, 0] = 0.1
    alone = restitution_by_force(contact, NORMAL, np.eye(3) / MASS, -SPEED)
    assert restitution_by_force(contact, NORMAL, W, -SPEED).kinematic == alone.kinematic
    tilted = contact.force + 0.1 * np.linalg.norm(contact.force, axis=1)[:, None] * [0, 1, 0]
    moved = type(contact)(**{**contact.__dict__, "force": tilted})
    assert restitution_by_force(moved, NORMAL, W, -SPEED).kinematic < alone.kinematic


def test_an_impulse_that_is_too_small_is_refused(contact):
    with pytest.raises(EstimateError, match="does not stop"):
        restitution_by_force(contact, NORMAL, np.eye(3) / 30.0, -SPEED)
    with pytest.raises(EstimateError, match="expected an approach"):
        restitution_by_force(contact, NORMAL, np.eye(3) / MASS, SPEED)


def test_the_contact_law_is_found_again(contact):
    law = contact_law_of(contact, NORMAL, MASS, SPEED)
    assert law.parameters["stiffness"].value == pytest.approx(LAW.stiffness, rel=0.1)
    assert law.parameters["damping"].value == pytest.approx(LAW.damping, rel=0.1)
    assert law.restitution.value == pytest.approx(exact_restitution(LAW, SPEED, MASS), abs=0.02)


def test_a_slow_sensor_gives_no_contact_law(contact):
    slow = type(contact)(**{**contact.__dict__, "period": 5e-3})
    with pytest.raises(EstimateError, match=r"contact law: expected .* every 5.00 ms"):
        contact_law_of(slow, NORMAL, MASS, SPEED)
