# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Robots with a floating base fall, land and stand as mechanics says."""

import numpy as np
import pytest
from landed_cassie import FLOOR, PERIOD, SAMPLES, landed, standing

from impact_predictor.contact_force.laws import Viscoelastic
from impact_robots import ArmDynamics, floating_position, load_robot, loop_errors
from impact_sim.floating.floor import Floor
from impact_sim.floating.motion import simulate_motion

BOX = """<robot name="box">
  <link name="box">
    <inertial><origin xyz="0 0 0"/><mass value="3"/>
      <inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="bob">
    <inertial><origin xyz="0 0 0"/><mass value="1"/>
      <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="slide" type="prismatic">
    <parent link="box"/><child link="bob"/><origin xyz="0 0 0.2"/><axis xyz="0 0 1"/>
    <limit lower="-0.1" upper="0.1" velocity="1" effort="0"/><dynamics damping="40"/>
  </joint>
</robot>"""
YAML = """{name: box, urdf: box.urdf, base: floating, joints: [slide], base_link: box,
passive: [slide], springs: {slide: 500}, reflected_motor_inertia: [0],
contacts: {sole: {frame: box, offset: [0, 0, -0.1], half_extents: [0.1, 0.05]}}}"""


@pytest.fixture
def box(tmp_path):
    """A box of 3 kg with a bob of 1 kg on a spring, and a face to stand on."""
    (tmp_path / "box.urdf").write_text(BOX)
    (tmp_path / "box.yaml").write_text(YAML)
    return load_robot(tmp_path / "box.yaml")


@pytest.fixture(scope="module")
def landing(cassie):
    return landed(cassie)


def test_in_the_air_momentum_grows_by_the_weight_alone(cassie):
    q = standing(cassie, 1.0)
    v = np.random.default_rng(3).normal(size=cassie.nv) * 0.3
    torques = np.random.default_rng(5).normal(size=(40, cassie.dof))
    motors = cassie.motor_inertias["M"]
    motion = simulate_motion(cassie, (q, v), torques, PERIOD, FLOOR, motor_inertia=motors, steps=4)
    dynamics = ArmDynamics(cassie, "all")
    first, last = (
        dynamics.state(*each) for each in zip(motion.q[[1, -1]], motion.v[[1, -1]], strict=True)
    )
    gained = last.A_G @ last.dq - first.A_G @ first.dq
    time = PERIOD * (len(torques) - 2)
    np.testing.assert_allclose(gained[:3], [0, 0, -9.81 * first.mass * time], atol=2e-2)
    np.testing.assert_allclose(gained[3:], 0.0, atol=2e-2)


def test_rods_stay_closed_while_the_robot_lands(cassie, landing):
    dynamics = ArmDynamics(cassie)
    pairs = zip(landing.q, landing.v, strict=True)
    apart = [loop_errors(cassie.loops, dynamics.state(*each)) for each in pairs]
    assert len(apart) == SAMPLES
    assert np.abs(apart).max() < 1e-4


def test_a_rigid_floor_is_not_entered_and_takes_the_speed(cassie, landing):
    dynamics = ArmDynamics(cassie)
    states = [dynamics.state(*each) for each in zip(landing.q, landing.v, strict=True)]
    points = [[state.at(contact.name) for contact in cassie.contacts] for state in states]
    heights = np.array([[point.position[2] for point in row] for row in points])
    rates = np.array([[point.velocity[2] for point in row] for row in points])
    assert heights.min() > FLOOR.height - 1e-3  # half a step of the fall
    touching = heights[:-1] <= FLOOR.height
    assert touching.any(axis=0).all()
    assert rates[:-1][~touching].min() < -0.9
    assert rates[1:][touching].min() > -0.02  # of the Jacobian of the step before


@pytest.mark.parametrize("law", [None, Viscoelastic(5e3, 5e3)])
def test_a_robot_comes_to_rest_under_its_weight(box, law):
    floor = Floor(0.0, 0.5, law)
    start = floating_position([0, 0, 0.102], [0, 0, 0, 1], [0.0]), np.zeros(7)
    torques, motors = np.zeros((600, 1)), box.motor_inertias["M"]
    motion = simulate_motion(box, start, torques, 1e-3, floor, motor_inertia=motors)
    sunk = 0.0 if law is None else 4.0 * 9.81 / (4 * 5e3)  # four corners
    assert np.abs(motion.v[-1]).max() < 1e-3
    assert motion.q[-1][2] == pytest.approx(0.1 - sunk, abs=2e-4)
    assert motion.q[-1][7] == pytest.approx(-9.81 / 500, abs=1e-4)


@pytest.mark.parametrize("law", [None, Viscoelastic(5e3, 5e3)])
def test_friction_stops_a_slide_as_coulomb_says(box, law):
    sunk = 0.0 if law is None else 4.0 * 9.81 / (4 * 5e3)
    start = floating_position([0, 0, 0.1 - sunk], [0, 0, 0, 1], [-9.81 / 500])
    v = np.array([0.5, 0, 0, 0, 0, 0, 0.0])
    torques, motors, floor = np.zeros((60, 1)), box.motor_inertias["M"], Floor(0.0, 0.3, law)
    motion = simulate_motion(box, (start, v), torques, 1e-3, floor, motor_inertia=motors)
    assert motion.v[-1][0] == pytest.approx(0.5 - 0.3 * 9.81 * 0.059, abs=0.02)
