# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `reference`: a recorded push becomes the references that it was, or one line why not.

The motion is that of a planned push, followed kinematically, with the noise of a Panda's sensors.
"""

import json

import numpy as np
import pytest
from shown_motion import NAME, WAIT, plan, shown, write_table

from impact_bags import BagWriter, impact_typestore
from impact_bags.writing.message_maker import MessageMaker
from impact_qp.arms.plans import spread_plans
from impact_qp.references import read_references
from impact_robots import load_robot
from impact_robots.exceptions import TaskError
from impact_robots.task.find import find_box_task
from impact_sim.cell.spreading_file import load_spreading

ROBOT = "--robot=panda_plate"


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return write_table(tmp_path_factory.mktemp("shown") / "shown.csv", *shown())


@pytest.fixture
def reference(impact):
    def run(file, *arguments):
        return impact("reference", str(file), ROBOT, *arguments)

    return run


def refusal(answer, status=1):
    """Return the one line of a refused recording."""
    got, out, err = answer
    assert (got, out, err.count("\n")) == (status, "", 1), err
    return err


def test_a_recorded_push_gives_its_references_again(reference, table, tmp_path):
    out = tmp_path / "shown.yaml"
    status, printed, err = reference(table, f"--out={out}", "--json")
    assert (status, err) == (0, "")
    document, planned, found = json.loads(printed), plan(), read_references(out)
    T = planned.nominal_time
    begun = T - document["contact_time_s"]  # of the found motion, in the plan's time
    assert abs(begun) < 0.15 and document["impacts_s"] == [pytest.approx(T + WAIT, abs=2e-3)]
    for own, theirs in zip(found.jump, planned.jump, strict=True):
        np.testing.assert_allclose(own, theirs, atol=0.02)
    nominal = found.nominal_time
    before, after = found.ante(nominal), found.post(nominal)
    np.testing.assert_allclose(before.position, after.position, atol=1e-6)
    np.testing.assert_allclose(before.position[:3], planned.ante(T).position[:3], atol=2e-3)
    np.testing.assert_allclose(found.rotation, planned.rotation, atol=2e-3)
    for time in np.arange(0.05, nominal, 0.05):
        own, theirs = found.ante(time).position[:3], planned.ante(time + begun).position[:3]
        np.testing.assert_allclose(own, theirs, atol=1e-3)
    assert not found.ante(0.0).velocity.any() and document["ends_at_rest"]
    assert not found.post(found.post.end).velocity.any()
    assert found.ante(nominal + 0.1).velocity == pytest.approx(found.jump[0])  # goes on
    start = load_spreading(NAME).q_start[0]
    assert document["q_start_rad"] == pytest.approx(start, abs=2e-3)
    sides = document["before"], document["after"]
    assert max(each["position_rms_m"] for each in sides) < 5e-4


def test_the_text_says_what_a_task_needs(reference, table, tmp_path):
    out = tmp_path / "shown.yaml"
    status, text, _ = reference(table, f"--out={out}")
    assert status == 0 and f"written: {out}" in text and "joint state (by acceleration)\n" in text
    own = "\n".join(line.strip() for line in text.splitlines()[-3:])
    (tmp_path / "mine.yaml").write_text(f"like: {NAME}\n{own}\n")
    task = find_box_task(tmp_path / "mine.yaml")
    (made,) = spread_plans(task)
    assert task.reference_speed == pytest.approx(0.7, abs=0.02)
    np.testing.assert_array_equal(made.reference.jump, read_references(out).jump)
    assert made.smooth.end == made.reference.post.end


def test_a_file_is_overwritten_only_by_force(reference, table, tmp_path):
    out = tmp_path / "shown.yaml"
    out.write_text("kept")
    line = refusal(reference(table, f"--out={out}"), 2)
    assert "exists; to overwrite it: --force" in line and out.read_text() == "kept"
    assert reference(table, f"--out={out}", "--force")[0] == 0 and out.read_text() != "kept"
    assert "expected a .yaml file" in refusal(reference(table, "--out=shown.csv"), 2)


def test_a_given_time_needs_no_detector(reference, table):
    T = plan().nominal_time + WAIT
    status, printed, _ = reference(table, f"--time={T}", "--acceleration-threshold=1e6", "--json")
    assert status == 0
    assert json.loads(printed)["before"]["speed_mps"] == pytest.approx(0.7, abs=0.02)
    assert "not with --time" in refusal(reference(table, f"--time={T}", "--impact=1"), 2)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--acceleration-threshold=1e6"], "no impact found by acceleration (largest statistic"),
        (["--impact=2"], "--impact: expected at most 1, the impacts found by acceleration, got 2"),
        (["--time=0.25"], "the arm hardly moves: expected at least 0.05 m/s before the impact"),
        (["--time=0.7"], "no impact at that time: the velocity jumps by 0.0"),
        (["--time=0.93"], "no impact at that time: the velocity jumps by 0.0"),
    ],
)
def test_what_is_no_impact_is_refused(reference, table, arguments, said):
    assert said in refusal(reference(table, *arguments))


@pytest.mark.parametrize(
    ("motion", "said"),
    [
        ({"start": 0.1}, "expected an arm that begins at rest (below 0.02 m/s for 0.1 s)"),
        ({"end": 0.75}, "expected at least 0.2 s of motion after the impact, got 0.07 s"),
        ({"turn": 0.3}, "references have a constant orientation: expected at most 5 deg"),
    ],
)
def test_what_is_no_demonstration_is_refused(reference, tmp_path, motion, said):
    assert said in refusal(reference(write_table(tmp_path / "shown.csv", *shown(**motion))))


def test_a_larger_turn_is_accepted_by_request(reference, tmp_path):
    file = write_table(tmp_path / "shown.csv", *shown(turn=0.2))
    line = refusal(reference(file))
    assert "the contact frame turns by" in line and "after the impact" in line
    status, text, _ = reference(file, "--largest-turn=10")
    assert status == 0 and "it turned by up to" in text


@pytest.mark.parametrize("missing", ["rows", "numbers"])
def test_gaps_are_refused_with_their_place(reference, tmp_path, missing):
    times, q, dq = shown()
    lost = (times > 0.3) & (times < 0.33)
    if missing == "numbers":
        q[lost] = np.nan
        rows = times, q, dq
    else:
        rows = times[~lost], q[~lost], dq[~lost]
    line = refusal(reference(write_table(tmp_path / "shown.csv", *rows)))
    assert "joint states missing for 31 ms from -0.3" in line and "at most 20 ms" in line


def test_a_motion_that_goes_on_is_braked(reference, tmp_path):
    end = plan().nominal_time + 0.4
    file = write_table(tmp_path / "shown.csv", *shown(end=end))
    status, printed, _ = reference(file, f"--out={tmp_path / 'own.yaml'}", "--json")
    document = json.loads(printed)
    assert status == 0 and not document["ends_at_rest"]
    found = read_references(tmp_path / "own.yaml")
    assert np.linalg.norm(found.post(document["after"]["end_s"]).velocity) > 0.1
    assert not found.post(document["reference_end_s"]).velocity.any()
    assert document["reference_end_s"] == pytest.approx(document["after"]["end_s"] + 0.3)


def test_a_tremor_is_smoothed_and_a_movement_is_not(reference, tmp_path):
    """A tremor of 10 Hz on a joint moves the contact point by some millimetres per second."""
    times, q, dq = shown()
    for index, frequency in enumerate((9.0, 11.0)):
        shake, rate = 4e-4, 2.0 * np.pi * frequency
        q[:, index] += shake * np.sin(rate * times)
        dq[:, index] += shake * rate * np.cos(rate * times)
    status, printed, _ = reference(write_table(tmp_path / "shown.csv", *shown()), "--json")
    calm = json.loads(printed)
    file = write_table(tmp_path / "shaken.csv", times, q, dq)
    status, printed, _ = reference(file, "--json")
    shaken = json.loads(printed)
    assert status == 0
    for side in ("before", "after"):
        assert shaken[side]["velocity_rms_mps"] > 1.5 * calm[side]["velocity_rms_mps"]
        own, theirs = (np.array(each[side]["velocity_mps"]) for each in (shaken, calm))
        assert np.abs(own - theirs).max() < 0.02


def test_an_arm_of_a_bag_with_one_arm_is_not_named(reference, table):
    line = refusal(reference(table, "--arm=left"), 2)
    assert "--arm: expected a bag of several arms, got 'left'" in line


def test_of_several_arms_one_is_named(reference, tmp_path):
    times, q, dq = shown()
    robot, types = load_robot("panda_plate"), impact_typestore()
    with BagWriter(tmp_path / "two", types) as bag:
        make = MessageMaker(types, robot.base_frame)
        for row, time in enumerate(times - times[0] + 1.0):
            stamp = round(time * 1e9)
            moving, still = (q[row], dq[row]), (q[0], np.zeros(7))
            for name, state in (("left", moving), ("right", still)):
                message = make.joint_state(stamp, robot.joint_names, *state, np.zeros(7))
                bag.write(f"/{name}/joint_states", *message, stamp)
    line = refusal(reference(tmp_path / "two"), 2)
    assert "--arm: expected one of left, right, got none" in line
    status, printed, _ = reference(tmp_path / "two", "--arm=left", "--json")
    assert status == 0
    document = json.loads(printed)
    assert document["arm"] == "left"
    assert document["before"]["speed_mps"] == pytest.approx(0.7, abs=0.02)
    assert "no impact found by acceleration" in refusal(reference(tmp_path / "two", "--arm=right"))


def own_task(tmp_path, reference, table, **changed):
    """Write a task with the references of the table, and entries that differ."""
    out = tmp_path / "shown.yaml"
    status, printed, _ = reference(table, f"--out={out}", "--json", "--force")
    assert status == 0
    start = json.loads(printed)["q_start_rad"]
    entries = {"like": NAME, "references": ["shown.yaml"], "q_start": [start]} | changed
    (tmp_path / "mine.yaml").write_text(json.dumps(entries))
    return tmp_path / "mine.yaml"


def test_a_tasks_references_must_fit_its_arm(reference, table, tmp_path):
    good = own_task(tmp_path, reference, table)
    assert find_box_task(good).references == (str(tmp_path / "shown.yaml"),)
    away = json.loads(good.read_text())["q_start"]
    away[0][3] += 0.1
    path = own_task(tmp_path, reference, table, q_start=away)
    with pytest.raises(TaskError, match="ante: expected to begin where q_start is"):
        spread_plans(find_box_task(path))
    path = own_task(tmp_path, reference, table, references=["shown.yaml", "shown.yaml"])
    with pytest.raises(TaskError, match="references: expected 1 files, one an arm, got 2"):
        find_box_task(path)
