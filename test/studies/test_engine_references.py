# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""References by each impact map: the page's figures, made again, and rows that can fail."""

import json

import pytest

from impact_cli.command_line import run as impact
from impact_predictor.multicontact.reference_maps import REFERENCE_MAPS
from impact_sim.cell.spreading_file import spreading_names
from studies.engines import reference_report, reference_trials
from studies.engines.reference_trials import MapTrial, map_trial
from studies.row import DIFFERS, REPRODUCED, ClaimTable

PUSH, GRAB = "rs_push_parcel_case1", "rs_grab_parcel_case1"
NET = {"locked": 0.2, "points": 0.3, "mujoco": 0.4}


@pytest.fixture(scope="module")
def document(project_root):
    return json.loads((project_root / "doc/results/references.json").read_text())


def trial(name, kind, object_map, **values):
    usual = MapTrial(name, kind, object_map, 0, 0.4, 0.0, 1.0, NET[object_map], True, float("nan"))
    return usual._replace(**values)


def trials():
    return [
        trial(name, kind, object_map)
        for name, kind in ((PUSH, "push"), (GRAB, "grab"))
        for object_map in REFERENCE_MAPS
    ]


def verdicts(found):
    table = reference_report.with_references(ClaimTable("engines", "title", ()), found)
    return {row.id: row.verdict for row in table.rows}


def test_the_page_has_every_scenario_by_every_map(document):
    found = [(each["scenario"], each["map"]) for each in document["references"]]
    assert found == [(name, kind) for name in spreading_names() for kind in REFERENCE_MAPS]


def test_a_row_of_the_page_is_what_the_trials_give(document):
    """The seeds that it is the mean of, again: 2 s."""
    (wanted,) = [
        each
        for each in document["references"]
        if (each["scenario"], each["map"]) == (PUSH, "mujoco")
    ]
    seeds = range(document["seed"], document["seed"] + wanted["n"])
    (found,) = [
        each
        for each in reference_report.means(
            [map_trial(PUSH, "mujoco", seed) for seed in seeds]
            + [trial(PUSH, "push", other) for other in ("locked", "points")]
        )
        if each["map"] == "mujoco"
    ]
    assert found["succeeded"] == wanted["succeeded"] and found["slip"] is wanted["slip"] is None
    for key in ("along", "up", "peak", "net"):
        assert found[key] == pytest.approx(wanted[key], rel=0.01, abs=1e-4), key


def test_the_rows_notice_worse_figures():
    assert set(verdicts(trials()).values()) == {REPRODUCED}
    worse = [
        each._replace(net=0.5) if each.kind == "push" and each.object_map == "points" else each
        for each in trials()
    ]
    assert verdicts(worse) == {"E6": DIFFERS, "E7": REPRODUCED}
    stopped = [each._replace(success=each.object_map != "locked") for each in trials()]
    assert verdicts(stopped) == {"E6": REPRODUCED, "E7": DIFFERS}
    not_usual = [each._replace(success=each.object_map != "mujoco") for each in trials()]
    assert verdicts(not_usual)["E7"] == REPRODUCED


def test_trials_add_the_rows_of_references(capsys, monkeypatch):
    pytest.importorskip("dartpy")
    calls = []

    def made(name, object_map, seed):
        calls.append((name, object_map, seed))
        return trial(name, name.split("_")[1], object_map, seed=seed)

    monkeypatch.setattr(reference_trials, "map_trial", made)
    command = ["reproduce", "engines", "--setups=1", "--trials=2", "--seed=3", "--jobs=1"]
    impact([*command, "--json"])
    answer = json.loads(capsys.readouterr().out)
    rows = {row["id"]: row["verdict"] for row in answer["tables"][0]["rows"]}
    assert rows["E6"] == rows["E7"] == REPRODUCED
    assert len(answer["references"]) == len(REFERENCE_MAPS) * len(spreading_names())
    assert len(calls) == 2 * len(answer["references"]) and {each[2] for each in calls} == {3, 4}
    assert answer["references"][0]["slip"] is None
    assert impact(["reproduce", "engines", "--setups=1", "--jobs=1", "--json"]) in (0, 1)
    assert "references" not in json.loads(capsys.readouterr().out)
