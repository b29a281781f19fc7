# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The study of contacts with people and touches: what is drawn, what is kept, what is noticed."""

import json
from dataclasses import replace

import numpy as np
import pytest

from impact_cli.command_line import run as impact
from impact_predictor.people.person_speed import RESERVE, person_speed
from studies.people import people_report, person_contacts, touches
from studies.people.people_study import PeopleFound
from studies.people.person_contacts import contact_at, drawn_contact, planned_speed
from studies.people.person_draw import MOST_GRAVITY, draw_case
from studies.people.touch_draw import INTERFACES, draw_touch
from studies.people.touches import drawn_touch, touched
from studies.row import DIFFERS, REPRODUCED

SEED = 0


@pytest.fixture(scope="module")
def found():
    """Each kind of loop at tool and elbow: 4 s."""
    return [drawn_contact(SEED, number) for number in range(6)]


@pytest.fixture(scope="module")
def touching():
    """Each interface with sensors and with currents: 6 s."""
    return [drawn_touch(SEED, number) for number in range(6)]


def test_contacts_at_the_planned_speed_keep_both_limits_and_come_near(found):
    assert {(each.loop, each.point) for each in found} == {
        (loop, point) for loop in ("coasting", "impedance", "servo") for point in ("tool", "elbow")
    }
    assert not any(each.over for each in found)
    assert np.median([each.share for each in found]) > people_report.MEDIAN_SHARE


def test_the_speed_is_that_of_the_plan_with_its_reserve(panda):
    for number in range(6):
        case = draw_case(panda, np.random.default_rng([SEED, number]), number)
        speed, by = planned_speed(case)
        answer = person_speed(case.to, case.contact, case.loop, case.reaction)
        assert speed == min(answer.planned, case.to.joint_speed_cap)
        assert answer.planned <= (1.0 - RESERVE) * answer.v_max
        assert (by == "joint speed") == (speed == case.to.joint_speed_cap)
        assert np.all(np.abs(speed * case.to.way) <= panda.limits.velocity * (1.0 + 1e-9))


def test_poses_are_within_the_limits_and_the_point_moves_along_the_direction(panda):
    random = np.random.default_rng(1)
    for number in range(12):
        to = draw_case(panda, random, number).to
        assert np.all(np.abs(to.state.g) < MOST_GRAVITY * panda.limits.torque_range)
        assert np.all(to.state.q > panda.limits.position_lower)
        motion = to.state.at(to.frame).J[:3] @ to.way
        np.testing.assert_allclose(motion, to.direction, atol=1e-6)


def verdicts(found, touching):
    return [row.verdict for row in people_report.table(PeopleFound(found, touching)).rows]


def test_what_is_kept_is_said_and_a_contact_over_its_limit_or_without_a_number_is_counted(
    found, touching
):
    assert verdicts(found, touching) == [REPRODUCED] * 5
    for share in (1.01, float("nan")):
        worse = PeopleFound([found[0]._replace(held_share=share), *found[1:]], touching)
        table = people_report.table(worse)
        assert table.rows[0].verdict == DIFFERS
        assert table.summary["person"]["over_limit"] == 1


def test_plans_that_are_too_careful_are_noticed(found, touching):
    slow = [each._replace(transient_share=0.5, held_share=0.1) for each in found]
    assert verdicts(slow, touching) == [REPRODUCED, DIFFERS, *[REPRODUCED] * 3]
    gentle = [each._replace(peak=0.4 * each.promised) for each in touching]
    assert verdicts(found, gentle) == [*[REPRODUCED] * 4, DIFFERS]


def test_touches_keep_their_promise_and_are_detected(touching):
    assert [each.interface for each in touching] == [*INTERFACES] * 2
    assert [each.effort for each in touching] == ["sensors"] * 3 + ["currents"] * 3
    figures = touches.summary(touching)
    assert (figures["n"], figures["over_limit"], figures["undetected"]) == (6, 0, 0)
    assert (figures["not_reached"], figures["failed"]) == (0, 0)
    assert figures["median_share"] > people_report.MEDIAN_TOUCH


@pytest.mark.parametrize(
    ("seed", "number"),
    [
        pytest.param(7, 13, id="noise over less than the window of a speed was contact"),
        pytest.param(0, 206, id="the start of a slow servo was a stall"),
        pytest.param(0, 575, id="an arm that was thrown aside was faster than commanded"),
    ],
)
def test_touches_that_once_ended_early(panda, seed, number):
    found = touched(draw_touch(panda, np.random.default_rng([seed, number]), number))
    assert found.reached and found.triggered and found.success


def test_a_touch_over_its_promise_undetected_or_ended_early_is_counted(found, touching):
    first, *rest = touching
    over = first._replace(peak=1.01 * first.promised)
    blind = first._replace(triggered=False)
    early = first._replace(peak=float("nan"))
    assert verdicts(found, [over, *rest])[2:4] == [DIFFERS, REPRODUCED]
    assert verdicts(found, [blind, *rest])[2:4] == [REPRODUCED, DIFFERS]
    figures = touches.summary([early, *rest])
    assert (figures["not_reached"], figures["undetected"], figures["over_limit"]) == (1, 0, 0)


def test_a_surface_harder_than_announced_breaks_the_promise(panda):
    """The judge can fail."""
    case = draw_touch(panda, np.random.default_rng([SEED, 17]), 17)
    assert touched(replace(case, stiffness=10.0 * case.stiffness)).over
    assert touched(replace(case, goal=replace(case.goal, force=0.1))) is None  # refused


def test_an_arm_that_is_sent_far_on_keeps_more_in_reserve(panda):
    """A servo at 1.2 m/s gave 456 N where the frozen model said 395 N, of 440 N."""
    case = draw_case(panda, np.random.default_rng([SEED, 554]), 554)
    found = person_speed(case.to, case.contact, case.loop, case.reaction)
    assert found.turned_rad > 0.2 and found.reserve > 0.2
    over = contact_at(case, (1.0 - RESERVE) * found.v_max, found.phase)
    assert over.over and not contact_at(case, found.planned, found.phase).over


def test_twice_the_planned_speed_is_over_the_limit(panda):
    """The judge can fail."""
    case = draw_case(panda, np.random.default_rng([SEED, 2]), 2)
    assert contact_at(case, 2.0 * planned_speed(case)[0], "transient").over


def test_the_command_goes_on_and_prints_one_document(
    found, touching, capsys, monkeypatch, tmp_path
):
    monkeypatch.setattr(person_contacts, "drawn_contact", lambda seed, number: found[number])
    monkeypatch.setattr(touches, "drawn_touch", lambda seed, number: touching[number])
    folder = tmp_path / "study"
    command = ["reproduce", "people", "--jobs=1", "--out", str(folder)]
    assert impact([*command, "--contacts=4"]) == 0
    assert "P5" in capsys.readouterr().out
    monkeypatch.setattr(person_contacts, "drawn_contact", None)  # nothing is made again
    monkeypatch.setattr(touches, "drawn_touch", None)
    assert impact([*command, "--contacts=4", "--resume", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    person, touch = document["person"], document["touch"]
    assert (person["n"], person["over_limit"]) == (4, 0)
    assert person["median_share"] == np.median([each.share for each in found[:4]])
    assert (touch["n"], touch["over_limit"], touch["undetected"]) == (4, 0, 0)
    assert touch["median_share"] == np.median([each.share for each in touching[:4]])
    assert [row["id"] for row in document["tables"][0]["rows"]] == ["P1", "P2", "P3", "P4", "P5"]
    assert document["commit"] and document["seed"] == 0
