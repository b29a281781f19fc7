# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`impact robot`: a URDF becomes a YAML that loads, with what is assumed marked as such."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import yaml
from other_arms import KUKA, UR, write_arm

from impact_robots import load_robot
from impact_robots.description.keys import BY_NAME, KEYS, needed_by
from impact_robots.description.loader import _HERE

GRIPPER = """
<link name="finger"><inertial><mass value="0.1"/>
<inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="grip" type="prismatic"><parent link="tip"/><child link="finger"/><axis xyz="1 0 0"/>
<limit lower="0" upper="0.04" velocity="0.2" effort="20"/></joint></robot>"""


@pytest.fixture
def robot(impact):
    """A function that runs the command and returns status, output and error output."""
    return partial(impact, "robot")


@pytest.fixture
def urdf(tmp_path):
    write_arm(tmp_path, UR)
    return tmp_path / "ur_class.urdf"


def test_a_urdf_alone_becomes_a_robot(robot, urdf, tmp_path):
    out = tmp_path / "elsewhere" / "ur.yaml"
    out.parent.mkdir()
    status, printed, error = robot(urdf, "--out", out)
    assert (status, error) == (0, "") and f"Written: {out}" in printed
    arm = load_robot(out)
    assert arm.joint_names == tuple(f"joint{i}" for i in range(1, 7))
    assert (arm.base_frame, arm.name) == ("link0", "ur_class")
    np.testing.assert_array_equal(arm.limits.torque, UR["torque"])
    np.testing.assert_array_equal(arm.limits.velocity, UR["velocity"])
    np.testing.assert_array_equal(arm.limits.position_upper, [UR["reach"]] * 6)
    motors = {"apparent_motor_inertia", "reflected_motor_inertia"}
    assert set(arm.assumed) == motors | {"velocity_noise", "torque_noise", "tool"}
    assert "torque_rate" in arm.missing
    assert "impact_qp needs: acceleration, jerk, torque_rate" in printed


def test_files_may_be_behind_links_and_have_any_characters(robot, urdf, tmp_path):
    """YAML has no pairs of surrogates, by which JSON escapes what lies beyond the basic plane."""
    for name in ("far/away/arms", "far/off/results"):
        (tmp_path / name).mkdir(parents=True)
    urdf.rename(tmp_path / "far" / "away" / "arms" / "arm\U0001f916.urdf")
    (tmp_path / "arms").symlink_to("far/away/arms")
    (tmp_path / "results").symlink_to("far/off/results")
    out = tmp_path / "results" / "arm.yaml"
    assert robot(tmp_path / "arms" / "arm\U0001f916.urdf", "--out", out)[0] == 0
    assert load_robot(out).dof == 6


def test_what_options_give_is_not_assumed(robot, urdf, tmp_path):
    out = tmp_path / "ur.yaml"
    given = [f"--b-theta={','.join(map(str, UR['apparent']))}", "--b-rho=1.5", "--torque-noise=0.5"]
    given += ["--velocity-noise=0.01", "--tool-mass=0.1", "--tool-radius=0.03"]
    given += ["--tool-com=0,0,0.05", "--contact-point=0,0,0.1", "--stance=0,-1.4,1.9,-0.5,-1.6,0.2"]
    given += ["--acceleration=10", "--jerk=5000", "--torque-rate=2000", "--impulsive-torque=150"]
    given += ["--joint-stiffness=1e4", "--joint-damping=15", "--driver-compensates-gravity=true"]
    status, printed, _ = robot(urdf, "--out", out, *given, "--json")
    document, arm = json.loads(printed), load_robot(out)
    assert (status, document["missing"], document["assumed"]) == (0, [], [])
    assert arm.assumed == () and arm.missing == ()
    np.testing.assert_array_equal(arm.apparent_motor_inertia, UR["apparent"])
    np.testing.assert_array_equal(arm.reflected_motor_inertia, [1.5] * 6)
    assert (arm.torque_noise, arm.velocity_noise) == (0.5, 0.01)
    assert document["contact_frame"] == "tool_contact" and document["missing_for"] == {}


def test_part_of_a_tool_leaves_the_tool_assumed(robot, urdf, tmp_path):
    status, printed, _ = robot(urdf, "--out", tmp_path / "ur.yaml", "--tool-mass=0.2", "--json")
    assert status == 0 and "tool" in json.loads(printed)["assumed"]
    tool = yaml.safe_load((tmp_path / "ur.yaml").read_text())["tool"]
    assert (tool["mass"], tool["parent"]) == (0.2, "tip")


