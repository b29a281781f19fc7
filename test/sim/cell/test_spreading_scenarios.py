# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Scenarios with a box: posed as the specification's are, and what is wrong with one is said."""

import numpy as np
import pytest
import yaml

from impact_robots import ArmDynamics, load_robot
from impact_sim.cell.spreading_file import load_spreading, spreading_names
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_sim.exceptions import ScenarioError
from impact_sim.scenario_choice import find_scenario, simulated_names
from impact_sim.scenarios import Scenario

OBJECTS = {"catfood": 1.3, "juice": 2.2, "parcel": 0.6}


@pytest.fixture(scope="module")
def source(project_root):
    return yaml.safe_load((project_root / "test" / "data" / "scenarios_rs.yaml").read_text())


@pytest.fixture(scope="module")
def robot():
    return load_robot("panda_plate")


def rows(entries, key):
    return np.atleast_2d(entries[key])


def test_the_names_are_the_specifications(source):
    cases = [
        f"rs_{kind}_{box}_case{k}"
        for kind in ("push", "grab")
        for box in OBJECTS
        for k in (1, 2, 3)
    ]
    assert set(spreading_names()) == {*cases, "rs_grab_catfood_late", "rs_grab_safe"}
    assert set(source) <= set(spreading_names()) < set(simulated_names())


def test_what_the_specification_gives_is_there(source):
    for name, theirs in source.items():
        ours = load_spreading(name)
        theirs = source.get(theirs.get("like"), {}) | theirs
        assert ours.box_mass == theirs["box_mass"] == OBJECTS[theirs["object"]]
        assert ours.object == theirs["object"] and ours.kind in name
        np.testing.assert_array_equal(ours.box_size, theirs["box_size"])
        np.testing.assert_array_equal(ours.q_impact, rows(theirs, "q_impact"))
        np.testing.assert_array_equal(ours.v_minus, rows(theirs, "v_minus"))
        assert ours.clamp_force == theirs.get("clamp_force", 40.0 if ours.kind == "grab" else 0.0)
        np.testing.assert_array_equal(ours.box_offset, theirs.get("box_offset", [0.0, 0.0, 0.0]))
        if "face_contact_point" in theirs:
            point = theirs["face_contact_point"]
            np.testing.assert_allclose(ours.contact_point(0), point, atol=1e-4)


def test_the_rules_pose_what_the_specification_gives(source, tmp_path):
    """Speeds and starts that are worked out are those given, within their four digits."""
    for name, theirs in source.items():
        if "q_impact" not in theirs:
            continue
        given = {"v_minus": rows(theirs, "v_minus").tolist(), "like": name}  # works out the rest
        (tmp_path / "again.yaml").write_text(yaml.safe_dump(given))
        ours = find_scenario(tmp_path / "again.yaml")
        np.testing.assert_allclose(ours.dq_impact, rows(theirs, "dq_impact"), atol=2e-4)
        np.testing.assert_allclose(ours.q_start, rows(theirs, "q_start"), atol=2e-4)


@pytest.mark.parametrize("name", spreading_names())
def test_plates_are_flat_on_the_box_and_move_without_turning(name, robot):
    scenario, dynamics = load_spreading(name), ArmDynamics(robot)
    half, centre = np.array(scenario.box_size) / 2.0, scenario.box_position
    assert centre[2] == pytest.approx(scenario.support_z + half[2])
    for arm, (q, dq) in enumerate(zip(scenario.q_impact, scenario.dq_impact, strict=True)):
        state, into = dynamics(q, dq), scenario.direction(arm)
        np.testing.assert_allclose(state.J @ dq, [*scenario.v_minus[arm], 0, 0, 0], atol=3e-4)
        np.testing.assert_allclose(state.rotation[:, 2], into, atol=2e-4)
        np.testing.assert_allclose(scenario.contact_point(arm), centre - half * into, atol=2e-4)
        assert np.all(np.abs(dq) < robot.limits.velocity)
        start = dynamics(scenario.q_start[arm], np.zeros(7))
        back = scenario.contact_point(arm) - np.array(scenario.bases[arm]) - start.position
        np.testing.assert_allclose(back, np.multiply(scenario.v_minus[arm], 0.3), atol=2e-4)
        np.testing.assert_allclose(start.rotation, state.rotation, atol=2e-4)


def test_cases_are_what_their_numbers_say():
    for box in OBJECTS:
        pushes = [load_spreading(f"rs_push_{box}_case{k}") for k in (1, 2, 3)]
        grabs = [load_spreading(f"rs_grab_{box}_case{k}") for k in (1, 2, 3)]
        assert [push.reference_speed for push in pushes] == pytest.approx([0.5, 0.7, 0.5])
        assert grabs[1].reference_speed == pytest.approx(1.5 * grabs[0].reference_speed)
        assert pushes[2].q_impact[0][0] != pytest.approx(pushes[0].q_impact[0][0], abs=0.1)
        assert grabs[2].q_impact[1][0] == pytest.approx(-grabs[2].q_impact[0][0])


