# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`impact demo --scenario hammer_nail`: a nail is driven in four ways, within every limit."""

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("mujoco")

from impact_bags import BagReader
from impact_cli.command_line import run as run_command
from impact_cli.demo import hammer_demo
from impact_trials.strikes import nail_run

PAGE = (Path(__file__).parents[2] / "doc" / "hitting_hardest.md").read_text()
PAGE_ROWS = re.findall(
    r"^\| `joint_load`, handle[^|]*\| (\d+) \| ([\d.]+) mm \| ([\d.]+)[^|]* \| ([\d.]+) \|",
    PAGE,
    re.M,
)
KEYS = {
    *("controller", "strikes", "depth_m", "measured_depth_m", "done", "highest_load", "problem"),
    *("q", "handle_stiffness_npm", "head_mass_kg", "nail_resistance_n"),
    *("depths_m", "speeds_mps", "loads"),
}


def shown(folder, *options):
    status = run_command(["demo", "--scenario", "hammer_nail", "--out", str(folder), *options])
    return status, json.loads((folder / "table.json").read_text())


def test_table_picture_and_recordings_of_a_few_strikes(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(hammer_demo, "CONTROLLERS", (hammer_demo.PUBLISHED,))
    monkeypatch.setattr(nail_run, "MOST_STRIKES", 2)
    status, document = shown(tmp_path / "out")
    out, _ = capsys.readouterr()
    assert status == 0 and document["scenario"] == "hammer_nail"
    (each,) = document["runs"]
    assert each.keys() == KEYS and each["strikes"] == len(each["depths_m"]) == 2
    assert 0.0 < each["depth_m"] == each["depths_m"][-1] < 1e-3
    assert each["highest_load"] == max(each["loads"]) <= 0.8
    assert not each["done"] and each["handle_stiffness_npm"] is None
    assert "published bound: 2 strikes" in " ".join(out.split()).lower()
    assert "nail driven [mm]" in out
    assert (tmp_path / "out" / "nail.png").read_bytes().startswith(b"\x89PNG")
    with BagReader(tmp_path / "out" / "published_bound" / "bag") as bag:
        assert bag.topics["/impact_qp/announcement"].message_count >= 4  # two a strike


@pytest.mark.slow  # some 75 strikes: minutes
@pytest.mark.timeout(900)
def test_a_handle_and_learning_take_a_third_of_the_strikes(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(hammer_demo, "CONTROLLERS", hammer_demo.CONTROLLERS[1:])
    monkeypatch.setattr(nail_run, "MOST_STRIKES", 42)
    status, document = shown(tmp_path / "out", "--json")
    out, _ = capsys.readouterr()
    assert status == 0 and json.loads(out) == document
    rigid, handle, learning = document["runs"]
    assert max(each["highest_load"] for each in document["runs"]) <= 1.0
    assert learning["done"] and learning["depth_m"] >= 0.03
    assert 3 * learning["strikes"] <= rigid["strikes"]
    assert handle["done"] and learning["strikes"] <= handle["strikes"]
    assert rigid["depth_m"] < 0.03
    announced, learned = handle["handle_stiffness_npm"], learning["handle_stiffness_npm"]
    assert announced[0] <= learned[0] < learned[1] <= announced[1]
    for each, row in zip((handle, learning), PAGE_ROWS, strict=True):
        strikes, depth, speed, load = map(float, row)  # a strike more or less: rounding adds up
        assert each["strikes"] == pytest.approx(strikes, abs=1)
        assert 1e3 * each["depth_m"] == pytest.approx(depth, abs=1.5)
        assert each["speeds_mps"][0] == pytest.approx(speed, rel=0.01)
        assert each["highest_load"] == pytest.approx(load, abs=0.02)
    assert learned[1] / learned[0] < 0.85 * announced[1] / announced[0]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--realtime"], "--realtime: not with hammer_nail"),
        (["--fci"], "--fci: not with hammer_nail"),
        (["--dry-run"], "--dry-run: not with hammer_nail"),
    ],
)
def test_options_that_would_do_nothing_are_refused(monkeypatch, tmp_path, options, said, refused):
    monkeypatch.chdir(tmp_path)
    assert said in refused("demo", "--scenario", "hammer_nail", *options)
    assert not list(tmp_path.iterdir())
