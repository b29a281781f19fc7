# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The independent arm and wall obey physics, so that they may judge others."""

import numpy as np
import pinocchio as pin
import pytest

from impact_robots import Surface, load_robot
from impact_robots.description.actuation import PANDA_FRICTION
from studies.foreign import ForeignArm, PlasticWall, draw_setup, simulate_hit
from studies.foreign.contact import friction_impulse
from studies.foreign.hit import COAST

UP = (0.0, 0.0, 1.0)
FAR = PlasticWall(Surface([0.0, 0.0, -10.0], UP, 0.3, 0.5), 1e5)
G = np.array([[0.5, 0.05, 0.1], [0.05, 0.4, -0.08], [0.1, -0.08, 0.3]])


@pytest.fixture(scope="module")
def robot():
    return load_robot("panda")


@pytest.fixture(scope="module")
def hit(robot):
    setup = draw_setup(robot, 3)
    return setup, simulate_hit(robot, setup, 0)


def test_a_free_mass_leaves_a_plastic_wall_with_its_restitution_at_any_speed():
    wall, h = PlasticWall(Surface(np.zeros(3), UP, 0.0, 0.4), 1e5), 1e-6
    for speed in (0.05, 0.5):
        depth, velocity, deepest = 0.0, speed, 0.0
        while depth >= 0.0 and (velocity > 0.0 or wall.force(depth, deepest) > 0.0):
            deepest = max(deepest, depth)
            velocity -= h * wall.force(depth, deepest) / 3.0
            depth += h * velocity
        assert -velocity / speed == pytest.approx(0.4, abs=2e-3)


@pytest.mark.parametrize("friction", [0.05, 0.3, 2.0])
def test_friction_sticks_within_the_cone_or_slides_against_what_is_left(friction):
    free = np.array([0.2, -0.1, -0.3])
    tangential, slides = friction_impulse(G, free, 1.0, friction)
    left = (free + G @ np.append(tangential, 1.0))[:2]
    if slides:
        assert np.hypot(*tangential) == pytest.approx(friction)
        assert left @ tangential == pytest.approx(-np.hypot(*left) * friction)
    else:
        assert np.hypot(*tangential) <= friction
        np.testing.assert_allclose(left, 0.0, atol=1e-12)
    assert slides == (friction < 1.0)


def test_without_torque_and_friction_energy_stays(robot):
    """What the integration loses shrinks with its step; 2 J go from height to motion here."""
    drift = []
    for h in (4e-4, 2e-4):
        arm = ForeignArm(robot, PANDA_FRICTION.scaled(0.0), FAR)
        arm.reset(robot.stance)
        energies = []
        for _ in range(round(0.2 / h)):
            arm.step(np.zeros(robot.dof), h)
            data = robot.model.createData()
            potential = pin.computePotentialEnergy(robot.model, data, arm.q)
            kinetic = pin.computeKineticEnergy(robot.model, data, arm.q, arm.dq)
            motors = 0.5 * robot.apparent_motor_inertia @ arm.dq**2
            energies.append(potential + kinetic + motors)
        drift.append(np.ptp(energies))
    assert drift[0] < 1e-3
    assert drift[1] < 0.6 * drift[0]


def test_joint_friction_is_against_the_motion_and_bounded_as_published():
    for speed in (-2.0, -0.1, 0.1, 2.0):
        torque = PANDA_FRICTION(np.full(7, speed))
        assert np.all(torque * speed > 0.0)
        assert np.all(np.abs(torque) < PANDA_FRICTION.amplitude)
    np.testing.assert_allclose(PANDA_FRICTION(np.zeros(7)), 0.0, atol=1e-15)


def test_the_impulse_is_the_change_of_momentum(hit):
    """But for what gravity's compensation and joint friction do in 12 ms, a few percent."""
    setup, recorded = hit
    truth, true = recorded.truth, setup.robot
    data = true.model.createData()
    M = pin.crba(true.model, data, truth.q) + np.diag(true.apparent_motor_inertia)
    frame = true.model.getFrameId(true.contact_frame)
    J = pin.computeFrameJacobian(true.model, data, truth.q, frame, pin.LOCAL_WORLD_ALIGNED)[:3]
    change = J @ (truth.dq_after - truth.dq_before)
    expected = J @ np.linalg.solve(M, J.T @ truth.impulse)
    np.testing.assert_allclose(change, expected, atol=0.06 * np.linalg.norm(expected))


def test_what_is_realised_is_what_the_wall_is_made_of(hit):
    setup, recorded = hit
    wall, truth = setup.motions[0].wall, recorded.truth
    assert truth.slides
    assert truth.friction == pytest.approx(wall.friction, rel=0.06)
    assert truth.restitution == pytest.approx(wall.restitution, abs=0.03)
    assert recorded.t[-1] == pytest.approx(truth.touch + COAST, abs=2e-3)


def test_the_force_sensor_sees_the_impulse_and_its_offset(hit):
    setup, recorded = hit
    truth, t = recorded.truth, recorded.force_t
    inside = (t > truth.touch) & (t < truth.release)
    seen = (recorded.force[inside] - setup.force_offset).sum(axis=0) / setup.force_rate
    assert np.linalg.norm(seen - truth.impulse) < 0.02 * np.linalg.norm(truth.impulse)


def test_a_seed_gives_the_same_hit_and_another_number_another(robot, hit):
    setup, recorded = hit
    again, other = (simulate_hit(robot, draw_setup(robot, 3), number) for number in (0, 2))
    np.testing.assert_array_equal(again.dq, recorded.dq)
    assert other.truth.touch != recorded.truth.touch
    assert setup.motions[0].normal @ setup.motions[0].wall.surface.normal > np.cos(np.radians(3.0))
