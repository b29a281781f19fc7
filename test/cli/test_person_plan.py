# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`plan --person` and `touch --plan`: vectors of the specification, warnings, refusals."""

import json

import pytest
import yaml

from impact_cli.command_line import run
from impact_predictor.people.cautions import ALWAYS, COASTS, FROM_MEMORY, PUSHES_ON
from impact_robots.description.loader import robot_texts

COASTING = "control: {kind: coasting}\n"
SERVO = "control: {kind: servo, position_gain: 30.0, velocity_gain: 200.0}\n"
REACTION = "reaction: {force: 5.0, filter_time: 0.01, delay: 0.008, brake: 2.0, period: 0.004}\n"
CASE = {  # the first of list A of the specification's people_vectors.json
    "q": [0.2, -0.01, 0.56, -1.59, -1.76, 2.57, -2.02],
    "u": [1.0, 0.0, 0.0],
    "point": "tool",
    "region": "chest",
    "clamped": False,
    "pad_N_per_mm": 0,
    "control": {"mode": None},
}


@pytest.fixture
def said(capsys):
    """Return status, output and error of a command."""

    def call(*arguments):
        status = run([str(each) for each in arguments])
        return status, *capsys.readouterr()

    return call


@pytest.fixture
def task(tmp_path):
    """Write a task of contact with people; return its path."""

    def write(text):
        path = tmp_path / "near.yaml"
        path.write_text(text)
        return path

    return write


@pytest.fixture
def vectors(shared_data):
    path = shared_data / "derived" / "people_vectors.json"
    if not path.exists():
        pytest.skip("needs ../shared/data/derived/people_vectors.json")
    return path


def test_the_specifications_speeds_towards_people(said, vectors):
    answers = json.loads(said("plan", "--person", "--case", vectors, "--json")[1])
    cases = json.loads(vectors.read_text())["A"]
    for case, answer in zip(cases, answers, strict=True):
        assert answer["phase"] == case["phase"]
        for key in ("v_max", "v_iso", "v_formula_Btheta", "t_first_peak_ms", "m_Brho"):
            assert answer[key] == pytest.approx(case[key], rel=case["tol_rel"]), key
        assert answer["joint_load_mps"] > 0.0


def test_the_specifications_touches(said, vectors):
    answers = json.loads(said("touch", "--plan", "--case", vectors, "--json")[1])
    cases = json.loads(vectors.read_text())["C"]
    for case, answer in zip(cases, answers, strict=True):
        for key in ("ceiling_N", "v_for_20N_ceiling"):
            assert answer[key] == pytest.approx(case[key], rel=case["tol_ceiling"]), key
        assert answer["peak_sim_N"] == pytest.approx(case["peak_sim_N"], rel=case["tol_sim"])
        assert answer["trig_s"] == pytest.approx(case["trig_s"], abs=1e-6)


@pytest.mark.parametrize("form", ["entry", "list"])
def test_a_case_comes_back_in_the_form_of_its_file(said, tmp_path, form):
    path = tmp_path / "case.json"
    path.write_text(json.dumps(CASE if form == "entry" else [CASE]))
    found = json.loads(said("plan", "--person", "--case", path, "--json")[1])
    answer = found if form == "entry" else found[0]
    assert CASE.items() <= answer.items()
    assert answer["v_max"] == pytest.approx(0.9496, rel=0.03)


def test_every_warning_is_printed_and_in_the_document(said):
    text = said("plan", "--person", "chest")[1]
    found = json.loads(said("plan", "--person", "chest", "--json")[1])
    for warning in (*ALWAYS, FROM_MEMORY, COASTS):
        assert warning in text and warning in found["warnings"]
    assert [each["point"] for each in found["points"]] == ["tool", "elbow"]
    assert all(
        each["speed_mps"] == min(filter(None, each["caps_mps"].values()))
        for each in found["points"]
    )


def test_ten_percent_of_the_simulated_speed_stay_in_reserve(said, task):
    path = task(COASTING + "points: [elbow]\n")
    (elbow,) = json.loads(said("plan", "--person", "chest", "--task", path, "--json")[1])["points"]
    assert elbow["caps_mps"]["person, transient"] == pytest.approx(0.9 * elbow["v_max"])


