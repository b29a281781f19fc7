# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`plan --scenario`: how fast the arms of a push or a grab may hit their box."""

import json

import pytest
import yaml

pytest.importorskip("mujoco")

from impact_cli.command_line import run

GRAB = ["plan", "--scenario", "rs_grab_catfood_case1"]
PUSH = ["plan", "--scenario", "rs_push_catfood_case2", "--impact-limits", "robust"]


def told(capsys, arguments, status=0):
    assert run(arguments) == status
    return capsys.readouterr().out


def test_a_grab_in_a_table_and_in_json(capsys, tmp_path):
    path = tmp_path / "grab.yaml"
    document = json.loads(told(capsys, [*GRAB, "--json", "--yaml", str(path)]))
    assert document["impact_limits"] == "joint_load"  # as without a box, by default
    assert list(document["arms"]) == ["left", "right"]
    bounds = [each["alone"]["speed_bound_mps"] for each in document["arms"].values()]
    bounds += [document[each]["speed_bound_mps"] for each in ("together", "delayed")]
    assert document["speed_bound_mps"] == pytest.approx(min(bounds), rel=1e-3)
    assert document["scale"] == pytest.approx(document["speed_bound_mps"] / 0.35, rel=1e-3)
    late = document["delayed"]
    assert bounds[-1] < 0.95 * min(bounds[:-1])  # the worst delay decides
    assert late["late"] == "right" and 0.002 < late["delay_s"] < 0.004
    for arm in document["arms"].values():
        assert abs(arm["velocity_bound_mps"][1]) == pytest.approx(arm["speed_bound_mps"], rel=1e-3)
        assert abs(arm["velocity_after_mps"]["locked"][1]) < 0.01  # both push against each other
    assert document["limit"].endswith("joint6 torque range")
    found = yaml.safe_load(path.read_text())
    assert {key: found[key] for key in document} == document
    text = told(capsys, GRAB)
    assert f"highest safe speed {document['speed_bound_mps']:.4f} m/s" in text
    assert "the task is too fast" in text and "both at once" in text
    assert f"right {1e3 * late['delay_s']:.1f} ms late" in text


def test_a_file_and_what_is_known_of_the_box(capsys, tmp_path):
    file = tmp_path / "mine.yaml"
    like = "like: rs_push_catfood_case2\n"
    file.write_text(f"{like}box_mass: 0.6\n")
    light = json.loads(told(capsys, ["plan", "--scenario", str(file), *PUSH[3:], "--json"]))
    assert light["object_mass_kg"] == pytest.approx([0.6, 0.78])
    file.write_text(f"{like}ranges: {{mass: [1.3, 1.3]}}\n")
    heavy = json.loads(told(capsys, ["plan", "--scenario", str(file), *PUSH[3:], "--json"]))
    assert heavy["object_mass_kg"] == [1.3, 1.3]
    assert heavy["speed_bound_mps"] < light["speed_bound_mps"]
    rough = json.loads(told(capsys, [*PUSH, "--friction", "1.2", "--json"]))
    assert rough["speed_bound_mps"] < heavy["speed_bound_mps"]


def test_no_speed_is_safe_at_a_box_that_comes_too_fast(capsys):
    out = told(capsys, [*PUSH, "--object-velocity=0,1,0"], status=1)
    assert "highest safe speed 0.0000 m/s" in out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--q", "0,0,0,0,0,0,0"], "--q: not with a box"),
        (["--optimize"], "--optimize: not with a box"),
        (["--interface", "velocity"], "--interface: not with a box"),
        (["--impact-limits", "nominal"], "expected one of auto, joint_load, robust, got nominal"),
        (["--object-mass", "3,2"], "mass: expected low,high"),
        (["--object-velocity", "1,2"], "--object-velocity: expected three numbers, got 2"),
        (["--stiffness", "1e4,inf"], "stiffness: expected finite numbers"),
        (["--scenario", "iim_wall_cfg1"], "expected one of rs_push_catfood_case1"),
        (["--scenario", "nowhere.yaml"], "nowhere.yaml"),
    ],
)
def test_what_does_not_go_with_a_box_is_refused(refused, options, words):
    assert words in refused(*GRAB, *options)


def test_without_a_box_nothing_is_asked_of_one(refused):
    for option in ("--object-mass=1,2", "--object-velocity=0,0,0"):
        assert "with --task or --scenario" in refused("plan", option)
