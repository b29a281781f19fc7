# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The plant obeys physics: energy, statics, vibration, restitution and momentum."""

from dataclasses import replace

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from moving_arms import moving
from tiny_robot import tiny_robot

from impact_predictor.contact_force.laws import (
    ExtendedHuntCrossley,
    Viscoelastic,
    viscoelastic_restitution,
)
from impact_robots import ArmDynamics, Surface
from impact_sim import SimulationError
from impact_sim.plant.compliant_wall import CompliantWall
from impact_sim.plant.plant import CONTACT_STEP, FREE_STEP, FlexibleJointPlant


def energy(plant):
    """Kinetic, potential and spring energy from pinocchio, not from the simulator [J]."""
    robot, data = plant.robot, plant.robot.model.createData()
    motor_speed = plant.data.qvel[plant._motor]
    kinetic = pin.computeKineticEnergy(robot.model, data, plant.q, plant.dq)
    kinetic += 0.5 * robot.reflected_motor_inertia @ motor_speed**2
    spring = 0.5 * plant.joint_torque @ (plant.joint_torque / robot.joint_stiffness)
    return kinetic + pin.computePotentialEnergy(robot.model, data, plant.q) + spring


def test_mass_matrix_and_bias_are_those_of_the_rigid_model(panda):
    plant, random = FlexibleJointPlant(panda), np.random.default_rng(1)
    for _ in range(20):
        q = random.uniform(panda.limits.position_lower, panda.limits.position_upper)
        dq = random.normal(size=7)
        plant.data.qpos[plant._motor], plant.data.qpos[plant._spring] = q, 0.0
        plant.data.qvel[plant._motor], plant.data.qvel[plant._spring] = dq, 0.0
        mujoco.mj_forward(plant.model, plant.data)
        plant._look_at_point()
        full = np.zeros((14, 14))
        mujoco.mj_fullM(plant.model, plant.data, full)
        state = ArmDynamics(panda)(q, dq)
        link = full[np.ix_(plant._spring, plant._spring)]
        motor = full[np.ix_(plant._motor, plant._motor)]
        np.testing.assert_allclose(link, state.M, atol=1e-13)
        np.testing.assert_allclose(motor - link, np.diag(panda.reflected_motor_inertia), atol=1e-13)
        np.testing.assert_allclose(plant.data.qfrc_bias[plant._spring], state.h, atol=1e-12)
        np.testing.assert_allclose(plant.contact_position, state.position, atol=1e-13)
        np.testing.assert_allclose(plant.contact_velocity, state.velocity, atol=1e-13)


def test_free_fall_keeps_energy_without_damping_and_loses_it_with(panda):
    undamped = FlexibleJointPlant(replace(panda, joint_damping=np.full(7, 1e-9)))
    damped = FlexibleJointPlant(panda)
    fallen = {}
    for name, plant in {"undamped": undamped, "damped": damped}.items():
        plant.reset(panda.stance)
        plant.apply_motor_torque(np.zeros(7))
        before = energy(plant)
        plant.advance_free(0.2)
        fallen[name] = energy(plant) - before
        moved = np.abs(plant.q - panda.stance).max()
        assert moved > 0.1  # it did fall
    kinetic = pin.computeKineticEnergy(
        panda.model, panda.model.createData(), undamped.q, undamped.dq
    )
    assert abs(fallen["undamped"]) < 2e-3 * kinetic
    assert fallen["damped"] < -abs(fallen["undamped"])


def test_the_sensors_read_gravity_at_rest_and_the_motors_hold_it(panda):
    plant = FlexibleJointPlant(panda)
    plant.reset(panda.stance)
    gravity = pin.computeGeneralizedGravity(panda.model, panda.model.createData(), panda.stance)
    np.testing.assert_allclose(plant.joint_torque, gravity, atol=1e-10)
    plant.apply_motor_torque(gravity)
    plant.advance_free(1.0)
    np.testing.assert_allclose(plant.q, panda.stance, atol=1e-9)


def frequency(plant, duration):
    """Angular frequency of the joint torque from its zero crossings [rad/s]."""
    crossings, before = [], plant.joint_torque[0]
    while plant.time < duration:
        plant.advance_free(FREE_STEP)
        now = plant.joint_torque[0]
        if before < 0.0 <= now:
            crossings.append(plant.time - FREE_STEP * now / (now - before))
        before = now
    return 2.0 * np.pi / np.diff(crossings).mean()


@pytest.mark.parametrize("motor", ["free", "held"])
def test_one_flexible_joint_vibrates_at_its_two_frequencies(tmp_path, motor):
    held = 1e7
    reflected = 0.6 if motor == "free" else held
    robot = tiny_robot(
        tmp_path, kind="revolute", axis="0 0 1", inertia=0.3, reflected=reflected, stiffness=1e4
    )
    plant = FlexibleJointPlant(robot)
    plant.reset(np.zeros(1), np.zeros(1))
    plant.data.qpos[plant._spring] = 1e-3
    plant.apply_motor_torque(np.zeros(1))
    expected = np.sqrt(1e4 * (1.0 / 0.3 + 1.0 / reflected))  # held: the second term vanishes
    assert frequency(plant, 0.5) == pytest.approx(expected, rel=1e-3)


