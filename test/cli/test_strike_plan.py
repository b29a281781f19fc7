# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`plan --tool`: what is printed, written and refused."""

import json
from dataclasses import replace

import numpy as np
import pytest
import yaml

from impact_cli.command_line import run
from impact_cli.strikes import strike_command
from impact_cli.strikes.strike_report import NOT_MODELLED
from impact_predictor.strike import strike_plan
from impact_predictor.strike.strike_check import StrikeCheck

Q = "--q=0.2147,0.0538,-0.2143,-2.3784,0.0175,2.4309,0.0"
HAMMER = """
tool:
  head: {position: [0, 0, 0.12], axis: [0, 0, 1], mass: 0.3}
  handle: {stiffness: 3e4, damping_ratio: 0.1}
  adapter: {mass: 0.1, position: [0, 0, 0.03]}
  off_centre: 0.005
"""
NAIL = "target: {nail: {resistance: [200, 1500], stiffness: [1e6, 1e7], depth: 0.03}}\n"


@pytest.fixture
def files(tmp_path):
    """Write tool and target; return the options that name them."""

    def write(target, tool=HAMMER):
        (tmp_path / "hammer.yaml").write_text(tool)
        (tmp_path / "nail.yaml").write_text(target)
        return ["--tool", str(tmp_path / "hammer.yaml"), "--target", str(tmp_path / "nail.yaml")]

    return write


@pytest.fixture
def said(capsys):
    """Return status, output and error of `plan`."""

    def call(*arguments):
        status = run(["plan", *arguments])
        return status, *capsys.readouterr()

    return call


def test_a_strike_is_printed_with_all_that_it_does(said, files, tmp_path):
    options = [*files(NAIL), Q]
    out = tmp_path / "strike.yaml"
    status, text, _ = said(*options, "--yaml", str(out))
    assert status == 0
    for line in (
        "highest safe speed 0.",
        "limited by panda_joint6 torque range",
        "20% in reserve",
    ):
        assert line in text
    for line in ("impulse", "work on the nail", "peak force", "deflection of the handle"):
        assert f"  {line} " in text
    for line in ("strikes to 30 mm", "this nail will not move", "a miss (stop)", "worst case:"):
        assert line in text
    assert all(each in text for each in NOT_MODELLED)
    written = yaml.safe_load(out.read_text())
    assert 0.3 < written["speed_bound_mps"] < 0.9
    assert written["joint_names"][0] == "panda_joint1"


def test_the_document_has_ranges_and_the_critical_case(said, files, tmp_path):
    options = files(NAIL)
    both = tmp_path / "both.yaml"
    both.write_text(HAMMER + NAIL)
    found = json.loads(said(*options, Q, "--json")[1])
    assert json.loads(said("--tool", str(both), Q, "--json")[1]) == found
    assert found["speed_mps"] == found["speed_bound_mps"] < 0.8 * found["load_speed_mps"] + 1e-9
    for key in ("impulse_ns", "work_j", "peak_force_n", "depth_m", "handle_deflection_m"):
        low, high = found[key]
        assert 0.0 <= low <= high
    assert found["joint"] == 6 and {"stop", "nail"} & set(found["critical_case"])
    assert found["strikes"]["high"] is None and found["strikes"]["low"] > 3
    assert found["miss"]["load_over_limit"] < 1.0
    assert found["direction"] == pytest.approx([0.0, 0.0, -1.0], abs=1e-3)
    simulated = found["simulation"]
    assert simulated["cases"] >= 4 and simulated["joint"] == found["joint"]
    assert simulated["load_over_limit"] == pytest.approx(found["check"]["load_over_limit"], rel=0.1)
    assert 0.4 < simulated["velocity_over_limit"] < 2.0


def test_what_exceeds_a_limit_in_the_full_simulation_is_not_safe(said, files, monkeypatch):
    """As fast as joint velocities allow: the model of the search is told that it is fine."""
    monkeypatch.setattr(strike_plan, "RESERVE", -0.5)
    monkeypatch.setattr(
        strike_plan,
        "check_strike",
        lambda loads, target, worst, *_: StrikeCheck(1, 0.5, worst.case),
    )
    status, text, _ = said(*files(NAIL), Q)
    assert status == 1 and "NOT SAFE: full simulation" in text


def test_a_joint_that_is_too_fast_after_the_contact_is_named(said, files):
    """Without errors of the hit the arm may strike twice as fast, and the wrist flies."""
    nominal = HAMMER.replace("  off_centre: 0.005\n", "")
    status, text, _ = said(*files(NAIL, nominal), Q, "--joint-ranges", "nominal")
    assert status == 0
    assert "after the contact joint 6 reaches " in text


def test_motors_that_are_not_commanded_by_torques_are_not_simulated(
    said, files, monkeypatch, panda
):
    servo = replace(panda, servo_stiffness=np.full(7, 1e4), servo_damping=np.full(7, 100.0))
    monkeypatch.setattr(strike_command, "read_robot", lambda arguments: servo)
    _, text, _ = said(*files(NAIL), Q, "--interface", "velocity")
    assert "verified by the flexible-joint model" in text
    assert "not checked in a full simulation: the simulated motors" in text


def test_the_best_pose_is_found_and_verified(said, files):
    club = "tool: {head: {position: [0, 0, 0.12], mass: 0.3}}\n"
    wall = "target: {wall: {stiffness: 1e5, restitution: 0.3}, friction: 0, cone: 0.1}\n"
    status, text, bar = said(*files(wall, club), Q, "--optimize", "--joint-ranges", "nominal")
    assert status == 0 and "best pose" in bar
    for line in ("  best of ", "    --q ", "verified by the flexible-joint model"):
        assert line in text
    q = text.split("--q ")[1].splitlines()[0]
    again = json.loads(
        said(*files(wall, club), f"--q={q}", "--joint-ranges", "nominal", "--json")[1]
    )
    assert f"{again['speed_mps']:.2f}" in text and again["check"]["load_over_limit"] < 1.0


def test_an_impulse_is_delivered_gently_or_refused(said, files):
    wall = "target: {{wall: {{stiffness: [1e5, 1e6], restitution: [0.1, 0.6]}}, deliver: {}}}\n"
    status, text, _ = said(*files(wall.format("{impulse: 0.5}")), Q)
    assert status == 0 and "gentlest strike that delivers 0.5 N.s in every case" in text
    status, text, _ = said(*files(wall.format("{impulse: 50}")), Q)
    assert status == 1 and "no safe strike delivers 50 N.s in every case" in text


@pytest.mark.parametrize(
    ("more", "line"),
    [
        (["--friction", "0.2"], "--friction: not with --tool"),
        (["--person", "chest"], "--person: not with --tool"),
        (["--q", "1,2"], "--q: expected 7 finite numbers"),
        (["--tool", "no.yaml"], "no file no.yaml"),
        (["--q=0,9,0,-137,0,146,0"], "got 9, -137, 146; is it in degrees?"),
        (["--task", "rs_push_catfood_case2"], "--task: expected an arm that hits a surface"),
    ],
)
def test_what_does_not_go_with_a_tool_is_refused_in_one_line(said, files, more, line):
    status, out, error = said(*files(NAIL), *more)
    assert (status, out) == (2, "")
    assert line in error and error.count("\n") == 1


def test_a_target_alone_is_no_strike(said, files):
    status, _, error = said(*files(NAIL)[2:])
    assert status == 2 and "--target: expected --tool FILE beside it" in error


def test_robots_of_unknown_joints_are_refused(said, files):
    status, _, error = said(*files(NAIL), "--robot", "hrp4")
    assert status == 2 and error.count("\n") == 1