def test_the_box_is_displaced_within_its_variation_and_by_its_offset(robot):
    scenario = load_spreading("rs_push_catfood_case2")
    drawn = np.array([scenario.drawn(seed) for seed in range(50)])
    assert np.all(drawn[:, [0, 2]] == 0.0) and np.abs(drawn[:, 1]).max() <= 0.01
    assert np.ptp(drawn[:, 1]) > 0.01
    np.testing.assert_array_equal(scenario.drawn(3), drawn[3])
    late = load_spreading("rs_grab_catfood_late")
    moved = np.array(late.layout(np.array([0.0, 1e-3, 0.0])).box.position)
    np.testing.assert_allclose(moved - late.box_position, [0.0, 4.5e-3, 0.0], atol=1e-12)


def test_a_file_differs_from_what_it_is_like(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(
        "like: rs_grab_catfood_case1\nbox_mass: 0.9\nbox_size: [0.2, 0.2, 0.3]\n"
        "motor_friction: {coulomb: 0.3, viscous: 0.1}\n"
    )
    mine = find_scenario(path)
    assert isinstance(mine, SpreadingScenario) and mine.name == "mine"
    title = "rs_grab_catfood_case1 with its own box_mass, box_size, motor_friction"
    assert (mine.title, mine.note) == (title, "")
    np.testing.assert_allclose(mine.box_position, [0.5, 0.0, 0.35], atol=1e-3)
    assert mine.contact_point(0)[1] == pytest.approx(0.1, abs=1e-3)
    layout = mine.layout()
    np.testing.assert_array_equal(layout.motor_friction.coulomb, np.full(7, 0.3))
    path.write_text("like: qp_panda_demo\nfriction: 0.4\n")
    assert isinstance(find_scenario(path), Scenario) and find_scenario(path).friction == 0.4
    assert find_scenario(path).title == "qp_panda_demo with its own friction"
    path.write_text("like: qp_panda_demo\ntitle: a wall of mine\n")
    assert find_scenario(path).title == "a wall of mine"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("like: rs_push_nothing", "like: expected one of qp_panda_demo, .*, got 'rs_push_nothing'"),
        ("like: rs_grab_safe\nbox_mas: 1", "expected entries of name, .*, got 'box_mas'"),
        (
            "like: rs_grab_safe\nbox_mass: heavy",
            "box_mass: expected a finite number above 0 .kg., got",
        ),
        ("like: rs_grab_safe\nbox_mass: -1", "finite number above 0 .kg., got -1"),
        ("like: rs_grab_safe\nbox_size: [1, 2]", r"box_size: expected 3 times a finite number"),
        ("like: rs_grab_safe\nv_minus: [[0, -1, 0]]", "v_minus: expected 2 rows of 3 numbers, one"),
        ("like: rs_grab_safe\nfirst_joint: [2.8, -2.8]", "mine.yaml: left: pose: "),
        (
            "like: rs_grab_safe\nrobot: kuka",
            "robot: expected one of cassie, fr3, hrp4, panda, panda_plate",
        ),
        ("like: rs_grab_safe\nmotor_friction: {dry: 1}", "motor_friction: expected coulomb and v"),
        (
            "like: rs_grab_safe\nvariation: {box: 1}",
            "variation: expected box: three numb",
        ),
        ("like: rs_grab_safe\nbox_offset: [.nan, 0, 0]", "box_offset: expected 3 times a finite"),
        ("box_size: [0.1, 0.1, 0.1]", "mine.yaml: entries missing: "),
        ("normal: [-1, 0, 0]", "mine.yaml: entries missing: title, note, q_impact"),
        ("like: rs_grab_safe\nv_minus: [[0, 1, 0], [0, -1, 0]]", "expected plates that move into"),
        (
            "like: rs_grab_safe\nplate_friction: -1",
            "friction: expected a finite number of at least 0",
        ),
        ("[1, 2]", "expected a mapping of entries, got list"),
        ("a: b: c", "mine.yaml: not YAML"),
    ],
)
def test_what_is_wrong_with_a_file_is_one_line(tmp_path, text, message):
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(ScenarioError, match=message) as caught:
        find_scenario(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["rs_push_nothing", "nowhere.yaml"])
def test_an_unknown_scenario_says_what_there_is(name):
    with pytest.raises(
        ScenarioError, match=r"or a YAML like them, got|no file nowhere.yaml: No such"
    ):
        find_scenario(name)
