# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""HRP-4 on its own feet."""

from dataclasses import replace

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from hrp4_on_its_feet import grabbing, hrp4, standing

from impact_robots import ArmDynamics
from impact_sim.exceptions import SimulationError
from impact_sim.humanoid.layout import servos_of
from impact_sim.humanoid.plant import STEP
from impact_sim.plant.mujoco_model import motor_joint

WEIGHT = 38.0549 * 9.81


def drawn_velocity(seed=3):
    return np.random.default_rng(seed).normal(scale=0.3, size=hrp4().nv)


def test_it_stands_still_for_five_seconds():
    plant = standing()
    start, margins = plant.q, []
    for _ in range(100):
        plant.advance(200)
        margins.append(plant.balance.margin)
    assert plant.time == pytest.approx(5.0)
    np.testing.assert_allclose(plant.q, start, atol=0.01)
    assert np.linalg.norm(plant.v) < 0.01
    assert min(margins) > 0.1


def test_the_floor_carries_its_weight():
    plant = standing()
    plant.advance(20_000)
    assert plant.sole_forces[:, 2].sum() == pytest.approx(WEIGHT, rel=0.002)
    assert plant.sole_forces[:, 2].min() > 0.1 * WEIGHT / 8
    np.testing.assert_allclose(plant.balance.zmp, plant.com[:2], atol=0.002)


@pytest.mark.parametrize(("force", "falls"), [(60.0, False), (130.0, True)])
def test_a_long_push_makes_it_fall_and_a_weaker_one_does_not(force, falls):
    plant = standing()
    plant.push(np.array([force, 0.0, 0.0]))
    plant.advance(800)
    plant.push(np.zeros(3))
    plant.advance(12_000)
    assert (plant.com[2] < 0.4) == falls


def test_a_push_at_a_palm_goes_to_that_palm_and_ends_with_the_next():
    plant = standing()
    plant.push(np.array([0.0, 40.0, 0.0]), "left_palm")
    plant.advance(400)
    moved = plant.palm_positions[:, 1] - standing().palm_positions[:, 1]
    assert moved[0] > moved[1] + 0.003
    plant.push(np.zeros(3))
    assert not plant.data.xfrc_applied.any()


def test_its_inertia_is_the_robots():
    plant, robot = standing(), hrp4()
    M = np.zeros((plant.model.nv, plant.model.nv))
    mujoco.mj_fullM(plant.model, plant.data, M)
    order = np.array([plant.model.joint(motor_joint(name)).dofadr[0] for name in robot.joint_names])
    state = ArmDynamics(robot, "all").state(plant.q, plant.v)
    expected = state.inertia(robot.on_velocities(robot.reflected_motor_inertia))
    np.testing.assert_allclose(M[np.ix_(order, order)], expected[6:, 6:], atol=1e-9)
    mass, com = state.whole()
    np.testing.assert_allclose(plant.com, com, atol=1e-9)
    assert plant.model.body("base").subtreemass[0] == pytest.approx(mass)


def test_velocities_are_those_of_pinocchio():
    plant, v = standing(), drawn_velocity()
    plant.data.qvel[:3] = pin.Quaternion(plant.q[3:7]).toRotationMatrix() @ v[:3]
    plant.data.qvel[3:6] = v[3:6]
    for name, rate in zip(hrp4().joint_names, v[6:], strict=True):
        plant.data.qvel[plant.model.joint(motor_joint(name)).dofadr[0]] = rate
    np.testing.assert_allclose(plant.v, v, atol=1e-12)
    before = plant.q
    mujoco.mj_integratePos(plant.model, plant.data.qpos, plant.data.qvel, 1e-4)
    after = pin.integrate(hrp4().model, before, 1e-4 * v)
    np.testing.assert_allclose(plant.q, after, atol=1e-7)  # first order: of a turning base


def test_motors_give_what_they_can_and_no_more():
    plant, limit = standing(), hrp4().limits.torque
    wanted = np.where(np.arange(34) % 2, 0.5, -3.0) * limit
    plant.command_torque(wanted)
    plant.advance()
    np.testing.assert_allclose(plant.motor_torque, np.clip(wanted, -limit, limit))


def test_servos_are_back_after_torques():
    plant, other = standing(), standing()
    plant.command_torque(np.zeros(34))
    for each in (plant, other):
        each.command(grabbing()[7:])
        each.advance(400)
    np.testing.assert_array_equal(plant.q, other.q)


@pytest.mark.parametrize("q", [np.zeros(40), np.full(41, np.nan)])
def test_a_position_of_nobody_moves_nothing(q):
    plant = standing()
    before = plant.q
    with pytest.raises(SimulationError, match="q: expected 41 finite numbers, got shape"):
        plant.reset(q)
    np.testing.assert_array_equal(plant.q, before)


def test_there_is_no_box_that_was_not_put_there():
    with pytest.raises(SimulationError, match="box: expected one below 0, got 0"):
        standing().box(0)


def test_a_step_is_shorter_than_its_contacts_last():
    contact = standing().layout.palm_contact
    lightest = 0.38
    assert STEP * np.sqrt(contact.stiffness / lightest) < 0.2


def test_flexible_joints_carry_it_and_their_springs_bear_what_rigid_motors_do():
    """At rest a spring's torque is that of its motor; the links sag by less than 1 mrad."""
    rigid, flexible = standing(), standing(flexible=True)
    for plant in (rigid, flexible):
        plant.advance(2000)
    np.testing.assert_allclose(flexible.load, rigid.motor_torque, atol=0.3)
    assert np.abs(flexible.load).max() > 10.0
    stiffness = hrp4().joint_stiffness
    np.testing.assert_allclose(flexible.deflection, -flexible.load / stiffness)
    assert 1e-4 < np.abs(flexible.deflection).max() < 1e-3
    assert flexible.balance.margin > 0.1 and np.linalg.norm(flexible.v) < 0.01


def test_rigid_joints_have_no_load():
    with pytest.raises(SimulationError, match="expected flexible joints, got rigid ones"):
        _ = standing().load


def test_a_robot_without_servos_in_its_yaml_is_refused():
    with pytest.raises(SimulationError, match="does not give 'servo_stiffness' and 'servo_damp"):
        servos_of(replace(hrp4(), servo_stiffness=None))
