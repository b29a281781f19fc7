# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`predict` and `sets` say what the library says, for any robot, and refuse bad input in a line."""

import json
import re

import numpy as np
import pytest
from tiny_robot import URDF
from walls import a_wall

from impact_predictor import RobotContact, named_inverse_inertia, predict, robot_sets
from impact_predictor.joint_load.materials import MATERIALS
from impact_predictor.prediction.predicted_load import predicted_load
from impact_predictor.sets.load_set import load_set
from impact_predictor.sets.robot_sets import RIGID_SETS
from impact_robots import ArmDynamics, Surface, contact_rotation

Q = "0.2,-0.01,0.56,-1.59,-1.76,2.57,-2.02"
CONTINUOUS = "".join(URDF.format(com="0 0 0.5", mass=2, i=0.1, kind="continuous", axis="0 1 0"))


@pytest.fixture
def wall():
    return contact_rotation([-1, 0, 0])


@pytest.fixture
def state(panda, wall):
    dynamics = ArmDynamics(panda)
    q = [float(value) for value in Q.split(",")]
    J = dynamics(q, np.zeros(7)).J
    return dynamics(q, np.linalg.pinv(J) @ np.append(wall @ [0, 0, -0.2], np.zeros(3)))


def document(impact, *arguments):
    status, out, err = impact(*arguments, "--json")
    assert (status, err) == (0, "")
    return json.loads(out)


def test_the_json_is_the_librarys_answer(impact, state, panda, wall):
    answer = document(impact, "predict", "--q", Q, "--speed", 0.2, "--friction", 0.3)
    for name in ("em", "gm", "crb", "flex"):
        mass = named_inverse_inertia(state, wall, name).effective_mass
        assert answer["models"][name]["effective_mass_kg"] == pytest.approx(mass)
        impulse = answer["models"][name]["compression_impulse_ns"]
        assert impulse == pytest.approx(0.2 * mass)
    for name in ("M", "M+B_theta", "M+B_rho"):
        expected = predict(state, a_wall(0.3), panda, inertia=name)
        told = answer["maps"][name]
        np.testing.assert_allclose(told["joint_velocity_after_radps"], expected.dq_after)
        assert np.all(np.array(told["joint_velocity_low_radps"]) <= expected.dq_after)
        assert np.all(np.array(told["joint_velocity_high_radps"]) >= expected.dq_after)
        assert told["contact_mode"] == expected.mode.name.lower()
    np.testing.assert_allclose(answer["contact_velocity_before_mps"], [0, 0, -0.2], atol=1e-12)


def test_joint_velocities_can_be_given(impact, state):
    dq = ",".join(map(repr, state.dq.tolist()))
    by_velocity = document(impact, "predict", "--q", Q, "--dq", dq, "--normal", "-1,0,0")
    by_speed = document(impact, "predict", "--q", Q, "--speed", 0.2)
    for name in by_speed["maps"]:
        np.testing.assert_allclose(
            by_velocity["maps"][name]["joint_velocity_after_radps"],
            by_speed["maps"][name]["joint_velocity_after_radps"],
            atol=1e-12,
        )


def test_a_single_model_is_shown_alone(impact):
    assert list(document(impact, "predict", "--model", "em")["models"]) == ["em"]
    only = document(impact, "predict", "--model", "M+B_rho")
    assert (list(only["models"]), list(only["maps"])) == ([], ["M+B_rho"])


def test_the_published_law_can_be_had(impact, state, panda):
    case = ["predict", "--q", Q, "--speed", 0.2, "--friction", 0.3, "--friction-law", "sliding"]
    told = document(impact, *case)["maps"]["M"]
    expected = predict(state, a_wall(0.3), panda, inertia="M", law="sliding")
    np.testing.assert_allclose(told["joint_velocity_after_radps"], expected.dq_after, atol=1e-9)
    assert "slip_undefined" in told["flags"]
    assert any("left friction out" in sentence for sentence in told["caveats"])


def test_the_tables_name_models_maps_joints_and_doubts(impact):
    status, out, _ = impact("predict", "--speed", 0.2, "--friction", "0.2,0.4")
    assert status == 0
    for text in ("crb", "flex", "M+B_theta", "panda_joint7", "friction 0.2 to 0.4", "e_a is 0.49"):
        assert text in out


def test_away_from_the_wall_nothing_happens(impact):
    answer = document(impact, "predict", "--speed", -0.2)
    for told in answer["maps"].values():
        np.testing.assert_allclose(
            told["joint_velocity_after_radps"], answer["joint_velocity_before_radps"]
        )
        assert told["contact_mode"] == "none"
    assert "velocity before 0.2" in impact("predict", "--speed", -0.2)[1]


