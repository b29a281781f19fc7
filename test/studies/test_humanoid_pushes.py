# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The study of pushes: what is drawn, a few in the closed loop, what is noticed."""

import json

import numpy as np
import pytest

from impact_cli.command_line import run as impact
from impact_robots import ArmDynamics, load_robot
from impact_sim.humanoid.grab_file import load_grab
from impact_sim.humanoid.plant import HumanoidPlant
from studies.humanoid_grabs import push_report, push_study
from studies.humanoid_grabs.push_study import FOR_EVER, PLACES, PushOutcome
from studies.row import DIFFERS, REPRODUCED


def true_to_the_limit(push):
    return PushOutcome(push, push.force > push.limit, stopped=False)


@pytest.fixture(scope="module")
def found():
    return [true_to_the_limit(push_study.drawn(number, 0)) for number in range(200)]


def test_half_are_near_the_limit_and_all_kinds_occur(found):
    pushes = [each.push for each in found]
    assert sum(abs(each.force / each.limit - 1.0) <= 0.25 for each in pushes) >= 100
    assert sum(each.fell for each in found) >= 60
    assert {each.place for each in pushes} == set(PLACES)
    durations = {each.duration for each in pushes}
    assert min(durations) == 0.005 and max(durations) == FOR_EVER
    np.testing.assert_allclose([np.linalg.norm(each.direction) for each in pushes], 1.0)
    assert push_study.drawn(7, 0) == pushes[7] != push_study.drawn(7, 1)


def test_limits_are_of_the_points_that_the_plant_pushes():
    scenario, robot = load_grab(push_study.SCENARIO), load_robot("hrp4")
    plant, q = HumanoidPlant(scenario.layout(robot)), scenario.start(robot)
    plant.reset(q)
    state = ArmDynamics(robot, "all").state(q, np.zeros(robot.nv))
    for contact in PLACES.values():
        plant.push(np.array([3.0, 2.0, 1.0]), contact)
        (body,) = np.flatnonzero(plant.data.xfrc_applied[:, 0])
        np.testing.assert_allclose(
            push_study.place(state, contact), plant.data.xipos[body], atol=1e-6
        )


@pytest.mark.parametrize(("share", "falls"), [(0.7, False), (1.3, True)])
@pytest.mark.parametrize("duration", [0.01, FOR_EVER])
def test_pushes_off_their_limit_do_as_predicted(share, falls, duration):
    """Back at the chest, before the grab."""
    footing, points = push_study.stance("approach")
    back = (-1.0, 0.0, 0.0)
    lasting = np.inf if duration == FOR_EVER else duration
    limit = push_study.push_limit(footing, points["chest"], np.array(back), lasting)
    force = share * limit
    push = push_study.DrawnPush(0, 0, "chest", "approach", back, duration, limit, force)
    outcome = push_study.pushed(push)
    assert outcome.fell == outcome.said_to_fall == falls


def test_what_is_right_is_said_to_be_right(found):
    row = push_report.row(found)
    assert (row.id, row.verdict) == ("balance", REPRODUCED)
    assert row.figures["right"] == row.figures["n"] == 200


@pytest.mark.parametrize(("count", "fell"), [(5, True), (21, False)])
def test_too_many_wrong_ones_are_noticed(found, count, fell):
    """More than 2 % said to stand and fell, more than 10 % wrong."""
    wrong = [each.push.number for each in found if each.fell != fell][:count]
    worse = [each._replace(fell=fell) if each.push.number in wrong else each for each in found]
    assert push_report.row(worse).verdict == DIFFERS
    fewer = [each._replace(fell=fell) if each.push.number in wrong[1:] else each for each in found]
    assert push_report.row(fewer).verdict == REPRODUCED


def test_the_command_makes_them_alone_and_keeps_them(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(push_study, "pushed", true_to_the_limit)
    alone = ["reproduce", "hrp4", "--only=balance", "--jobs=1", "--json", f"--out={tmp_path / 'o'}"]
    assert impact([*alone, "--pushes=20"]) == 0
    (table,) = json.loads(capsys.readouterr().out)["tables"]
    assert [row["id"] for row in table["rows"]] == ["balance"]
    assert sum(each["n"] for each in table["studies"]["pushes"]) == 20
    assert impact([*alone, "--pushes=25", "--resume"]) == 0
    assert len((tmp_path / "o" / "balance.jsonl").read_text().splitlines()) == 26
    assert json.loads(capsys.readouterr().out)["tables"][0]["rows"][0]["figures"]["n"] == 25
