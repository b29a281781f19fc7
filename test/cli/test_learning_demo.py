# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`impact demo --scenario learn_wall`: a wall of which nothing is known is hit faster each time."""

import json
import sys

import pytest
import yaml

from impact_cli.command_line import run
from impact_cli.demo import learning_demo

KEYS = {
    *("safe_speed_mps", "asked_speed_mps", "reason", "contact_speed_mps", "speed_share"),
    *("load_over_limit", "true_restitution", "most_used_limit", "contradicted", "misfit", "wall"),
}


def shown(monkeypatch, folder, *options):
    """Run the demo with two hits; return status and document."""
    monkeypatch.setattr(learning_demo, "HITS", 2)
    status = run(["demo", "--scenario", "learn_wall", "--out", str(folder), *options])
    return status, json.loads((folder / "learn.json").read_text())


def check(status, document, folder):
    first, second = document["hits"]
    assert status == 0 and first.keys() >= KEYS
    assert first["reason"] == "start"
    assert max(each["load_over_limit"] for each in (first, second)) <= 1.0
    low, high = second["wall"]["stiffness"]
    assert 1e4 < low < high < 10.0 * low  # announced: 1e4 to 1e7
    assert (folder / "learn.png").read_bytes().startswith(b"\x89PNG")
    wall = yaml.safe_load((folder / "wall.yaml").read_text())
    assert wall["friction"][0] < document["truth"]["friction"] < wall["friction"][1]
    assert len(yaml.safe_load((folder / "joints.yaml").read_text())) == 3


def test_without_ros_it_is_shown_in_this_process(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "impact_bringup.experiments.experiment", None)
    status, document = shown(monkeypatch, tmp_path / "out")
    check(status, document, tmp_path / "out")
    out, err = capsys.readouterr()
    assert not document["over_dds"] and err.startswith("demo: no ROS 2 (")
    lines = out.splitlines()
    assert lines[0].lstrip().startswith("hit") and lines[3].endswith("the truth")
    assert "The first hit, at the unknown wall: " in out
    faster = [each["contact_speed_mps"] for each in document["hits"]]
    assert faster[1] > 1.3 * faster[0]


def test_with_ros_it_is_the_action_over_dds(monkeypatch, tmp_path, capfd):
    pytest.importorskip("rclpy")
    from impact_bags import BagReader

    status, document = shown(monkeypatch, tmp_path / "out", "--seed", "1", "--json")
    check(status, document, tmp_path / "out")
    out, err = capfd.readouterr()
    assert document["over_dds"] and err == "" and json.loads(out) == document
    with BagReader(tmp_path / "out" / "run" / "bag") as bag:
        assert bag.topics["/impact_detector/impact"].message_count == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--realtime"], "--realtime: not with learn_wall"),
        (["--view"], "--view: not with learn_wall"),
        (["--fci"], "--fci: not with learn_wall"),
        (["--arm", "arm.yaml"], "--arm: not with learn_wall"),
    ],
)
def test_options_that_would_do_nothing_are_refused(monkeypatch, tmp_path, options, said, refused):
    monkeypatch.chdir(tmp_path)
    assert said in refused("demo", "--scenario", "learn_wall", *options)
    assert not list(tmp_path.iterdir())


def test_a_learner_that_ends_before_is_told_in_one_line(monkeypatch, tmp_path, capfd):
    pytest.importorskip("rclpy")
    from impact_bringup.experiments import learning_experiment

    monkeypatch.setattr(learning_experiment, "CAP", 0.004)  # slower than a hit may be
    monkeypatch.setattr(learning_demo, "HITS", 2)
    status = run(["demo", "--scenario", "learn_wall", "--out", str(tmp_path / "out")])
    assert status == 1
    err = capfd.readouterr().err
    assert err.count("\n") == 1 and "learn_surface: expected a safe speed of 0.005 m/s" in err
