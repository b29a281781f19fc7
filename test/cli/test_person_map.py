# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`map --person`: the same numbers as `plan --person`, at tool and elbow."""

import json

import pytest

from impact_cli.command_line import run
from impact_predictor.people.cautions import ALWAYS, FROM_MEMORY

SERVO = """clamped: true
control: {kind: servo, position_gain: 30, velocity_gain: 200}
reaction: {force: 5.0, filter_time: 0.01, delay: 0.008, brake: 2.0}
"""
PLACE = ("--point", "0.55,0,0.4", "--size", "0.2,0.2", "--grid", "2,1", "--jobs", "1")


@pytest.fixture
def task(tmp_path):
    path = tmp_path / "near.yaml"
    path.write_text(SERVO)
    return str(path)


def test_a_map_has_the_numbers_of_the_plan_at_its_configurations(task, capsys):
    person = ("--person", "hand", "--task", task, "--json")
    assert run(["map", *PLACE, *person]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["reached"] == 2 and found["impact_limits"] == "person"
    for column in range(2):
        q = ",".join(map(repr, found["q_rad"][0][column]))
        run(["plan", f"--q={q}", *person])
        points = json.loads(capsys.readouterr().out)["points"]
        assert [each["point"] for each in points] == ["tool", "elbow"]
        for each in points:
            speed = found["point_speeds_mps"][each["point"]][0][column]
            assert speed == pytest.approx(each["speed_mps"], rel=1e-4)  # halvings stop there
        slowest = min(points, key=lambda each: each["speed_mps"])
        assert found["speed_bound_mps"][0][column] == pytest.approx(slowest["speed_mps"], rel=1e-4)
        assert found["limit"][0][column] == f"{slowest['point']}: {slowest['limit']}"
    assert {*ALWAYS, FROM_MEMORY} <= set(found["warnings"])


def test_the_text_says_both_points_and_every_warning(task, capsys):
    command = ["map", *PLACE[:4], "--grid", "1,1", "--jobs", "1", "--person", "hand"]
    assert run([*command, "--task", task]) == 0
    text = capsys.readouterr().out
    assert "towards a person: hand, clamped" in text
    assert "\n  tool: " in text and "\n  elbow: " in text
    assert all(f"  {line}" in text.splitlines() for line in ALWAYS)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("--task", "near.yaml"), "--task: expected --person beside it"),
        (("--person", "face"), "no contact with head or face"),
        (("--person", "hand", "--task", "no.yaml"), "no file no.yaml"),
    ],
)
def test_wrong_usage_is_one_line(arguments, line, capsys):
    assert run(["map", *PLACE, *arguments]) == 2
    error = capsys.readouterr().err
    assert line in error and error.count("\n") == 1