def strike(plant, approach):
    """Let a free mass hit the surface; return its rebound speed and the sampled forces."""
    plant.reset(np.zeros(1), np.array([approach]))
    plant.apply_motor_torque(np.zeros(1))
    forces, touched = [], False
    for _ in range(100_000):
        plant.advance_contact()
        forces.append(plant.contact_force[0])
        touched = touched or forces[-1] != 0.0
        if touched and plant.gap > 0.0:
            return -plant.dq[0], np.array(forces)
    raise AssertionError("the mass never left the surface")


def free_mass(tmp_path, law, friction=0.0):
    """Return a mass that slides along x towards a wall, its motor as good as disconnected."""
    robot = tiny_robot(tmp_path, mass=2.0, stiffness=1e-6, reflected=1e-3, apparent=1e-3)
    wall = CompliantWall(Surface([1e-5, 0, 0], [-1, 0, 0], friction), law)
    return FlexibleJointPlant(robot, wall)


@pytest.mark.parametrize("s", [0.2, 1.0, 5.0])
def test_restitution_of_the_viscoelastic_law_is_its_closed_form(tmp_path, s):
    approach, stiffness = 0.1, 1.2e5
    law = Viscoelastic(stiffness, s * stiffness / approach)
    rebound, _ = strike(free_mass(tmp_path, law), approach)
    assert rebound / approach == pytest.approx(viscoelastic_restitution(law, approach), abs=2e-3)


def test_the_extended_law_is_smooth_and_never_pulls():
    law = ExtendedHuntCrossley(2.42e9, 4.84e11)
    depth = 1e-4
    slope = [(law.force(depth, h) - law.force(depth, -h)) / h for h in (1e-6, 1e-7)]
    assert law.force(depth, 0.0) == pytest.approx(2.42e9 * depth**1.5)
    assert slope[0] == pytest.approx(slope[1], rel=1e-3)
    assert all(law.force(depth, rate) > 0.0 for rate in (-1.0, -0.1, 0.1))
    assert law.force(-depth, 1.0) == 0.0


def test_impulse_is_the_integral_of_force(tmp_path):
    law = Viscoelastic(1.2e5, 5e6)
    rebound, forces = strike(free_mass(tmp_path, law), 0.1)
    assert forces.sum() * CONTACT_STEP == pytest.approx(-2.0 * (0.1 + rebound), rel=1e-4)


def test_momentum_of_the_arm_changes_by_what_acts_on_it(panda):
    """Generalised momentum M qdot + B thetadot: its rate is tau_act + C^T qdot - g + J^T f."""
    dynamics, q = ArmDynamics(panda), panda.stance
    point = dynamics.position(q) + np.array([1e-4, 0, 0])
    wall = CompliantWall(Surface(point, [-1, 0, 0], 0.3), Viscoelastic(1.2e5, 5e6))
    plant = FlexibleJointPlant(panda, wall)
    plant.reset(q, moving(panda, [0.2, 0.05, 0.0]))
    torque = plant.joint_torque
    plant.apply_motor_torque(torque)

    def momentum():
        M = dynamics(plant.q, plant.dq).M
        return M @ plant.dq + panda.reflected_motor_inertia * plant.data.qvel[plant._motor]

    start, impulse, peak = momentum(), np.zeros(7), 0.0
    data = panda.model.createData()
    for _ in range(1000):
        state = dynamics(plant.q, plant.dq)
        C = pin.computeCoriolisMatrix(panda.model, data, plant.q, plant.dq)
        plant.advance_contact()
        peak = max(peak, -plant.contact_force[0])
        rate = torque + C.T @ state.dq - state.g + state.J[:3].T @ plant.contact_force
        impulse += rate * CONTACT_STEP
    assert peak > 100.0  # it did hit
    np.testing.assert_allclose(momentum() - start, impulse, atol=2e-3 * np.abs(impulse).max())


def test_a_wall_has_one_coefficient_of_friction():
    with pytest.raises(
        SimulationError, match=r"friction of a wall: expected one number, got 0,0\.3"
    ):
        CompliantWall(Surface(np.zeros(3), [0, 0, 1], (0.0, 0.3)), Viscoelastic(1e5, 0.0))


def test_friction_opposes_slip_and_stays_in_its_cone():
    floor = CompliantWall(Surface(np.zeros(3), [0, 0, 1], 0.4), Viscoelastic(1e5, 0.0))
    force = floor.force(np.array([0, 0, -1e-3]), np.array([0.3, -0.4, 0.0]))
    np.testing.assert_allclose(force, [-0.4 * 100 * 0.6, 0.4 * 100 * 0.8, 100.0])
    slow = floor.force(np.array([0, 0, -1e-3]), np.array([1e-4, 0.0, 0.0]))
    assert 0.0 < -slow[0] < 0.4 * slow[2]
    assert not floor.force(np.array([0, 0, 1e-3]), np.array([0, 0, -1.0])).any()


def test_what_is_changed_in_one_plant_is_not_in_the_next_of_the_same_robot(panda):
    one = FlexibleJointPlant(panda)
    one.model.body_mass[:] *= 2.0
    one.model.opt.timestep = 1.0
    two, other = FlexibleJointPlant(panda), FlexibleJointPlant(replace(panda))
    np.testing.assert_array_equal(two.model.body_mass, other.model.body_mass)
    assert one.model.body_mass[-1] == 2.0 * two.model.body_mass[-1] > 0.0
    assert two.model.opt.timestep < 1.0
