# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The arm and the wall for Gazebo: valid SDF, the robot's links alone, the wall where it is."""

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest
import yaml

from impact_qp.parameters import ControllerParameters
from impact_robots import ArmDynamics, load_robot
from impact_ros.parameters import from_values
from impact_sim import ScenarioError, load_scenario
from impact_sim.export.gazebo_files import WORLD, gazebo_files
from impact_sim.export.mjcf_files import CONTROLLERS, URDF

ROOT = Path(__file__).resolve().parents[2]
SPECIFICATIONS = "/usr/share/ignition"  # of Debian's tools


@pytest.fixture
def files(panda, scenario, tmp_path):
    found = gazebo_files(tmp_path, panda, scenario)
    for name, text in found.items():
        (tmp_path / name).write_text(text)
    return found


def sdf(*arguments):
    """Run the tool of SDF; skip where there is none."""
    if shutil.which("ign") is None or not (Path(SPECIFICATIONS) / "sdformat12.yaml").exists():
        pytest.skip("needs `ign sdf`: Debian 12's libsdformat-dev and ignition-tools")
    environment = os.environ | {"IGN_CONFIG_PATH": SPECIFICATIONS}
    command = ["ign", "sdf", *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True)


@pytest.mark.parametrize("name", [WORLD, URDF])
def test_files_are_valid(files, tmp_path, name):
    result = sdf("-k", tmp_path / name)
    assert result.stdout.strip() == "Valid."
    assert "Error [" not in result.stderr and "Warning [" not in result.stderr


def test_joints_rub_as_the_robots_do(panda, scenario, tmp_path):
    coulomb, viscous = np.linspace(0.2, 1.4, 7), np.linspace(0.1, 0.7, 7)
    robot = replace(panda, coulomb_friction=coulomb, viscous_friction=viscous)
    (tmp_path / URDF).write_text(gazebo_files(tmp_path, robot, scenario)[URDF])
    model = pin.buildModelFromUrdf(str(tmp_path / URDF))
    np.testing.assert_allclose(model.upperDryFrictionLimit, coulomb)
    np.testing.assert_allclose(model.damping, viscous)


def test_gazebo_sees_every_link_once_with_its_mass_and_the_tips_surface(files, panda, tmp_path):
    model = ElementTree.fromstring(sdf("-p", tmp_path / URDF).stdout).find("model")
    masses = [float(each.text) for each in model.iterfind("link/inertial/mass")]
    own = [inertia.mass for inertia in panda.model.inertias.tolist()[1:]]
    assert masses[-7:] == pytest.approx(own, rel=1e-5)
    weight = {each.findtext("gravity") for each in list(model.iterfind("link"))[-7:]}
    assert weight == {"false"}, "the driver bears it"
    (collision,) = model.iterfind("link/collision")
    assert float(collision.findtext("surface/friction/ode/mu")) == pytest.approx(0.279)
    assert float(collision.findtext("surface/bounce/restitution_coefficient")) == 1.0


def test_the_arm_is_that_of_the_robot_without_its_motors(files, panda):
    model = pin.buildModelFromXML(files[URDF])
    assert tuple(model.names)[1:] == panda.joint_names
    q = panda.stance + np.random.default_rng(3).uniform(-0.3, 0.3, 7)
    M = pin.crba(model, model.createData(), q)
    M = np.triu(M) + np.triu(M, 1).T
    np.testing.assert_allclose(M, ArmDynamics(panda)(q, np.zeros(7)).M, atol=1e-9)
    frame = model.getFrameId("panda_link7")
    tip = ElementTree.fromstring(files[URDF]).find("link/collision/origin").get("xyz")
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    place = data.oMf[frame].act(np.array(tip.split(), dtype=float))
    np.testing.assert_allclose(place, ArmDynamics(panda).position(q), atol=1e-9)


def test_the_walls_face_is_where_the_tip_touches(files, panda, scenario):
    model = ElementTree.fromstring(files[WORLD]).find("world/model")
    pose = np.array(model.findtext("pose").split(), dtype=float)
    size = np.array(model.findtext("link/collision/geometry/box/size").split(), dtype=float)
    surface = scenario.surface(panda)
    rotation = pin.rpy.rpyToMatrix(*pose[3:])
    np.testing.assert_allclose(rotation[:, 2], surface.normal, atol=1e-9)
    face = pose[:3] + rotation[:, 2] * size[2] / 2
    assert surface.gap(face) == pytest.approx(-1e-3), "the tip's radius behind the surface"
    bounce = model.findtext("link/collision/surface/bounce/restitution_coefficient")
    assert float(bounce) == pytest.approx(scenario.law.free_restitution(0.1))


def test_files_agree_about_their_names(files, panda, scenario, tmp_path):
    root, settings = ElementTree.fromstring(files[URDF]), yaml.safe_load(files[CONTROLLERS])
    control = root.find("ros2_control")
    starts = [float(each.text) for each in control.iterfind("joint/state_interface/param")]
    assert starts == pytest.approx(scenario.start(panda).tolist())
    assert root.findtext("gazebo/plugin/parameters") == str(tmp_path / CONTROLLERS)
    commanded = settings["/**/forward_command_controller"]["ros__parameters"]["joints"]
    assert [each.get("name") for each in control.iterfind("joint")] == commanded


def test_the_shipped_arm_differs_in_what_gazebo_lacks(panda, scenario):
    shipped = load_robot(ROOT / "config" / "panda_gazebo.yaml")
    assert shipped.apparent_motor_inertia.max() < 1e-5
    own = yaml.safe_load((ROOT / "impact_robots" / "panda.yaml").read_text())
    other = yaml.safe_load((ROOT / "config" / "panda_gazebo.yaml").read_text())
    different = {key for key in own | other if own.get(key) != other.get(key)}
    springs = {"joint_stiffness", "joint_damping", "joint_stiffness_range", "joint_damping_range"}
    assert different == {"urdf", "apparent_motor_inertia", "assumed", "flange_speed", *springs}
    values = scenario.controller_parameters(panda) | {"impact_limits": "auto"}
    plan = from_values(ControllerParameters, values).plan()
    assert plan.resolved(panda).impact_limits == "joint_load"
    assert plan.resolved(shipped).impact_limits == "robust", "it needs the springs"


def test_what_does_not_suit_is_refused(panda, scenario, tmp_path):
    with pytest.raises(ScenarioError, match="expected a scenario with a wall"):
        gazebo_files(tmp_path, panda, load_scenario("free_motion"))
    with pytest.raises(ScenarioError, match="expected an arm of 1 joints, got 7"):
        gazebo_files(tmp_path, panda, replace(scenario, q_impact=(0.0,)))


def test_a_base_that_is_called_world_is_there_once(scenario, tmp_path):
    urdf = tmp_path / "arm.urdf"
    shipped = (ROOT / "impact_robots" / "panda.urdf").read_text()
    urdf.write_text(shipped.replace("panda_link0", "world").replace("panda_", ""))
    own = (ROOT / "config" / "panda_gazebo.yaml").read_text()
    own = own.replace("base_link: link0", "base_link: world").replace(
        "joint_prefix: panda_", 'joint_prefix: ""'
    )
    (tmp_path / "arm.yaml").write_text(own)
    robot = load_robot(str(tmp_path / "arm.yaml"), urdf=str(urdf))
    root = ElementTree.fromstring(gazebo_files(tmp_path, robot, scenario)[URDF])
    links = [each.get("name") for each in root.iterfind("link")]
    assert links[0] == "world" and len(links) == len(set(links)) == 8
    first = root.find("joint")
    assert first.find("parent").get("link") == "world" and first.get("type") == "revolute"
