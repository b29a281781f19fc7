# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`impact learn`: a table, a document and a picture of hits that get faster and stay safe."""

import json

import pytest
import yaml

from impact_analysis.learning.learned_scenario import LearnedScenario
from impact_cli.command_line import run
from impact_predictor.learning.learned_file import with_wall
from impact_sim.scenarios import load_scenario


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """Two hits of a wall of which nothing is announced: 3 s."""
    folder = tmp_path_factory.mktemp("learn") / "out"
    status = run(["learn", "--wall-unknown", "--hits", "2", "--out", str(folder)])
    return status, folder, json.loads((folder / "learn.json").read_text())


def test_hits_get_faster_and_keep_every_limit(learned):
    status, _, document = learned
    first, second = document["hits"]
    assert status == 0
    assert first["reason"] == "start"
    assert 1.3 * first["contact_speed_mps"] < second["contact_speed_mps"]
    assert max(hit["load_over_limit"] for hit in document["hits"]) <= 1.0
    assert second["contact_speed_mps"] < document["truth"]["best_speed_mps"]
    assert second["speed_share"] == pytest.approx(
        second["contact_speed_mps"] / document["truth"]["best_speed_mps"]
    )


def test_what_is_known_closes_around_the_truth(learned):
    document = learned[2]
    truth, known = document["truth"], [hit["wall"] for hit in document["hits"]]
    assert truth["stiffness_npm"] == pytest.approx(1.2e5)
    for wall in known:
        low, high = wall["stiffness"]
        assert 0.5 * low < truth["stiffness_npm"] < 2.0 * high < 60.0 * low
        assert wall["friction"][0] < truth["friction"] < wall["friction"][1]
    low, high = known[0]["stiffness"]  # the second's restitution is lower: as of another law
    assert low < truth["stiffness_npm"] < high
    assert all(hit["joint_interval_over_range"] < 1.0 for hit in document["hits"])


def test_the_folder_holds_picture_and_ranges_that_can_be_read_back(learned):
    folder = learned[1]
    assert (folder / "learn.png").read_bytes().startswith(b"\x89PNG")
    box = LearnedScenario(load_scenario("qp_panda_demo"), wall_unknown=True).box
    text = (folder / "wall.yaml").read_text()
    assert with_wall(box, text).low[0] > box.low[0]
    assert set(yaml.safe_load((folder / "joints.yaml").read_text())) == {
        "joint_stiffness_range",
        "joint_damping_range",
        "motor_inertia_range",
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--scenario", "nope"], "expected one of"),
        (["--scenario", "rs_grab_catfood_late"], "expected one of qp_panda_demo"),
        (["--scenario", "free_motion"], "hits a viscoelastic wall along its normal"),
        (["--scenario", "flex_exp_type1"], "hits a viscoelastic wall along its normal"),
        (["--scenario", "nowhere.yaml"], "no file"),
        (["--hits", "0"], "--hits"),
        (["--seed", "x"], "--seed"),
    ],
)
def test_wrong_wishes_get_one_line(refused, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    assert said in refused("learn", *arguments)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_there_is_kept(refused, tmp_path):
    assert "--out: expected a new folder" in refused("learn", "--out", tmp_path, status=1)
