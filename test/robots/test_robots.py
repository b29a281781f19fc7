# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Robots load whole, or say in one line what is wrong."""

import csv
import dataclasses

import numpy as np
import pinocchio as pin
import pytest
import yaml
from tiny_robot import tiny_robot

from impact_robots import ArmDynamics, RobotError, available_robots, contact_rotation, load_robot
from impact_robots.description.loader import _HERE
from impact_robots.kinematics import inverse_kinematics


def test_the_panda_has_the_published_inertias(panda, derived_data):
    with open(derived_data / "panda_links.csv") as file:
        mass = sum(float(row["mass_kg"]) for row in csv.DictReader(file)) - 0.629769
    state = ArmDynamics(panda)(panda.stance, np.zeros(7))
    assert state.mass == pytest.approx(mass + 0.1)  # without the base, with the tool


def test_the_tool_is_a_sphere_in_front_of_the_flange(panda):
    data = panda.model.createData()
    pin.framesForwardKinematics(panda.model, data, panda.stance)
    flange = data.oMf[panda.model.getFrameId("panda_link8")]
    contact = data.oMf[panda.model.getFrameId(panda.contact_frame)]
    np.testing.assert_allclose(flange.actInv(contact).translation, [0, 0, 0.10], atol=1e-12)


def test_dynamics_agree_with_finite_differences(panda):
    dynamics, random, step = ArmDynamics(panda), np.random.default_rng(5), 1e-6
    q = random.uniform(panda.limits.position_lower, panda.limits.position_upper)
    dq = random.normal(size=7)
    state = dynamics(q, dq)
    ahead, behind = dynamics(q + step * dq, dq), dynamics(q - step * dq, dq)
    moved = (ahead.position - behind.position) / (2 * step)
    np.testing.assert_allclose(moved, state.velocity, atol=1e-8)
    drift = ((ahead.J - behind.J) / (2 * step)) @ dq
    np.testing.assert_allclose(drift, state.drift, atol=1e-6)
    spin = (ahead.rotation - behind.rotation) / (2 * step) @ state.rotation.T
    np.testing.assert_allclose(spin, pin.skew(state.J[3:] @ dq), atol=1e-8)


def test_a_state_of_the_wrong_size_is_refused(panda):
    with pytest.raises(RobotError, match=r"expected 7 positions and 7 velocities, got .* \(3,\)"):
        ArmDynamics(panda)(panda.stance, [0.0, 0.0, 0.0])


def test_limits_cannot_be_changed(panda):
    with pytest.raises(ValueError, match="read-only"):
        panda.limits.velocity[0] = 99.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        panda.name = "other"


def test_robots_that_ship_are_complete():
    assert available_robots() == ("cassie", "fr3", "hrp4", "panda", "panda_plate")
    assert "joint_stiffness" in load_robot("panda").assumed


def test_a_robot_like_another_differs_in_what_its_yaml_says(tmp_path):
    panda, plate = load_robot("panda"), load_robot("panda_plate")
    assert plate.name == "panda_plate"
    assert np.array_equal(plate.joint_stiffness, panda.joint_stiffness)
    mass = [robot.model.inertias[7].mass for robot in (panda, plate)]
    assert mass[1] - mass[0] == pytest.approx(0.3, abs=1e-12)
    (tmp_path / "mine.yaml").write_text("{like: panda_plate, name: mine, torque_noise: 0.2}")
    mine = load_robot(tmp_path / "mine.yaml")
    assert mine.torque_noise == 0.2
    assert mine.model.inertias[7].mass == plate.model.inertias[7].mass


def test_a_robot_like_none_says_what_there_is(tmp_path):
    (tmp_path / "mine.yaml").write_text("{like: kuka, name: mine}")
    with pytest.raises(
        RobotError, match="like: expected one of cassie, fr3, hrp4, panda, panda_plate, got 'k"
    ):
        load_robot(tmp_path / "mine.yaml")


def test_the_fr3_needs_the_path_of_its_urdf(tmp_path):
    with pytest.raises(RobotError, match="ships without a URDF: give one"):
        load_robot("fr3")
    text = (_HERE / "panda.urdf").read_text().replace("panda_", "left_")
    (tmp_path / "arm.urdf").write_text(text)
    robot = load_robot("fr3", urdf=tmp_path / "arm.urdf", joint_prefix="left_")
    assert robot.joint_names[0] == "left_joint1"
    assert robot.limits.velocity[4] == 5.26


