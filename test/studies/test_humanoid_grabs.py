# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The study of grabs: what there is to run, what is promised of it, what is noticed."""

import json
from dataclasses import replace

import pytest
from hrp4_grab import GOOD_PALM

from impact_cli.command_line import run as impact
from impact_sim.humanoid.grab_file import grab_names, load_grab
from impact_trials.grab.outcome import BoxOutcome, GrabOutcome
from studies.humanoid_grabs import grab_report, grab_study, load_study, push_study, tracked_speed
from studies.humanoid_grabs.grab_spans import span, within
from studies.humanoid_grabs.troubles import TROUBLES
from studies.row import DIFFERS, REPRODUCED

NAN = float("nan")
BOUNDS = dict(zip(grab_study.FAST, grab_report.BOUNDS, strict=True))
IDS = ["H23", *(f"G{k}" for k in range(1, 10)), "torque_mode"]


def invented(task):
    """A trial in which all went well; a trouble is without a box."""
    if task.trouble:
        box = BoxOutcome((), 0.0, NAN, 0.4, 0.10, NAN)
        return GrabOutcome((box,), False, "no box", "rest", 0, 3.0)
    scenario = load_grab(task.name)
    fast = scenario.reference_speed > 0.25 or task.name == grab_study.TORQUE
    palm = replace(GOOD_PALM, speed=0.99 * GOOD_PALM.bound) if fast else GOOD_PALM
    box = BoxOutcome((palm, replace(palm, time=1.502)), 0.099, 0.002, 0.9, 0.09, 0.03)
    return GrabOutcome((box,) * len(scenario.box_masses), False, "", "rest", 0, 15.0)


@pytest.fixture(scope="module")
def found():
    bounds = dict.fromkeys(grab_names(), 0.268) | BOUNDS
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grab_study, "run_task", invented)
        patch.setattr(grab_study, "pose_bounds", lambda: bounds)
        return grab_study.run(2, 3, 1, lambda *_: None)


@pytest.fixture
def only_grabs(monkeypatch):
    """Pushes are drawn and not made, nor are grabs with flexible joints: all does as predicted."""

    def run(pushes, seed, *_):
        drawn = [push_study.drawn(number, seed) for number in range(pushes)]
        return [push_study.PushOutcome(each, each.force > each.limit, False) for each in drawn]

    def loads(grabs, *_):
        same = ("L_WRIST_R", 0.4)
        one = load_study.DrawnLoad("0", 0.3, 0.23, 0.23, 0.005, *same, *same, 0.41)
        return [one._replace(key=str(number)) for number in range(grabs)]

    monkeypatch.setattr(push_study, "run", run)
    monkeypatch.setattr(load_study, "run", loads)


def rows_of(study):
    return {row.id: row for row in grab_report.table(study).rows}


def changed(study, name, **figures):
    """The study with one trial of a scenario in which a palm of the first box did otherwise."""
    first, *others = study.grabs[name]
    left, right = first.boxes[0].palms
    boxes = replace(first.boxes[0], palms=(replace(left, **figures), right)), *first.boxes[1:]
    return study._replace(grabs=study.grabs | {name: [replace(first, boxes=boxes), *others]})


def verdict(study, row):
    """The verdict of a row, all others of which hold."""
    rows = rows_of(study)
    assert {key for key in rows if rows[key].verdict == DIFFERS} <= {row}
    return rows[row].verdict


def test_seeds_count_up_and_fewer_trials_are_a_part_of_more():
    few, many = grab_study.tasks(5, 7), grab_study.tasks(20, 7)
    assert set(few) < set(many)
    for name in grab_names():
        seeds = [task.seed for task in many if task.name == name]
        expected = 20 if name in grab_study.PROMISED else 4
        assert seeds == list(range(7, 7 + expected))
    assert [task.name for task in many if task.trouble] == list(TROUBLES)


def test_what_is_promised_is_about_scenarios_that_there_are():
    assert set(grab_study.PROMISED) <= set(grab_names())
    assert [load_grab(name).half_width for name in grab_study.FAST] == [0.15, 0.20, 0.26]
    assert all(load_grab(name).reference_speed == 0.5 for name in grab_study.FAST)
    assert load_grab(grab_study.ASIDE).box_offset[1] == 0.015
    assert load_grab(tracked_speed.PUBLISHED).reference_speed == 0.25


def test_bounds_at_the_poses_are_those_of_the_prototype():
    ours = grab_study.pose_bounds()
    for name, bound in BOUNDS.items():
        assert ours[name] == pytest.approx(bound, rel=grab_report.BOUND_ERROR)


def test_what_is_kept_is_said_to_be_kept(found):
    rows = rows_of(found)
    assert list(rows) == IDS
    assert all(row.verdict == REPRODUCED for row in rows.values())


@pytest.mark.parametrize(
    ("row", "figures"),
    [
        ("H23", {"speed": 0.234}),
        ("H23", {"speed": 0.256}),
        ("G3", {"latency": 0.0101}),
        ("G3", {"latency": NAN}),
        ("G7", {"is_announced": False}),
    ],
)
def test_one_palm_among_many_is_noticed(found, row, figures):
    assert verdict(changed(found, tracked_speed.PUBLISHED, **figures), row) == DIFFERS


@pytest.mark.parametrize("name", grab_study.FAST)
@pytest.mark.parametrize("share", [0.94, 1.02])
def test_a_palm_off_its_bound_is_noticed(found, name, share):
    assert verdict(changed(found, name, speed=share * GOOD_PALM.bound), "G1") == DIFFERS