def test_a_file_is_not_written_over_unless_told_to(robot, urdf, tmp_path, refused):
    out = tmp_path / "mine.yaml"
    out.write_text("mine\n")
    assert "to overwrite it: --force" in refused("robot", urdf, "--out", out)
    assert out.read_text() == "mine\n"
    assert robot(urdf, "--out", out, "--force")[0] == 0
    assert load_robot(out).name == "ur_class"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('<mass value="8.4"/>', '<mass value="0"/>', "moved by joint 'joint2': expected a mass"),
        ('<mass value="8.4"/>', '<mass value="8,4"/>', "<mass> value: expected a number"),
        ('type="revolute"', 'type="continuous"', "'joint1': expected revolute or prismatic"),
        ('lower="-6.28" upper="6.28"', 'lower="0" upper="0"', "less than position_upper"),
    ],
)
def test_what_no_arm_can_be_is_not_written(urdf, tmp_path, old, new, said, refused):
    text = urdf.read_text()
    assert old in text
    urdf.write_text(text.replace(old, new, 1))
    assert said in refused("robot", urdf, "--out", tmp_path / "new.yaml")
    assert not (tmp_path / "new.yaml").exists()


def test_an_effort_of_zero_is_unknown(robot, urdf, tmp_path):
    urdf.write_text(urdf.read_text().replace('effort="28"', 'effort="0"', 1))
    status, printed, _ = robot(urdf, "--out", tmp_path / "ur.yaml", "--json")
    document = json.loads(printed)
    assert status == 0 and "torque" in document["missing_for"]["impact_qp"]
    assert "apparent_motor_inertia" in document["missing"]  # it is assumed from efforts


def test_base_and_tip_choose_the_joints(robot, urdf, tmp_path):
    urdf.write_text(urdf.read_text().replace("</robot>", GRIPPER))
    out = tmp_path / "ur.yaml"
    status, printed, _ = robot(urdf, "--out", out, "--tip", "tip", "--json")
    assert status == 0 and len(json.loads(printed)["joints"]) == 6
    assert load_robot(out).contact_frame == "tool_contact"
    status, _, error = robot(urdf, "--out", out, "--force", "--tip", "hand")
    assert status == 2 and "--tip: expected a link of" in error and "finger" in error


def test_a_humanoid_gets_a_fixed_base_and_is_told(robot, tmp_path):
    out = tmp_path / "humanoid.yaml"
    status, printed, _ = robot(_HERE / "hrp4.urdf", "--out", out)
    assert status == 0
    assert "base: fixed, with 12 joints on other branches from base_link locked at" in printed
    assert yaml.safe_load(out.read_text())["base"] == "fixed"
    status, printed, _ = robot(_HERE / "panda.urdf", "--out", tmp_path / "arm.yaml")
    assert status == 0 and "base: fixed" not in printed


def test_only_keys_that_somebody_needs_are_noted(robot, urdf, tmp_path):
    out = tmp_path / "ur.yaml"
    robot(urdf, "--out", out)
    unknown = out.read_text().split("# Unknown; who needs one of them stops and says so.\n")[1]
    noted = [line[2:].split(":")[0] for line in unknown.splitlines()]
    assert {key for key in noted if not BY_NAME[key].needed_by} == {"stance"}
    assert set(load_robot(out).missing) & set(needed_by("impact_qp")) <= set(noted)


def test_a_yaml_behind_a_link_finds_its_urdf(robot, urdf, tmp_path):
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "deep" / "er")
    assert robot(urdf, "--out", tmp_path / "link" / "arm.yaml")[0] == 0
    assert load_robot(tmp_path / "deep" / "er" / "arm.yaml").dof == 6


def test_a_missing_folder_is_said_to_be_missing(urdf, tmp_path, refused):
    line = refused("robot", urdf, "--out", tmp_path / "no" / "arm.yaml")
    assert "--out: expected a file in a folder that exists, got" in line


def test_it_names_the_file_after_the_robot(robot, tmp_path, monkeypatch):
    write_arm(tmp_path, KUKA)
    (tmp_path / "kuka_class.yaml").unlink()
    monkeypatch.chdir(tmp_path)
    assert robot("kuka_class.urdf")[0] == 0
    assert load_robot(tmp_path / "kuka_class.yaml").dof == 7


def test_the_panda_s_urdf_gives_the_panda_s_joints_and_limits(robot, tmp_path):
    status, printed, _ = robot(Path(_HERE / "panda.urdf"), "--out", tmp_path / "p.yaml", "--json")
    panda, document = load_robot("panda"), json.loads(printed)
    assert status == 0 and document["joints"] == list(panda.joint_names)
    np.testing.assert_array_equal(document["torque_limit_nm"], panda.limits.torque)
    np.testing.assert_array_equal(document["velocity_limit_radps"], panda.limits.velocity)


