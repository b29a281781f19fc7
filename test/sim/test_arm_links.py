# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The compiled steps against MuJoCo's, for arms of other joints and trees than a Panda."""

import numpy as np
import pytest
from thrown_arms import thrown_as_by_mujoco

from impact_predictor.contact_force.laws import Viscoelastic
from impact_robots import ArmDynamics, ContactPoint, load_robot
from impact_robots.state.contact_frame import OWN
from impact_sim.arm.payload import Carrier, Payload
from impact_sim.plant.plant import FlexibleJointPlant

LINK = """<link name="{name}"><inertial>
  <origin xyz="{com}" rpy="0.3 -0.2 0.5"/><mass value="{mass}"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.002" ixz="-0.003" iyz="0.001"/>
</inertial></link>"""
JOINT = """<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>
  <origin xyz="{at}" rpy="0.4 0.7 -0.2"/><axis xyz="{axis}"/>
  <limit lower="-3" upper="3" velocity="10" effort="100"/></joint>"""
# a turning joint about a skew axis carries one that slides, with another behind it, and a branch
JOINTS = (
    ("lift", "revolute", "base", "column", "0 0 0.3", "0.2 0.5 0.8"),
    ("slide", "prismatic", "column", "carriage", "0.1 0 0.2", "1 0.3 0"),
    ("wrist", "revolute", "carriage", "hand", "0 0.2 0.1", "0 1 0"),
    ("arm", "revolute", "column", "counterweight", "-0.2 0 0.1", "0 0 -1"),
)
YAML = """name: tree
urdf: tree.urdf
joints: [lift, arm, slide, wrist]
base_link: base
tool: {parent: hand, mass: 0.3, radius: 0.03, com: [0, 0, 0.05], contact_point: [0.1, 0, 0.1]}
position_lower: [-3, -3, -3, -3]
position_upper: [3, 3, 3, 3]
velocity: [10, 10, 10, 10]
acceleration: [100, 100, 100, 100]
jerk: [1.0e+5, 1.0e+5, 1.0e+5, 1.0e+5]
torque: [100, 100, 100, 100]
torque_rate: [1.0e+4, 1.0e+4, 1.0e+4, 1.0e+4]
impulsive_torque: [100, 100, 100, 100]
reflected_motor_inertia: [0.6, 0.1, 3.0, 0.2]
apparent_motor_inertia: [0.2, 0.05, 1.0, 0.1]
joint_stiffness: [1.0e+4, 2.0e+3, 1.0e+5, 3.0e+3]
joint_damping: [5.0, 0.5, 50.0, 1.0]
stance: [0.2, 0.5, 0.1, -0.4]
detection_joints: [1, 2, 3, 4]
driver_compensates_gravity: true
"""


def tree(folder):
    links = [LINK.format(name=each[3], com="0.05 -0.03 0.1", mass=2.0) for each in JOINTS]
    names = ("name", "kind", "parent", "child", "at", "axis")
    joints = [JOINT.format(**dict(zip(names, each, strict=True))) for each in JOINTS]
    text = "".join(['<robot name="tree"><link name="base"/>', *links, *joints, "</robot>"])
    (folder / "tree.urdf").write_text(text)
    (folder / "tree.yaml").write_text(YAML)
    return load_robot(folder / "tree.yaml")


CASES = {
    "tree": (tree, OWN),
    "panda": ("panda", OWN),
    "elbow of a panda": ("panda", ContactPoint("panda_link4", (0.05, 0.0, 0.1))),
    "some joints locked": ("studies/data/panda_planar.yaml", OWN),
}


@pytest.mark.parametrize("payload", [False, True])
@pytest.mark.parametrize(("arm", "contact"), CASES.values(), ids=CASES)
def test_compiled_steps_are_those_of_mujoco(tmp_path, arm, contact, payload):
    robot = tree(tmp_path) if arm is tree else load_robot(arm)

    def make():
        plant = FlexibleJointPlant(robot, contact=contact)
        if payload:
            load = Payload(1.3, np.array([0.02, 0.05, -0.04]), 0.05, 0.0, 0.1)
            Carrier(plant, load).update(1.0)
        return plant

    dq = np.linspace(0.3, -0.2, robot.dof)
    thrown_as_by_mujoco(make, Viscoelastic(1.2e5, 2e6), dq, pushes=(0.0, 5.0))


def test_after_a_reset_the_point_is_where_the_arm_is(tmp_path):
    robot = tree(tmp_path)
    plant, random = FlexibleJointPlant(robot), np.random.default_rng(3)
    for _ in range(3):
        q, dq = random.uniform(-1.0, 1.0, (2, 4))
        plant.reset(q, dq)
        state = ArmDynamics(robot)(q, dq)
        first = plant.advance_contact(1)
        np.testing.assert_allclose(plant.contact_position, state.position, atol=1e-13)
        np.testing.assert_allclose(first.velocity[0], state.velocity, atol=1e-13)
        np.testing.assert_allclose(first.q[0], q, atol=1e-15)


def test_a_point_of_the_base_stays_where_it_is(panda):
    plant = FlexibleJointPlant(panda, contact=ContactPoint("panda_link0", (0.1, 0.0, 0.2)))
    plant.reset(panda.stance, np.full(7, 0.1))
    for _ in range(2):
        np.testing.assert_allclose(plant.contact_position, [0.1, 0.0, 0.2], atol=1e-15)
        np.testing.assert_array_equal(plant.contact_velocity, np.zeros(3))
        plant.advance_contact(10)
