# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Arms thrown at a wall, and the judge of a plant's compiled steps: those of MuJoCo."""

import numpy as np

from impact_robots import ArmDynamics, Surface
from impact_sim.plant.compliant_wall import CompliantWall


def thrown(plant, law, dq, normal=None, *, mass=np.inf, pushes=(0.0,)):
    """Throw an arm with ``dq`` [rad/s] from its stance at a wall; returns its 2000 steps.

    The wall, with a mass behind it [kg], is 0.1 mm from the contact point, across its velocity
    unless a normal is given. Motors carry the arm, and push in turns [N.m].
    """
    state = ArmDynamics(plant.robot).state(plant.robot.stance, dq).at(*plant.contact)
    if normal is None:
        normal = -state.velocity / np.linalg.norm(state.velocity)
    surface = Surface(state.position - 1e-4 * normal, normal, 0.3)
    plant.wall = law and CompliantWall(surface, law, mass)
    plant.reset(plant.robot.stance, dq)
    found = []
    for push in pushes:
        plant.apply_motor_torque(state.g + push)
        found += [plant.advance_contact(25) for _ in range(80 // len(pushes))]
    return type(found[0])(*map(np.concatenate, zip(*found, strict=True)))


def thrown_as_by_mujoco(make, law, *given, **options):
    """Throw an arm in a plant and in one with MuJoCo's steps; returns the first and its steps."""
    compiled, plain = make(), make()
    plain._plane = lambda: None
    got, expected = (thrown(each, law, *given, **options) for each in (compiled, plain))
    assert expected.force.any(axis=1).sum() > 100  # it did touch
    np.testing.assert_array_equal(got.force.any(axis=1), expected.force.any(axis=1))
    for mine, theirs in zip(got, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-9 * np.abs(theirs).max())
    np.testing.assert_allclose(compiled.q, plain.q, rtol=0, atol=1e-14)
    np.testing.assert_allclose(compiled.wall_motion, plain.wall_motion, rtol=1e-9)
    np.testing.assert_allclose(compiled.contact_velocity, plain.contact_velocity, atol=1e-9)
    np.testing.assert_allclose(compiled.contact_position, plain.contact_position, atol=1e-12)
    return compiled, got