def test_any_urdf_will_do(impact, tmp_path):
    """A pendulum: 2 kg at 0.5 m hits with its centre of mass; continuous joints have no limits."""
    file = tmp_path / "tiny.urdf"
    text = CONTINUOUS.replace('<link name="link">', '<link name="tip"/><link name="link">')
    text = text.replace(
        "</robot>",
        '<joint name="end" type="fixed"><parent link="link"/><child link="tip"/>'
        '<origin xyz="0 0 0.5"/></joint></robot>',
    )
    file.write_text(text)
    case = ("predict", "--urdf", file, "--contact", "tip", "--q", 0, "--dq", 1)
    answer = document(impact, *case, "--normal", "-1,0,0")
    inertia = 0.1 + 2 * 0.5**2
    assert answer["robot"] == "tiny"
    assert answer["models"]["gm"]["effective_mass_kg"] == pytest.approx(inertia / 0.5**2)
    assert answer["models"]["crb"]["effective_mass_kg"] == pytest.approx(2.0)
    assert list(answer["maps"]) == ["M"]  # a URDF says nothing about motors
    assert answer["maps"]["M"]["joint_velocity_after_radps"] == pytest.approx([0.0])
    with_motor = document(impact, *case, "--b-theta", 0.2)
    assert list(with_motor["maps"]) == ["M", "M+B_theta"]
    heavier = with_motor["maps"]["M+B_theta"]["normal_impulse_ns"]
    assert heavier == pytest.approx(0.5 * (inertia + 0.2) / 0.5**2)


def test_the_base_link_can_count(impact):
    moving = document(impact, "predict", "--q", Q, "--speed", 0.2)["models"]
    with_base = document(impact, "predict", "--q", Q, "--speed", 0.2, "--composite", "all")[
        "models"
    ]
    assert with_base["crb"]["effective_mass_kg"] > moving["crb"]["effective_mass_kg"]
    assert with_base["gm"] == moving["gm"]


def test_sets_are_the_librarys(impact, state, panda):
    case = ("--q", Q, "--speed", 0.2, "--friction", "0.1,0.279", "--restitution", "0,0.3")
    answer = document(impact, "sets", *case)
    assert tuple(answer["sets"]) == RIGID_SETS
    assert (answer["friction_low"], answer["friction"]) == (0.1, 0.279)
    assert "friction 0.1 to 0.279, restitution 0 to 0.3" in impact("sets", *case)[1]
    expected = robot_sets(state, a_wall(0.279, (0, 0.3)), panda)
    for each in expected:
        told = answer["sets"][each.name]
        np.testing.assert_allclose(told["vertices"], each.vertices, atol=1e-9)
        assert told["unit"] == each.unit


def test_a_material_sets_what_is_not_given(impact):
    steel = MATERIALS["steel"]
    told = document(impact, "predict", "--material", "steel")
    assert told["friction"] == list(steel.friction)
    assert told["restitution"] == list(steel.restitution)
    assert told["stiffness_npm"] == list(steel.stiffness())
    given = ("--friction", 0.3, "--stiffness", "2e4,inf")
    told = document(impact, "predict", "--material", "steel", *given)
    assert (told["friction"], told["stiffness_npm"]) == ([0.3, 0.3], [2e4, None])
    assert told["restitution"] == list(steel.restitution)


@pytest.mark.parametrize("joints", ["announced", "nominal"])
def test_loads_of_the_joints_are_the_librarys(impact, state, panda, joints):
    stiffness = (2e5, float("inf"))
    case = ("--q", Q, "--speed", 0.2, "--friction", 0.3, "--stiffness", "2e5,inf")
    told = document(impact, "predict", *case, "--joint-ranges", joints)
    surface = Surface(None, [-1, 0, 0], 0.3, stiffness=stiffness)
    expected = predicted_load([RobotContact(state, surface)], panda, joints=joints)
    assert told["stiffness_npm"] == [2e5, None]
    load = told["joint_load"]
    assert load["note"] == ""
    assert load["change_nm"] == pytest.approx(expected.change)
    assert load["change_low_nm"] == pytest.approx(expected.change_low)
    assert load["change_high_nm"] == pytest.approx(expected.change_high)
    assert load["torque_nm"] == pytest.approx(expected.torque)
    assert load["torque_low_nm"] == pytest.approx(expected.torque_low)
    assert load["torque_high_nm"] == pytest.approx(expected.torque_high)
    assert load["peak_time_s"] == pytest.approx(expected.time)
    published = told["maps"]["M+B_theta"]["impulsive_torque_nm"]
    text = impact("predict", *case, "--joint-ranges", joints)[1]
    (row,) = re.findall(r"^panda_joint6 .*$", text.split("load [N.m]")[1], re.MULTILINE)
    assert float(row.split()[1]) == pytest.approx(expected.change[5], abs=5e-4)
    assert float(row.split()[-1]) == pytest.approx(published[5], abs=5e-4)
    assert "stiffness of the surface 2e+05 N/m to rigid" in text


