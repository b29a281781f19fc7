# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The study of velocity fields: what is displaced, a trial by both modes, what is noticed."""

import json

import numpy as np
import pytest

from impact_cli.command_line import run as impact
from impact_sim.cell.spreading_file import load_spreading, spreading_names
from studies.fields import field_report, field_study
from studies.fields.field_study import DISTANCES, SIDES, FieldTrial
from studies.row import DIFFERS, REPRODUCED


def made(name, side, distance, seed):
    """A trial in which fields have .8 of the peak, and all else alike."""
    kind, peak = load_spreading(name).kind, 1.0 + 20.0 * distance
    grab = kind == "grab"
    less = 0.8 if distance else 1.0
    return FieldTrial(
        f"{name} {side} {distance:g} {seed}",
        *(name, kind, side, distance),
        peak=[peak, less * peak],
        net=[0.2, 0.2],
        success=[True, True],
        slip=[0.004, 0.004] if grab else [np.nan, np.nan],
        end=[0.01, 0.01],
    )


@pytest.fixture(scope="module")
def found():
    return [
        made(name, side, distance, 0)
        for name in spreading_names()
        for side in SIDES[load_spreading(name).kind]
        for distance in DISTANCES
    ]


def verdicts(found):
    return {row.id: row.verdict for row in field_report.table(found).rows}


def test_a_nearer_box_is_nearer_and_a_grabbed_one_comes_to_either_arm():
    push = load_spreading("rs_push_catfood_case1")
    way = push.direction(0)
    for side, sign in (("near", -1.0), ("far", 1.0)):
        there = field_study.displaced("rs_push_catfood_case1", side, 0.05)
        moved = np.array(there.box_offset) - np.array(push.box_offset)
        np.testing.assert_allclose(moved, sign * 0.05 * way, atol=1e-12)
        assert there.pedestal_half is None and there.variation == {}
    grab = load_spreading("rs_grab_catfood_case1")
    for arm, side in enumerate(SIDES["grab"]):
        there = field_study.displaced("rs_grab_catfood_case1", side, 0.02)
        moved = np.array(there.box_offset) - np.array(grab.box_offset)
        assert moved @ grab.direction(arm) == pytest.approx(-0.02)  # towards that arm


def test_a_trial_by_both_modes():
    trial = field_study.field_trial("rs_push_juice_case1", "near", 0.05, 0)
    assert trial.success == [True, True] and np.isnan(trial.slip).all()
    assert trial.peak[1] < 0.6 * trial.peak[0] and trial.net[1] < trial.net[0]
    assert max(trial.end) < 0.05


def test_medians_are_by_kind_side_and_distance(found):
    table = field_report.table(found)
    peaks = table.summary["peak_over_rs"]
    assert set(peaks) == {"push", "grab"}
    assert peaks["push"]["near"] == pytest.approx({"0": 1.0, "0.02": 0.8, "0.05": 0.8})
    assert table.summary["success"]["rs"]["grab"]["left"]["0.05"] == 1.0
    assert set(verdicts(found).values()) == {REPRODUCED}


def test_what_is_worse_is_noticed(found):
    worse = {
        "F1": [e._replace(peak=[1.0, 1.2]) if not e.distance else e for e in found],
        "F2": [e._replace(peak=[1.0, 0.95]) if e.distance == 0.02 else e for e in found],
        "F3": [found[0]._replace(success=[True, False]), *found[1:]],
        "F4": [e._replace(end=[0.01, 0.0112]) for e in found],
    }
    for row, trials in worse.items():
        own = verdicts(trials)
        assert own.pop(row) == DIFFERS
        assert set(own.values()) == {REPRODUCED}


def test_the_command_keeps_what_is_finished(tmp_path, capsys, monkeypatch):
    names = ("rs_push_juice_case1", "rs_grab_juice_case1")
    monkeypatch.setattr(field_study, "spreading_names", lambda: names)
    monkeypatch.setattr(field_study, "field_trial", made)
    out = ["reproduce", "fields", "--jobs=1", "--json", f"--out={tmp_path / 'o'}"]
    assert impact([*out, "--trials=1"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["peak_over_rs"]["grab"]["right"]["0.02"] == pytest.approx(0.8)
    assert impact([*out, "--trials=2", "--resume"]) == 0
    cases = json.loads(capsys.readouterr().out)["tables"][0]["studies"]["field_cases"]
    assert len(cases) == len(names) * len(DISTANCES)
    assert all(each["n"] == 4 for each in cases)
