# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`predict --object`: what arms do to an object that a file describes."""

import json
import re

import numpy as np
import pytest
from arms_and_box import FILE, QUESTION

from impact_cli.command_line import run
from impact_predictor.prediction.object_question import object_answers
from impact_robots import load_robot


@pytest.fixture
def ask(capsys, tmp_path):
    """Return status, output and complaint of a command about a file."""

    def call(text, *arguments):
        path = tmp_path / "grab.yaml"
        path.write_text(text)
        status = run(["predict", "--object", str(path), *arguments])
        return status, *capsys.readouterr()

    return call


def test_two_arms_and_a_box_are_what_the_library_says(ask):
    status, out, err = ask(FILE, "--json")
    assert (status, err) == (0, "")
    given = {(each["inertia"], each["map"]): each for each in json.loads(out)["object_maps"]}
    answers = object_answers(QUESTION, load_robot("panda"))
    assert len(given) == len(answers) == 6
    for answer in answers:
        found = given[answer.inertia, answer.kind]
        np.testing.assert_allclose(found["object_velocity_mps"], answer.result.body[:3])
        for name, dq in answer.result.joints.items():
            np.testing.assert_allclose(found["joint_velocity_after_radps"][name], dq)
            twist = answer.result.plates[name]
            plate = found["plates"][name]
            np.testing.assert_allclose(plate["angular_velocity_radps"], twist[3:])


def test_a_table_has_the_object_and_each_plate(ask):
    status, out, _ = ask(FILE, "--model", "M")
    assert status == 0
    (lifted,) = re.findall(r"M +locked +object +(\S+) +(\S+) +(\S+)", out)
    (answer,) = (
        each
        for each in object_answers(QUESTION, load_robot("panda"), ["M"])
        if each.kind == "locked"
    )
    np.testing.assert_allclose([float(each) for each in lifted], answer.result.body[:3], atol=6e-5)
    assert "M+B" not in out and "-0.0000" not in out


def test_the_pages_file_is_one(ask, project_root):
    page = (project_root / "doc" / "simultaneous_impacts.md").read_text()
    (shown,) = re.findall(r"```yaml\n(.*?)```", page, flags=re.DOTALL)
    assert ask(shown, "--json") == ask(FILE, "--json")


def test_a_box_on_a_table_stays_on_it(ask):
    """One arm pushes it; locked, the object moves along the table and does not turn."""
    push = """
    arms:
      arm:
        yaw: 0.0
        q: [0.4, 0.4904, 0.0958, -1.8512, -1.2484, 1.1998, -0.7298]
        dq: [-0.808, -0.8676, -0.4204, -1.386, -0.5427, 1.1092, 0.1522]
        half_extents: [0.05, 0.05]
        friction: 0.8
    object: {mass: 1.3, size: [0.26, 0.16, 0.2], position: [0.55, -0.03, 0.3], yaw: 0}
    stands_on: {friction: 0.3}
    """
    _, out, _ = ask(push, "--model", "M+B_theta", "--json")
    locked, points = json.loads(out)["object_maps"]
    assert locked["object_velocity_mps"][2] == pytest.approx(0.0, abs=1e-12)
    assert locked["object_velocity_mps"][1] < points["object_velocity_mps"][1] < -0.5


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("arms:", "robots:", "'robots': expected one of arms, object, stands_on as entry"),
        ("object: {mass: 1.3", "object: {mass: 0", "object.mass: expected a finite number above 0"),
        ("size: [0.26, 0.16", "size: [-0.26, 0.16", "size: expected 3 finite numbers above 0"),
        (
            "left: {base: [0.0, 0.45, 0.0]",
            "left: {base: [0.0, 0.45]",
            "arms.left.base: expected 3 finite numbers",
        ),
        ("right: {base", "right: {yaw: 9, base", "right.yaw: expected a finite number from -6"),
        ("right: {base", "right: {place", "arms.right.'place': expected one of q, dq, base"),
        ("left: {base", "object: {base", "plates: expected at least one, none called 'object'"),
    ],
)
def test_a_wrong_file_is_named_in_one_line(refused, tmp_path, old, new, message):
    assert old in FILE
    (tmp_path / "grab.yaml").write_text(FILE.replace(old, new, 1))
    assert message in refused("predict", "--object", tmp_path / "grab.yaml")
