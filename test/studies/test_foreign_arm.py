# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The independent arm and wall obey physics, so that they may judge others."""

import numpy as np
import pinocchio as pin
import pytest

from impact_robots import Surface, load_robot
from impact_robots.description.actuation import PANDA_FRICTION
from studies.foreign import ForeignArm, PlasticWall, draw_setup, simulate_hit
from studies.foreign.contact import Bristles, JointRub, friction_impulse
from studies.foreign.disturbances import FAMILIES, LATE, draw_disturbance
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


def test_joints_rub_with_coulombs_torque_when_they_move_and_break_away_with_more():
    rub = JointRub(np.array([2.0]), np.array([3.0]), np.array([0.5]))
    bent, h, largest = np.zeros(1), 1e-4, 0.0
    for k in range(10_000):
        bent, torque = rub(bent, np.array([0.005 if k < 8000 else 0.4]), h)
        largest = max(largest, torque[0])
    assert torque[0] == pytest.approx(2.0 + 0.5 * 0.4, rel=1e-3)
    assert 2.4 < largest < 3.0
    _, back = rub(np.zeros(1), np.array([-0.4]), h)
    assert back[0] < 0.0


def test_bristles_hold_below_the_cone_and_slide_on_it():
    bristles, normal, friction, h = Bristles(1e-4), 0.01, 0.3, 2.5e-5
    bent = np.zeros(2)
    bent, push, slides = bristles(bent, np.array([0.2, 0.0]), normal, friction, h)
    assert np.hypot(*push) <= friction * normal
    assert not slides
    for _ in range(400):
        bent, push, slides = bristles(bent, np.array([0.2, 0.0]), normal, friction, h)
    assert slides
    np.testing.assert_allclose(push, [-friction * normal, 0.0], rtol=0.1)


@pytest.mark.parametrize("family", FAMILIES)
def test_each_family_disturbs_its_own_way_and_is_drawn_from_its_seed(robot, family):
    one, again, nothing = (
        draw_disturbance(name, robot.limits.torque, 5) for name in (family, family, "plain")
    )
    changed = [not np.array_equal(vars(one)[name], vars(nothing)[name]) for name in vars(one)]
    assert one.family == family
    assert any(changed) == (family != "plain")
    assert str(one) == str(again)


def test_what_is_late_and_slow_is_recorded_late_and_slowly(robot):
    late, slow = (draw_setup(robot, 3, family=name) for name in ("delay", "slow"))
    hits = [simulate_hit(robot, each, 0) for each in (late, slow)]
    assert np.median(np.diff(hits[1].t)) == pytest.approx(5e-3, abs=2e-4)
    first = hits[0].force_t[np.abs(hits[0].force).max(axis=1) > 10.0][0]
    assert first - hits[0].truth.touch == pytest.approx(LATE, abs=1e-3)


def test_slip_reverses_and_a_soft_wall_is_left_late(robot):
    reverse, soft = (draw_setup(robot, 4, family=name) for name in ("reversal", "soft"))
    back, pressed = (simulate_hit(robot, each, 1).truth for each in (reverse, soft))
    assert back.friction < 0.8 * reverse.motions[1].wall.friction
    whole = pressed.release - pressed.touch
    assert 0.6 < whole / soft.disturbance.contact_time < 1.5


def test_an_undeclared_payload_is_on_the_arm_alone(robot):
    setup, plain = (draw_setup(robot, 4, family=name) for name in ("payload", "plain"))
    more = pin.computeTotalMass(setup.robot.model) - pin.computeTotalMass(plain.robot.model)
    assert more == pytest.approx(setup.disturbance.payload)
    assert 0.4 <= more <= 1.5


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