def test_every_key_is_listed_with_who_needs_it(robot):
    status, printed, _ = robot("--keys", "--json")
    listed = {each["key"]: each for each in json.loads(printed)["keys"]}
    assert status == 0 and set(listed) == set(BY_NAME)
    assert [name for name in listed if listed[name]["mandatory"]] == ["name", "joints", "base_link"]
    assert {n for n in listed if "impact_qp" in listed[n]["needed_by"]} == set(
        needed_by("impact_qp")
    )
    text = robot("--keys")[1]
    assert all(key.what.replace("`", "") in text for key in KEYS)


def test_a_mass_is_one_number(refused, urdf, tmp_path):
    error = refused("robot", urdf, "--out", tmp_path / "ur.yaml", "--tool-mass=1,2")
    assert "--tool-mass: expected one number, got 2" in error


def test_without_a_urdf_it_says_what_it_expects(refused):
    assert "robot: expected a URDF, or --keys" in refused("robot")


MJCF = """<mujoco><default><joint armature="0.2" damping="0.3" frictionloss="1.1"/></default>
<asset><mesh name="mesh" file="not_there.obj"/></asset><worldbody><body name="arm">
<geom type="mesh" mesh="mesh"/>{joints}</body></worldbody></mujoco>"""


@pytest.fixture
def mjcf(tmp_path):
    """Write a MuJoCo model with the given joints, and return its path."""

    def write(joints):
        path = tmp_path / "arm.xml"
        path.write_text(MJCF.format(joints=joints))
        return path

    return write


def test_a_mujoco_model_gives_motor_inertia_and_friction(robot, urdf, mjcf, tmp_path):
    joints = [f'<joint name="joint{i}"/>' for i in range(5, 0, -1)]
    model = mjcf('<joint name="ur_joint6" armature="0.05" frictionloss="0.4"/>' + "".join(joints))
    out = tmp_path / "ur.yaml"
    status, _, error = robot(urdf, "--from-mjcf", model, "--out", out)
    assert (status, error) == (0, "")
    arm = load_robot(out)
    np.testing.assert_array_equal(arm.apparent_motor_inertia, [0.2] * 5 + [0.05])
    np.testing.assert_array_equal(arm.coulomb_friction, [1.1] * 5 + [0.4])
    np.testing.assert_array_equal(arm.viscous_friction, [0.3] * 6)
    assert "apparent_motor_inertia" not in arm.assumed
    assert "reflected_motor_inertia" in arm.assumed
    assert np.all(arm.reflected_motor_inertia >= arm.apparent_motor_inertia)

    robot(urdf, "--from-mjcf", model, "--b-theta=0.7", "--out", out, "--force")
    np.testing.assert_array_equal(load_robot(out).apparent_motor_inertia, [0.7] * 6)


@pytest.mark.parametrize(
    ("joints", "said"),
    [
        ('<joint name="other"/>', "expected one joint joint1, got other"),
        ('<joint name="a_joint1"/><joint name="b_joint1"/>', "got a_joint1, b_joint1"),
        ('<joint name="joint1" armature="x"/>', "not a MuJoCo model"),
    ],
)
def test_a_mujoco_model_of_another_arm_is_refused(urdf, mjcf, tmp_path, joints, said, refused):
    out = tmp_path / "ur.yaml"
    assert said in refused("robot", urdf, "--from-mjcf", mjcf(joints), "--out", out)
    assert not out.exists()


def test_an_exported_arm_is_read_back(robot, urdf, impact, tmp_path):
    entries = ["--b-theta=0.7,0.7,0.5,0.1,0.1,0.1", "--driver-compensates-gravity=true"]
    entries += ["--stance=0,-1.4,1.9,-0.5,-1.6,0.2"]
    first, again = tmp_path / "first.yaml", tmp_path / "again.yaml"
    robot(urdf, *entries, "--out", first)
    first.write_text(first.read_text() + "coulomb_friction: [1, 2, 3, 0, 5, 6]\n")
    status, _, error = impact("export", "mjcf", "--robot", first, "--out", tmp_path / "mjcf")
    assert (status, error) == (0, "")
    robot(urdf, "--from-mjcf", tmp_path / "mjcf" / "scene.xml", "--out", again)
    expected, arm = load_robot(first), load_robot(again)
    np.testing.assert_allclose(arm.apparent_motor_inertia, expected.apparent_motor_inertia)
    np.testing.assert_array_equal(arm.coulomb_friction, expected.coulomb_friction)
    assert arm.viscous_friction is None
