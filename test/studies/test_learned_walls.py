# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The study of learned walls: what is drawn, what is promised of it, how it goes on."""

import json

import numpy as np
import pytest

from impact_cli.command_line import run as impact
from impact_robots.exceptions import UsageError
from studies.joint_loads.load_poses import draw_poses
from studies.learned_walls import learn_report, learn_study
from studies.learned_walls.learn_run import HITS, RUN_UP, LearnRun, LearnTask, run_task
from studies.learned_walls.learn_truth import (
    BEFORE_EXCHANGE,
    EXCHANGED_BY,
    KINDS,
    STIFFNESS,
    draw_truth,
)
from studies.row import DIFFERS, REPRODUCED
from studies.study_folder import StudyFolder

NAMES = [kind.name for kind in KINDS]


def of(name):
    return KINDS[NAMES.index(name)]


def invented(task):
    """A run in which all went well: .3, .6, .92, .93, .94 of the speed of perfect knowledge."""
    kind = KINDS[task.kind]
    shares, loads = (0.3, 0.6, 0.92, 0.93, 0.94), [0.3, 0.6, 0.9, 0.92, 0.93]
    changed = [False] * HITS
    if kind.exchanged:
        loads[BEFORE_EXCHANGE], changed[BEFORE_EXCHANGE] = 3.5, True
    return LearnRun(
        task.key,
        kind.name,
        1e5,
        0.3,
        0.2,
        tuple(0.2 * share for share in shares),
        tuple(0.2 * share for share in shares),
        (0.2,) * HITS,
        (0.7,) * HITS,
        tuple(loads),
        tuple(0.5 * load for load in loads),
        tuple(changed),
        (0.6,) * HITS,
        (True,) * HITS,
        4,
        4,
        20,
        21,
    )


@pytest.fixture
def quick(monkeypatch):
    """No simulation; the keys of what was run."""
    ran = []

    def run_one(task):
        ran.append(task.key)
        return invented(task)

    monkeypatch.setattr(learn_study, "run_task", run_one)
    return ran


def run_study(folder, *, truths=5, resume=False, progress=lambda *_: None):
    with StudyFolder(folder, learn_study.STUDY, LearnRun, 0, resume=resume) as finished:
        return learn_study.run(truths, 0, 1, progress, finished)


def rows_of(found):
    return {row.id: row for row in learn_report.table(found).rows}


def test_truths_are_what_their_case_says(panda):
    truths = {name: draw_truth(panda, of(name), (0, 1)) for name in NAMES}
    for name, truth in truths.items():
        box, inside = truth.box, truth.figures
        assert (box.low - 1e-12 <= inside).all() and (inside <= box.high + 1e-12).all(), name
        assert STIFFNESS[0] <= box.case(inside).stiffness <= STIFFNESS[1]
    assert truths["Hertz' law"].box.case(truths["Hertz' law"].figures).exponent == 1.5
    tilted = truths["normal 5 degrees off"]
    cosine = tilted.box.case(tilted.figures).rotation[:, 2] @ tilted.box.surface.normal
    assert np.degrees(np.arccos(cosine)) == pytest.approx(5.0)
    assert np.ptp(truths["links +-5 %"].masses) > 0.01
    assert (truths["one pose"].masses == 1.0).all()


def test_an_exchanged_wall_is_another_one_and_the_arm_the_same(panda):
    for number in range(5):
        truth = draw_truth(panda, of("wall exchanged"), (0, 7, number))
        before, after = (truth.of_hit(k) for k in (BEFORE_EXCHANGE - 1, BEFORE_EXCHANGE))
        assert abs(before[0] - after[0]) >= np.log(EXCHANGED_BY)
        np.testing.assert_array_equal(before[6:], after[6:])
    steady = draw_truth(panda, of("one pose"), (0, 0, 1))
    np.testing.assert_array_equal(steady.of_hit(0), steady.of_hit(HITS - 1))