def test_a_robot_of_unknown_joints_has_no_loads(impact, tmp_path):
    (tmp_path / "tiny.urdf").write_text(CONTINUOUS)
    case = ("predict", "--urdf", tmp_path / "tiny.urdf", "--contact", "link", "--q", 0, "--dq", 1)
    told = document(impact, *case)["joint_load"]
    assert told["change_nm"] == told["torque_high_nm"] == [None]
    assert told["note"] == "joint load: robot tiny does not give 'joint_stiffness'"
    assert f"no joint loads: {told['note']}" in impact(*case)[1]


def test_without_a_material_friction_is_none_and_stiffness_any(impact):
    told = document(impact, "predict")
    assert told["friction"] == told["restitution"] == [0.0, 0.0]
    assert told["stiffness_npm"] == [1e4, None]  # no upper end


def test_the_set_of_a_flexible_arm_is_asked_for_by_name(impact, state, panda):
    case = ("--q", Q, "--speed", 0.2, "--friction", "0,0.3", "--stiffness", "1e5,1e6")
    answer = document(impact, "sets", *case, "--set", "load")
    surface = Surface(None, [-1, 0, 0], (0.0, 0.3), (0.0, 0.3), (1e5, 1e6))
    np.testing.assert_allclose(
        answer["sets"]["load"]["vertices"], load_set(state, surface, panda).vertices, atol=1e-9
    )
    assert answer["stiffness_npm"] == [1e5, 1e6]


def test_membership_decides_the_exit_status(impact, state, wall):
    case = ("sets", "--q", Q, "--speed", 0.2, "--friction", 0.279, "--set", "impulse")
    mass = named_inverse_inertia(state, wall).effective_mass
    status, out, _ = impact(*case, "--restitution", "0,0.3", "--contains", f"0,0,{0.22 * mass}")
    assert (status, "inside, " in out) == (0, True)
    status, out, _ = impact(*case, "--contains", f"0,0,{0.1 * mass}")
    assert (status, "no worse than announced" in out) == (0, True)
    status, out, _ = impact(*case, "--contains", f"0,0,{0.3 * mass}")
    assert (status, out.splitlines()[-1].startswith("outside by")) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["predict", "--q", "1,2"], 2, "--q: expected 7 finite numbers, got 2 (1,2)"),
        (["predict", "--q", "1,x"], 2, "expected numbers separated by commas, got '1,x'"),
        (["predict", "--normal", "-1,0"], 2, "--normal: expected 3 finite numbers, got 2 (-1,0)"),
        (["predict", "--normal", "0,0,0"], 2, "normal: expected three finite numbers, at least"),
        (["predict", "--friction", "1,2,3"], 2, "expected a number or low,high, got '1,2,3'"),
        (["predict", "--friction", "-1"], 2, "friction: expected a finite number, at least 0"),
        (["predict", "--friction", "0.4,0.2"], 2, "friction: expected low, high"),
        (["predict", "--restitution", "2"], 2, "restitution: expected"),
        (["predict", "--stiffness", "0,1e5"], 2, "stiffness: expected low, high with 0 < low"),
        (["plan", "--stiffness", "inf"], 2, "expected finite numbers from -1e+09"),
        (["sets", "--stiffness", "inf,inf"], 2, "expected finite numbers from -1e+09"),
        (["predict", "--stiffness", "2e5,1e5"], 2, "stiffness: expected low, high with 0 < low"),
        (["predict", "--material", "jelly"], 2, "invalid choice: 'jelly'"),
        (["sets", "--friction", "0.4,0.2"], 2, "friction: expected low, high"),
        (["plan", "--friction", "0.4,0.2"], 2, "friction: expected low, high"),
        (
            ["predict", "--robot", "x"],
            2,
            "robot: expected one of cassie, fr3, hrp4, panda, panda_plate or a YAML file",
        ),
        (["predict", "--urdf", "no.urdf"], 2, "no URDF file no.urdf"),
        (["predict", "--contact", "toe"], 2, "contact frame: expected one of panda_link0"),
        (["predict", "--model", "x"], 2, "--model: expected one of all, em, gm, crb, flex, M"),
        (["predict", "--dq", "0,0,0,0,0,0,0", "--speed", "1"], 2, "expected --dq or --speed"),
        (["predict", "--inertia-margin", "2"], 2, "inertia_margin: expected a number from 0"),
        (["sets", "--speed", "-1"], 1, "normal velocity: expected below 0 (approach), got 1"),
        (["sets", "--friction", "9", "--speed", "0.1"], 1, "for a bounded set of impulses, got"),
        (["sets", "--set", "x"], 2, "set: expected one of compression_impulse, impulse"),
        (["sets", "--contains", "1,2,3"], 2, "--contains: expected one --set, got 0"),
        (["sets", "--set", "impulse", "--contains", "1"], 2, "impulse: expected finite numbers"),
    ],
)
def test_bad_input_gets_one_line(arguments, status, message, refused):
    assert message in refused(*arguments, status=status)
