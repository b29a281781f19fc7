# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The study of joint loads: what the plant feels, what is promised of it, what is noticed."""

import json
import re

import numpy as np
import pytest

from impact_analysis.present.plain import plain
from impact_cli.command_line import run as impact
from impact_predictor.contact_force.restitution import exact_restitution
from impact_predictor.joint_load.load_case import scale_ends
from impact_robots import ArmDynamics
from studies.joint_loads import grab_loads, load_report, load_study
from studies.joint_loads.load_formula import scenario_impacts
from studies.joint_loads.load_poses import (
    MOST_GRAVITY,
    RUN_UP,
    draw_case,
    draw_poses,
    wall_at,
)
from studies.row import DIFFERS, REPRODUCED
from studies.study_folder import StudyFolder
from studies.wall_configurations import NORMAL, draw


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("load") / "study"


@pytest.fixture(scope="module")
def found(folder):
    """One pose, two impacts and two hits: 3 s."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(load_study, "HITS", 1)
        patch.setattr(load_study, "scenario_impacts", lambda robot: scenario_impacts(robot)[-1:])
        with StudyFolder(folder, load_study.STUDY, load_study.PoseResult, 3, resume=False) as done:
            return load_study.run(1, 3, 1, lambda *_: None, done)


def test_the_model_says_what_the_plant_feels_and_where(found):
    for impact_ in found.impacts:
        assert abs(impact_.error) < 0.03
        assert impact_.worst(impact_.model)[0] == impact_.joint


def test_hits_at_the_bound_keep_every_limit_and_the_worst_comes_near(found):
    for hit in (*found.hits, *found.worst_hits):
        assert hit.speed == pytest.approx(hit.bound, rel=0.02)
        assert hit.most <= 1.0
    assert all(hit.most > 0.95 for hit in found.worst_hits)
    for pose in found.poses:
        assert pose.hits[0].most < pose.worst.most


def test_who_knows_more_may_be_faster(found):
    for bounds in found.bounds:
        assert bounds.announced < bounds.known <= bounds.known_change
        assert bounds.known > bounds.robust


def test_the_published_formula_misses_the_joint_that_is_overloaded(found):
    """A hard wall of restitution .3 at the published robust bound of qp_panda_robust."""
    (said,) = found.scenarios
    assert said.scenario == "qp_panda_robust" and "joint2" in said.bound.name
    impact_ = said.impact
    joint, share = impact_.worst(impact_.measured)
    assert joint + 1 == 5 and share > 1.0
    assert impact_.worst(impact_.formula)[1] < 0.7
    assert impact_.worst(impact_.model) == (joint, pytest.approx(share, rel=0.02))


def test_poses_are_fit_for_a_run_up(panda):
    for pose in draw_poses(panda, 10, 0):
        start = ArmDynamics(panda)(pose.start, np.zeros(7))
        assert start.position == pytest.approx(pose.point.position + RUN_UP * NORMAL, abs=1e-6)
        assert np.all(np.abs(pose.point.g) < MOST_GRAVITY * panda.limits.torque_range)
    poses = [pose.point.q for pose in draw_poses(panda, 3, 0)]
    assert all(any(np.array_equal(q, each) for each in draw(panda, 30, 0)) for q in poses)


def test_a_case_is_inside_what_is_announced_and_the_wall_has_its_restitution(panda):
    random, ends = np.random.default_rng(0), scale_ends(panda.joint_ranges, 7)
    (pose,) = draw_poses(panda, 1, 0)
    for _ in range(50):
        case = draw_case(random, ends)
        assert 1e5 <= case.stiffness <= 1e7 and 0.0 <= case.friction <= 0.279
        assert np.all(ends[0] <= case.scale) and np.all(case.scale <= ends[1])
        wall = wall_at(pose, case, 0.2)
        assert exact_restitution(wall.law, 0.2) == pytest.approx(case.restitution, rel=1e-6)
        assert 0.02 <= case.restitution <= 0.3
    other = panda.with_joints(case.scale)
    assert other.joint_stiffness == pytest.approx(case.scale[0] * panda.joint_stiffness)
    assert other.reflected_motor_inertia == pytest.approx(
        case.scale[2] * panda.reflected_motor_inertia
    )


def test_what_is_kept_is_said_to_be_kept(found):
    assert [row.verdict for row in load_report.table(found).rows[:3]] == [REPRODUCED] * 3


def test_a_hit_above_a_limit_is_counted_and_one_that_never_came(found):
    (pose,) = found.poses
    over = pose.hits[0]._replace(used=np.array([1.01, *pose.hits[0].used[1:]]))
    changed = found._replace(poses=[pose._replace(hits=[over], worst=None)])
    row = load_report.table(changed).rows[1]
    assert row.verdict == DIFFERS
    assert row.figures["above"] == 1 and row.figures["missed"] == 1
    assert (row.figures["hits"], row.figures["worst_case_hits"]) == (1, 0)


def test_a_wrong_model_and_a_slow_bound_are_noticed(found):
    wrong = [
        pose._replace(
            impacts=[each._replace(model=1.1 * each.model) for each in pose.impacts],
            bounds=pose.bounds._replace(announced=pose.bounds.robust),
        )
        for pose in found.poses
    ]
    rows = {row.id: row for row in load_report.table(found._replace(poses=wrong)).rows}
    assert rows["L1"].verdict == rows["L6"].verdict == DIFFERS
    assert rows["L2"].verdict == REPRODUCED


def test_a_grab_at_the_planned_speed_keeps_the_limits_and_one_above_is_counted(found):
    """Both arms in contact, the second one some milliseconds later: 12 s, most of it the plan."""
    grabs = [grab_loads.drawn_grab(0, number) for number in (2, 8)]  # of one plan
    for grab in grabs:
        assert 0.5 < grab.used < 1.0
        assert 0.0 < grab.delay / grab.asked_delay < 1.0  # the box comes at the late arm
    row = load_report.table(found._replace(grabs=grabs)).rows[-1]
    assert (row.id, row.verdict, row.figures["above"]) == ("L7", REPRODUCED, 0)
    over = load_report.table(found._replace(grabs=[grabs[0]._replace(used=1.01)])).rows[-1]
    assert over.verdict == DIFFERS


def test_the_command_goes_on_and_prints_one_document(found, folder, capsys, monkeypatch):
    monkeypatch.setattr(load_study, "scenario_impacts", lambda robot: found.scenarios)
    monkeypatch.setattr(load_study, "study_pose", None)  # what is finished is not made again
    command = ["reproduce", "load", "--poses", "1", "--seed", "3", "--out", str(folder)]
    status = impact([*command, "--resume", "--json"])
    document = json.loads(capsys.readouterr().out)
    (table,) = document["tables"]
    assert table == json.loads(json.dumps(plain(load_report.table(found).as_json())))
    assert status == (1 if document["verdicts"]["differs"] else 0)
    assert [row["id"] for row in table["rows"]] == ["L1", "L2", "L3", "L4", "L5", "L6"]
    hits = table["studies"]["load_hits"]
    assert [hit["wall_and_joints"] for hit in hits] == ["drawn", "worst cases"]
    assert len(hits[0]["change_over_limit"]) == len(hits[0]["range_over_limit"]) == 7
    assert document["commit"] and document["seed"] == 3 and 0.5 < document["duration_s"] < 300
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", document["date"])
    impact([*command, "--resume"])
    text = capsys.readouterr().out
    assert "L6" in text and "qp_panda_robust" in text


def test_a_study_is_not_overwritten(found, folder, refused):
    line = refused("reproduce", "load", "--seed", "3", "--out", folder)
    assert "holds a study: go on with --resume" in line
