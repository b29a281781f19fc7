# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`impact export`: files that MuJoCo loads, whole or not at all, and one line for what is wrong."""

import json
from functools import partial

import mujoco
import pytest
from tiny_robot import tiny_robot

NAMES = ["controllers.yaml", "robot.urdf", "scene.xml"]

TOOL = """
tool:
  head: {position: [0, 0, 0.12], mass: [0.27, 0.33]}
  handle: {stiffness: [2.1e4, 3.9e4], damping_ratio: [0.02, 0.2]}
target: {nail: {resistance: [200, 400], stiffness: [1e6, 1e7]}}
"""
AT = "0.2147,0.0538,-0.2143,-2.3784,0.0175,2.4309,0"


@pytest.fixture
def export(impact):
    """A function that runs the command and returns status, output and error output."""
    return partial(impact, "export")


@pytest.mark.parametrize("flexible", [False, True])
def test_a_scenario_becomes_files_that_mujoco_loads(export, tmp_path, flexible):
    out = tmp_path / "new" / "wall"
    options = ["--flexible"] if flexible else []
    status, printed, error = export(
        "mjcf", "--scenario", "qp_panda_demo", "--out", out, "--json", *options
    )
    assert (status, error) == (0, "")
    answer = json.loads(printed)
    assert sorted(answer["files"]) == NAMES == sorted(path.name for path in out.iterdir())
    assert (answer["robot"], answer["flexible"]) == ("panda", flexible)
    model = mujoco.MjModel.from_xml_path(str(out / "scene.xml"))
    assert (model.nv, model.nu, model.npair) == (14 if flexible else 7, 7, 1)
    assert str(out / "scene.xml") in (out / "robot.urdf").read_text()
    armature = [model.joint(model.actuator(i).trnid[0]).armature[0] for i in range(7)]
    assert answer["motor_inertia_kgm2"] == pytest.approx(armature)


def test_a_scenario_of_ones_own_is_exported_by_its_file(export, tmp_path):
    (tmp_path / "mine.yaml").write_text("{like: qp_panda_demo, friction: 0.1}")
    out = str(tmp_path / "out")
    status, printed, _ = export(
        "mjcf", "--scenario", str(tmp_path / "mine.yaml"), "--out", out, "--json"
    )
    assert status == 0 and json.loads(printed)["scenario"] == "mine"


def test_without_a_scenario_there_is_no_wall(export, tmp_path):
    tiny_robot(tmp_path)
    out = tmp_path / "tiny"
    status, printed, _ = export(
        "mjcf", "--robot", tmp_path / "tiny.yaml", "--no-torque-loop", "--out", out
    )
    assert status == 0 and "tiny: rigid joints, motor inertia B_rho; no wall" in printed
    model = mujoco.MjModel.from_xml_path(str(out / "scene.xml"))
    assert model.npair == 0 and model.joint("joint").armature[0] == 0.6
    assert "wall" not in (out / "controllers.yaml").read_text()
    assert "force.z" in (out / "controllers.yaml").read_text(), "its joint slides"


def test_the_wall_is_as_its_law_at_the_speed_that_is_given(export, tmp_path):
    damping = []
    for speed in ("0.1", "0.5"):
        out = tmp_path / speed
        export("mjcf", "--scenario", "qp_panda_demo", "--speed", speed, "--out", out)
        model = mujoco.MjModel.from_xml_path(str(out / "scene.xml"))
        damping.append(-model.pair_solref[0, 1])
    assert damping[1] > 2 * damping[0], "a viscoelastic wall returns less of a faster hit"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["isaac"], "invalid choice: 'isaac'"),
        (["gazebo"], "export gazebo: expected --scenario"),
        (["gazebo", "--scenario", "qp_panda_demo", "--flexible"], "--flexible: expected"),
        (["gazebo", "--scenario", "qp_panda_demo", "--no-torque-loop"], "--no-torque-loop: "),
        (["mjcf", "--scenario", "nowhere"], "scenario: expected one of"),
        (["mjcf", "--scenario", "free_motion"], "expected a scenario with a wall"),
        (["mjcf", "--scenario", "rs_grab_safe"], "or a YAML like them, got 'rs_grab_safe'"),
        (["mjcf", "--scenario", "qp_panda_demo", "--speed", "0"], "--speed: expected a number > 0"),
        (["mjcf", "--speed", "0.1"], "--speed: expected --scenario as well"),
        (["mjcf", "--robot", "nobody"], "nobody"),
        (["mjcf", "--target", "tool.yaml"], "--target: expected --tool FILE beside it"),
        (["mjcf", "--q", "0"], "--q: expected --tool FILE beside it"),
        (["mjcf", "--tool", "tool.yaml", "--q", "0"], "--q: expected 7 finite numbers, got 1"),
        (["mjcf", "--tool", "tool.yaml", "--scenario", "qp_panda_demo"], "--scenario: not with"),
        (["mjcf", "--tool", "tool.yaml", "--scenario", "hammer_nail"], "--tool: not with hammer"),
        (["mjcf", "--tool", "none.yaml"], "none.yaml"),
        (["gazebo", "--scenario", "hammer_nail"], "scenario: expected one of"),
        (["gazebo", "--tool", "tool.yaml"], "--tool: expected the format mjcf"),
        (["mjcf", "--robot", "tiny.yaml", "--scenario", "qp_panda_demo"], "got 1"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path, monkeypatch, arguments, line, refused):
    tiny_robot(tmp_path)
    (tmp_path / "tool.yaml").write_text(TOOL)
    monkeypatch.chdir(tmp_path)
    assert line in refused("export", *arguments, "--out", "out")
    assert not (tmp_path / "out").exists()


