# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`impact export`: files that MuJoCo loads, whole or not at all, and one line for what is wrong."""

import json
from functools import partial

import mujoco
import pytest
from tiny_robot import tiny_robot

NAMES = ["controllers.yaml", "robot.urdf", "scene.xml"]


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
        (["mjcf", "--robot", "tiny.yaml", "--scenario", "qp_panda_demo"], "got 1"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(export, tmp_path, monkeypatch, arguments, line):
    tiny_robot(tmp_path)
    monkeypatch.chdir(tmp_path)
    status, printed, error = export(*arguments, "--out", "out")
    assert (status, printed, error.count("\n")) == (2, "", 1)
    assert line in error
    assert not (tmp_path / "out").exists()


def test_gazebo_gets_a_world_and_an_arm_without_motors(export, tmp_path):
    out = tmp_path / "gazebo"
    status, printed, error = export("gazebo", "--scenario", "qp_panda_demo", "--out", out, "--json")
    assert (status, error) == (0, "")
    answer = json.loads(printed)
    assert sorted(answer["files"]) == sorted(path.name for path in out.iterdir())
    assert answer["motor_inertia_kgm2"] == [0.0] * 7
    assert answer["driver_compensates_gravity"]


def test_a_folder_with_files_is_left_alone(export, tmp_path):
    (tmp_path / "mine").write_text("mine")
    status, _, error = export("mjcf", "--out", tmp_path)
    assert (status, error.count("\n")) == (2, 1) and "has files in it" in error
    status, _, error = export("mjcf", "--out", tmp_path / "mine")
    assert (status, error.count("\n")) == (2, 1) and "expected a folder" in error
    status, _, error = export("mjcf", "--out", tmp_path / "mine" / "below")
    assert status in (1, 2) and error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