def test_plants_are_the_truths(panda):
    (pose,) = draw_poses(panda, 1, 0, RUN_UP)
    for name in NAMES:
        truth = draw_truth(panda, of(name), (0, 1))
        approach = truth.approach(pose, RUN_UP)
        plant = truth.simulation(approach, 0.2, 0, (1, 2)).plant
        case = truth.box.case(truth.figures)
        assert plant.wall.law.force(1e-4, 0.0) / 1e-4 == pytest.approx(case.stiffness)
        np.testing.assert_allclose(plant.wall.surface.normal, case.rotation[:, 2])
        np.testing.assert_allclose(
            plant.robot.joint_stiffness, case.scale[0] * panda.joint_stiffness
        )
        mass = plant.robot.model.inertias[3].mass / panda.model.inertias[3].mass
        assert mass == pytest.approx(truth.masses[2])
        angle = np.arccos(approach.contact.normal @ approach.surface.normal)
        assert np.degrees(angle) == pytest.approx(20.0 if "oblique" in name else 0.0, abs=1e-5)


def test_what_goes_well_is_reproduced(quick, tmp_path):
    found = run_study(tmp_path / "out")
    rows = rows_of(found)
    assert list(rows) == ["W1", "W2", "W3", "W4", "W5", "W6"]
    assert {row.verdict for row in rows.values()} == {REPRODUCED}
    assert rows["W1"].figures["truths"] == 5 + 5
    assert rows["W1"].figures["highest_load"] == 0.93  # without that of the exchanged wall
    assert rows["W5"].figures["highest_load_at_exchange"] == 3.5
    assert rows["W3"].figures["speed_share"] == pytest.approx(0.94)


@pytest.mark.parametrize(
    ("row", "change"),
    [
        ("W1", {"change": (0.3, 0.6, 1.01, 0.9, 0.9)}),
        ("W3", {"speed": (0.06, 0.12, 0.16, 0.16, 0.16)}),
        ("W4", {"speed": (0.06, 0.12, 0.184, 0.19, 0.05)}),
        ("W5", {"changed": (False,) * HITS}),
        ("W6", {"wall_covered": 1}),
    ],
)
def test_what_does_not_differs(quick, tmp_path, row, change):
    found = run_study(tmp_path / "out")
    found = found._replace(runs=[run._replace(**change) for run in found.runs])
    assert rows_of(found)[row].verdict == DIFFERS


def test_what_was_stopped_goes_on_where_it_was(quick, tmp_path):
    whole = run_study(tmp_path / "whole")
    count = len(quick)
    quick.clear()

    def stop(share, note):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_study(tmp_path / "out", progress=stop)
    assert len(quick) == 1
    assert run_study(tmp_path / "out", resume=True) == whole
    assert len(quick) == len(set(quick)) == count == 5 + 7
    more = run_study(tmp_path / "out", truths=10, resume=True)
    assert {run.key for run in whole.runs} < {run.key for run in more.runs}
    with pytest.raises(UsageError, match="holds a study"):
        run_study(tmp_path / "out")


def test_the_command_prints_one_document(quick, tmp_path, capsys):
    out = ["--truths=5", "--jobs=1", "--out", str(tmp_path / "out")]
    assert impact(["reproduce", "learn", *out, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    (table,) = document["tables"]
    cases = {entry["case"]: entry for entry in table["studies"]["learn_cases"]}
    assert list(cases) == NAMES
    first = cases["one pose"]
    assert (first["truths"], first["over_limit"]) == (5, 0)
    assert first["speed_share"][2] == {"hit": 3, "median": 0.92, "percentile_5": 0.92}
    for key in ("truths", "over_limit", "speed_share", "highest_load"):
        assert document[key] == {name: entry[key] for name, entry in cases.items()}
    assert document["truths"]["one pose"] == 5
    assert impact(["reproduce", "learn", *out, "--resume"]) == 0
    assert "W6" in (text := capsys.readouterr().out) and "0.92/0.92" in text


@pytest.mark.slow
def test_drawn_walls_are_learned_and_none_is_hit_too_fast():
    """Of each case one: 40 s."""
    runs = [run_task(LearnTask(kind, 0, 0)) for kind in range(len(KINDS))]
    for run in runs:
        loads = list(run.loads)
        if run.kind == "wall exchanged":
            assert run.changed[BEFORE_EXCHANGE]
            del loads[BEFORE_EXCHANGE]
        assert np.nanmax(loads) <= 1.0, run.key
        assert run.shares[-1] > 1.3 * run.shares[0]
    assert np.median([run.shares[2] for run in runs]) > 0.4
    assert np.median([run.shares[-1] for run in runs]) > 0.7