def test_gazebo_gets_a_world_and_an_arm_without_motors(export, tmp_path):
    out = tmp_path / "gazebo"
    status, printed, error = export("gazebo", "--scenario", "qp_panda_demo", "--out", out, "--json")
    assert (status, error) == (0, "")
    answer = json.loads(printed)
    assert sorted(answer["files"]) == sorted(path.name for path in out.iterdir())
    assert answer["motor_inertia_kgm2"] == [0.0] * 7
    assert answer["driver_compensates_gravity"]


def test_a_folder_with_files_is_left_alone(export, tmp_path, refused):
    (tmp_path / "mine").write_text("mine")
    assert "has files in it" in refused("export", "mjcf", "--out", tmp_path)
    assert "expected a folder" in refused("export", "mjcf", "--out", tmp_path / "mine")
    status, _, error = export("mjcf", "--out", tmp_path / "mine" / "below")
    assert status in (1, 2) and error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize("flexible", [False, True])
def test_a_hammer_and_a_nail_slide_in_mujoco(export, tmp_path, flexible):
    (tmp_path / "tool.yaml").write_text(TOOL)
    options = ["--flexible"] if flexible else []
    out = tmp_path / "nail"
    status, printed, error = export(
        *("mjcf", "--tool", tmp_path / "tool.yaml", "--q", AT, "--out", out, "--json", *options)
    )
    assert (status, error) == (0, "")
    answer = json.loads(printed)
    assert answer["tool"]["handle_stiffness_npm"] == pytest.approx(3e4)
    assert answer["target"]["nail"]["resistance"] == 300.0
    model = mujoco.MjModel.from_xml_path(str(out / "scene.xml"))
    assert (model.nv, model.nu, model.npair) == (16 if flexible else 9, 7, 1)
    assert model.joint("strike_handle").stiffness[0] == pytest.approx(3e4)
    assert model.dof_frictionloss[model.joint("nail").dofadr[0]] == 300.0
    assert "strike_handle" not in (out / "controllers.yaml").read_text()


def test_the_scenario_of_the_nail_is_exported_as_it_truly_is(export, tmp_path):
    out = tmp_path / "nail"
    status, printed, _ = export("mjcf", "--scenario", "hammer_nail", "--flexible", "--out", out)
    assert status == 0 and "head 0.31 kg, on 48000 N/m; nail of 200 N, 3e+06 N/m" in printed
    model = mujoco.MjModel.from_xml_path(str(out / "scene.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    below = data.geom("tip").xpos - data.geom("wall").xpos
    assert below[2] == pytest.approx(0.1 + 0.005 + 0.001, abs=1e-4) and abs(below[:2]).max() < 1e-4


def test_a_target_that_stops_is_a_wall(export, tmp_path):
    (tmp_path / "tool.yaml").write_text(TOOL.replace("nail: {resistance: [200, 400],", "wall: {"))
    out = tmp_path / "stop"
    arguments = ("--tool", tmp_path / "tool.yaml", "--q", AT, "--speed", "0.5", "--out", out)
    status, printed, _ = export("mjcf", *arguments)
    assert status == 0 and "on 30000 N/m; stop of" in printed
    assert mujoco.MjModel.from_xml_path(str(out / "scene.xml")).nv == 8