def test_any_arm_comes_in_by_urdf_and_yaml(tmp_path):
    robot = tiny_robot(tmp_path, kind="revolute")
    assert robot.dof == 1
    assert robot.joint_names == ("joint",)


def test_joints_that_the_yaml_leaves_out_are_locked(tmp_path):
    entries = yaml.safe_load((_HERE / "panda.yaml").read_text())
    keep = [1, 3, 5]  # joints 2, 4, 6: the planar arm of the flexible-joint paper
    for key, value in entries.items():
        if isinstance(value, list) and len(value) == 7:
            entries[key] = [value[i] for i in keep]
    entries |= {"detection_joints": [3], "urdf": str(_HERE / "panda.urdf")}
    (tmp_path / "planar.yaml").write_text(yaml.safe_dump(entries))
    assert load_robot(tmp_path / "planar.yaml").dof == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"velocity": None}, "velocity: expected 7"),
        ({"velocity": [1, 2]}, "velocity: expected 7 finite numbers"),
        ({"torque": [0] * 7}, "torque: expected 7 finite numbers above 0"),
        ({"joints": ["joint1", "elbow"]}, "panda_elbow not in the URDF, which has panda_joint1"),
        ({"urdf": "nowhere.urdf"}, "no URDF file .*nowhere.urdf"),
        ({"detection_joints": [9]}, "detection_joints: expected numbers 1 to 7"),
        ({"base_link": "floor"}, "base_link: no frame 'panda_floor'"),
    ],
)
def test_a_wrong_entry_is_named(tmp_path, change, message):
    entries = yaml.safe_load((_HERE / "panda.yaml").read_text())
    (tmp_path / "panda.urdf").write_text((_HERE / "panda.urdf").read_text())
    (tmp_path / "arm.yaml").write_text(yaml.safe_dump(entries | change))
    with pytest.raises(RobotError, match=message):
        load_robot(tmp_path / "arm.yaml")


def test_a_missing_entry_is_named(tmp_path):
    entries = yaml.safe_load((_HERE / "panda.yaml").read_text())
    (tmp_path / "panda.urdf").write_text((_HERE / "panda.urdf").read_text())
    del entries["joints"]
    (tmp_path / "arm.yaml").write_text(yaml.safe_dump(entries))
    with pytest.raises(RobotError, match="entry 'joints' is missing"):
        load_robot(tmp_path / "arm.yaml")


@pytest.mark.parametrize("name", ["pandaa", "nowhere.yaml"])
def test_an_unknown_robot_says_what_there_is(name):
    with pytest.raises(
        RobotError, match=r"expected one of cassie, fr3, hrp4, panda|no file nowhere.yaml"
    ):
        load_robot(name)


def test_contact_axes_have_the_normal_as_z_and_are_right_handed():
    for normal in ([-1, 0, 0], [0, 0, 2], [0.3, -0.4, 0.5], [0, 0, -1]):
        R = contact_rotation(normal)
        np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-15)
        assert np.linalg.det(R) == pytest.approx(1.0)
        np.testing.assert_allclose(R[:, 2], np.array(normal) / np.linalg.norm(normal))


@pytest.mark.parametrize("normal", [[0, 0, 0], [np.nan, 0, 0], [1, 0], "up", None, [1, [0], 0]])
def test_a_useless_normal_is_refused(normal):
    with pytest.raises(RobotError, match="normal: expected three finite numbers"):
        contact_rotation(normal)


def test_inverse_kinematics_moves_the_tool_and_nothing_else(panda):
    dynamics, offset = ArmDynamics(panda), np.array([-0.1, 0.02, 0.03])
    q = inverse_kinematics(panda, panda.stance, offset)
    before, after = dynamics(panda.stance, np.zeros(7)), dynamics(q, np.zeros(7))
    np.testing.assert_allclose(after.position - before.position, offset, atol=1e-8)
    np.testing.assert_allclose(after.rotation, before.rotation, atol=1e-8)
    with pytest.raises(RobotError, match="no solution"):
        inverse_kinematics(panda, panda.stance, np.array([3.0, 0, 0]))


def test_a_joint_may_be_called_like_its_link(tmp_path):
    from other_arms import UR, write_arm

    robot = load_robot(write_arm(tmp_path, UR))
    names = [frame.name for frame in robot.model.frames]
    assert len(set(names)) == len(names) and {"tip", "tip_joint"} <= set(names)
    still = ArmDynamics(robot).state(robot.stance, np.zeros(robot.dof))
    assert still.at("tip").frame == "tip"
    assert load_robot(write_arm(tmp_path, UR), contact_frame="tip").contact_frame == "tip"