def test_the_cap_of_the_task_file_counts(said, task):
    text = said("plan", "--person", "chest", "--task", task("cap: 0.05\n"))[1]
    assert text.count("at most 0.050 m/s, limited by cap") == 2


def test_an_arm_that_pushes_on_is_warned_of_and_slower_than_one_that_reacts(said, task):
    with_clamp = "points: [tool]\nclamped: true\n" + SERVO
    on = json.loads(said("plan", "--person", "hand", "--task", task(with_clamp), "--json")[1])
    path = task(with_clamp + REACTION)
    reacts = json.loads(said("plan", "--person", "hand", "--task", path, "--json")[1])
    assert PUSHES_ON in on["warnings"] and PUSHES_ON not in reacts["warnings"]
    assert on["points"][0]["v_max"] < reacts["points"][0]["v_max"]


def test_a_table_of_ones_own_is_not_from_memory(said, task, tmp_path):
    (tmp_path / "mine.yaml").write_text("shin: {stiffness: 6e4, mass: 70.0, force: 100.0}\n")
    text = said("plan", "--person", "shin", "--task", task("regions: mine.yaml\n"))[1]
    assert "permissible 200 N up to 0.5 s, 100 N held" in text
    assert FROM_MEMORY not in text


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("plan", "--person", "face"), "face: no contact with head or face"),
        (("plan", "--person", "neck"), "expected neck,accepted"),
        (("plan", "--person", "foot"), "expected one of neck, back, chest"),
        (("plan", "--person"), "--person: expected one of"),
        (("plan", "--person", "--case", "no.json"), "no file no.json"),
        (("touch", "--plan"), "expected a file with the arm's reaction"),
        (("plan", "--person", "chest", "--q", "1,2"), "--q: expected 7 finite numbers"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_one_line(arguments, line, refused):
    assert line in refused(*arguments)


@pytest.mark.parametrize(
    ("case", "line"),
    [
        ({}, "no 'region'"),
        ({**CASE, "region": "skull"}, "skull"),
        ({**CASE, "u": [0, 0, 0]}, "direction"),
        ({**CASE, "control": {"mode": "impedance", "Kp": [1.0] * 7}}, "no 'Dp'"),
        ({**CASE, "control": {"mode": "impedance", "Kp": [1.0], "Dp": [1.0]}}, "Kp"),
        ({**CASE, "q": [0.0]}, "q: expected"),
        ({**CASE, "pad_N_per_mm": "thick"}, "pad_N_per_mm"),
        ([], "expected an entry"),
    ],
)
def test_a_wrong_case_is_refused_in_one_line(tmp_path, case, line, refused):
    path = tmp_path / "case.json"
    path.write_text(json.dumps(case))
    assert line in refused("plan", "--person", "--case", path, "--json")


def test_a_touch_is_planned_below_its_force(said, task):
    path = task("direction: [1.0, 0.0, 0.0]\n" + SERVO + REACTION)
    found = json.loads(said("touch", "--plan", "--task", path, "--force", "20", "--json")[1])
    assert found["ceiling_N"] == pytest.approx(20.0, rel=1e-3)
    assert found["peak_sim_N"] < 20.0
    assert found["speed_mps"] < found["speed_simulated_mps"]
    status, _, error = said("touch", "--plan", "--task", path, "--force", "6")
    assert status == 2 and "expected a force above 6 N" in error


@pytest.mark.parametrize("command", [["plan", "--person", "chest"], ["touch"]])
@pytest.mark.parametrize("robot", ["cassie", "hrp4"])
def test_robots_that_are_no_arms_are_said_to_be_none(refused, command, robot):
    line = refused(*command, "--robot", robot)
    assert f"robot {robot}: {command[0]} needs a fixed base, a motor at every joint and no" in line


@pytest.mark.parametrize("command", [["plan", "--person", "chest"], ["touch"]])
def test_an_unknown_stance_is_said_to_be_missing(refused, command, tmp_path):
    text, urdf = robot_texts("panda")
    without = yaml.safe_load(text) | {"name": "arm", "urdf": "arm.urdf"}
    del without["stance"]
    (tmp_path / "arm.yaml").write_text(yaml.safe_dump(without))
    (tmp_path / "arm.urdf").write_text(urdf)
    line = refused(*command, "--robot", tmp_path / "arm.yaml")
    assert f"robot arm: entry 'stance' is missing: {command[0]} without --q needs it" in line