@pytest.mark.parametrize("share", [0.94, 1.02])
def test_by_torques_too_a_palm_off_its_bound_is_noticed(found, share):
    worse = changed(found, grab_study.TORQUE, speed=share * GOOD_PALM.bound)
    assert verdict(worse, "torque_mode") == DIFFERS


def test_who_was_first_is_told_apart_from_who_was_second(found):
    """The left palm touches 2 ms before the right one."""
    early = changed(found, grab_study.FAST[0], speed=0.97 * GOOD_PALM.bound)
    assert "touch first 0.970 to 0.990; those that" in rows_of(early)["G1"].note
    late = changed(found, grab_study.FAST[0], speed=1.02 * GOOD_PALM.bound, time=1.6)
    assert "through the robot, 0.990 to 1.020." in rows_of(late)["G1"].note
    assert rows_of(late)["G1"].figures["speed_over_bound_of_first_palms_most"] == 0.99


@pytest.mark.parametrize("name", grab_study.FAST)
def test_another_bound_is_noticed(found, name):
    other = found._replace(bounds=found.bounds | {name: 1.03 * BOUNDS[name]})
    assert verdict(other, "G2") == DIFFERS


@pytest.mark.parametrize(
    ("row", "name", "figures"),
    [
        ("G5", "qp_hrp4_grab_heavy", {"fell": True}),
        ("G5", "qp_hrp4_grab_turned", {"failure": "no grip"}),
        ("G6", "qp_hrp4_grab_off_centre", {"unsolved": 1}),
        ("G4", tracked_speed.PUBLISHED, {"lifted": 0.089}),
        ("G8", tracked_speed.PUBLISHED, {"margin": 0.0}),
        ("G8", tracked_speed.PUBLISHED, {"toss_margin": -0.001}),
        ("G9", "qp_hrp4_grab_aside", {"lifted": 0.089}),
        ("torque_mode", grab_study.TORQUE, {"lifted": 0.089}),
    ],
)
def test_one_trial_among_many_is_noticed(found, row, name, figures):
    first, *others = found.grabs[name]
    if hasattr(first, next(iter(figures))):
        first = replace(first, **figures)
    else:
        first = replace(first, boxes=(replace(first.boxes[0], **figures), *first.boxes[1:]))
    other = found._replace(grabs=found.grabs | {name: [first, *others]})
    assert verdict(other, row) == DIFFERS


def test_impulses_far_below_their_bounds_are_no_proof(found):
    low = {"of_bound": 0.5, "published": 0.6}
    palms = [replace(palm, **low) for palm in found.palms(tracked_speed.PUBLISHED)[:2]]
    trials = found.grabs[tracked_speed.PUBLISHED]
    weak = [
        replace(each, boxes=tuple(replace(box, palms=tuple(palms)) for box in each.boxes))
        for each in trials
    ]
    worse = found._replace(grabs=found.grabs | {tracked_speed.PUBLISHED: weak})
    assert verdict(worse, "G7") == DIFFERS


def test_worse_impulses_are_laid_to_the_palm_that_was_first(found):
    worse = changed(found, tracked_speed.PUBLISHED, is_announced=False, stopped=1.5)
    row = rows_of(worse)["G7"]
    assert row.figures["impacts"] - row.figures["announced"] == 1
    assert row.figures["impulse_over_composite_body_most"] == 1.5
    assert "Of the 1 worse ones 1 are of the palm that touched first" in row.note
    assert "2.0 to 2.0 ms later" in row.note
    last = changed(found, tracked_speed.PUBLISHED, is_announced=False, time=1.502)
    assert "none is of the palm that touched first" in rows_of(last)["G7"].note


def test_a_span_of_nothing_is_within_nothing():
    assert span([2.0, 1.0]) == (1.0, 2.0)
    for nothing in (span([]), span([1.0, NAN])):
        assert not within(nothing, (-1e9, 1e9))


@pytest.mark.usefixtures("only_grabs")
def test_the_command_prints_one_document(found, capsys, monkeypatch):
    asked = []
    monkeypatch.setattr(grab_study, "run", lambda *given: asked.append(given[:3]) or found)
    assert impact(["reproduce", "hrp4", "--json", "--trials=2", "--seed=3", "--jobs=1"]) == 0
    assert asked == [(2, 3, 1)]
    document = json.loads(capsys.readouterr().out)
    (table,) = document["tables"]
    assert [row["id"] for row in table["rows"]] == [*IDS, "balance", "joint_loads"]
    scenarios, troubles = table["studies"]["scenarios"], table["studies"]["troubles"]
    assert [each["scenario"] for each in scenarios] == list(grab_names())
    assert scenarios[0]["lift_m"] == [0.099, 0.099]
    assert troubles[0]["gave_up"] == "no box" and troubles[0]["palm_speed_most_mps"] is None
    assert impact(["reproduce", "hrp4"]) == 0
    text = capsys.readouterr().out
    assert "G9" in text and "no: no box" in text
    assert asked[1][0] == grab_study.TRIALS


@pytest.mark.usefixtures("only_grabs")
def test_a_row_that_differs_is_the_exit_status(found, capsys, monkeypatch):
    worse = changed(found, tracked_speed.PUBLISHED, is_announced=False)
    monkeypatch.setattr(grab_study, "run", lambda *_: worse)
    assert impact(["reproduce", "hrp4"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "12 reproduced, 1 differs"
