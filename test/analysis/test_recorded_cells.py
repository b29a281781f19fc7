# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Recordings of arms that hit an object: figures agree with the plant's truth, losses are said."""

import json
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("rosbags")
pytest.importorskip("mujoco")

from recorded_cells import KEEP, changed, recorded

from impact_analysis.analyze import analyze, write
from impact_analysis.analyze.reading.recordings import arms_of
from impact_analysis.analyze.settings import AnalysisSettings
from impact_analysis.demo.spreading_evaluation import evaluate_spreading
from impact_analysis.spreading.cell_documents import arm_rows
from impact_analysis.spreading.cell_sentences import cell_sentences
from impact_analysis.spreading.episodes import ArmContact, find_episodes
from impact_sim.cell.spreading_file import load_spreading
from impact_trials.truth.cell_truth import START

ROBOT = "panda_plate"
SCENARIO = replace(load_spreading("rs_grab_catfood_late"), after_contact=0.55)


@pytest.fixture(scope="module")
def grab(tmp_path_factory):
    """The bag of a grab in which one arm is late, and its run."""
    path = tmp_path_factory.mktemp("cell") / "grab"
    return path, recorded(SCENARIO, 0, path, start=0.5)


@pytest.fixture(scope="module")
def truth(grab):
    return [START + plate.contact_start.time for plate in grab[1].log.plant.plates]


@pytest.fixture(scope="module")
def analysis(grab, tmp_path_factory):
    out = tmp_path_factory.mktemp("out")
    found = analyze(grab[0], robot=ROBOT)
    write(found, out)
    return found, out


@pytest.fixture(scope="module")
def episode(analysis):
    (cell,) = analysis[0].arms
    (found,) = cell.episodes
    return found


def of(bag, truth, robot=ROBOT, **options):
    """What is found in a bag whose arms touch when they really do, and the sentences' keys."""
    settings = AnalysisSettings(robot=robot, **options)
    cell = arms_of(bag, bag.name, settings)[1]
    times = dict(zip(("left", "right"), truth, strict=True)) | {"": truth[0]}
    touches = {arm: [ArmContact(times[arm], True)] for arm in cell.arms}
    found = find_episodes(cell, touches, settings.load_robot())
    return found, {each.key: each.text for each in cell_sentences(found, robot)}


def arms_in(found):
    (episode,) = found.episodes
    return {arm.arm: arm for arm in episode.arms}


@pytest.fixture(scope="module")
def whole(grab, truth):
    return of(grab[0], truth)


def test_both_arms_are_found_with_their_touches(analysis, episode, truth):
    found, _ = analysis
    assert found.files == ["grab"] and len(found.impacts) == 2
    assert found.answer[0].startswith("2 impacts in grab;")
    assert [arm.arm for arm in episode.arms] == ["left", "right"] and not episode.untouched
    assert [arm.touch for arm in episode.arms] == pytest.approx(truth, abs=5e-4)
    assert episode.arms[1].after_first == pytest.approx(truth[1] - truth[0], abs=5e-4)


def test_velocities_are_those_of_arms_and_box(grab, episode):
    for arm, wanted in zip(episode.arms, SCENARIO.v_minus, strict=True):
        assert arm.velocity_before == pytest.approx(wanted, abs=0.01)
        assert arm.tool == pytest.approx([0, np.sign(wanted[1]), 0], abs=2e-3)
    log, last = grab[1].log, episode.arms[1].touch - START
    places = [
        np.array([np.interp(last + t, log.times, c) for c in each])
        for t in (0.02, 0.1)
        for each in [np.array([box.position for box in log.boxes]).T]
    ]
    assert episode.object.after == pytest.approx((places[1] - places[0]) / 0.08, abs=1e-3)
    assert episode.object.before == pytest.approx(np.zeros(3), abs=2e-3)
    left = [np.mean(v) for v in zip(*(arm.velocity_after for arm in episode.arms), strict=True)]
    assert left[2] == pytest.approx(episode.object.after[2], abs=0.05)  # they carry it upwards


def test_feedback_is_that_of_the_demo(grab, episode):
    demo = evaluate_spreading(SCENARIO, "rs", grab[1])
    assert max(arm.feedback.peak for arm in episode.arms) == pytest.approx(
        demo.peak_feedback, rel=0.01
    )
    integrals = [arm.feedback.norm_integral for arm in episode.arms]
    assert np.mean(integrals) == pytest.approx(demo.feedback_integral, rel=0.01)


def test_the_wrong_reference_is_followed_until_the_detection(grab, episode):
    demo = evaluate_spreading(SCENARIO, "rs", grab[1])
    for arm, delay in zip(episode.arms, demo.detection_delay, strict=True):
        assert arm.followed.switch == pytest.approx(delay, abs=5e-4)
        assert arm.followed.ante_after == pytest.approx(delay, abs=5e-4)
        assert arm.followed.post_before == arm.followed.neither == 0.0
        assert arm.followed.nearer_post > arm.followed.switch  # velocities take longer


def test_momentum_closes_with_the_inertia_that_motors_show(episode):
    for arm in episode.arms:
        assert arm.closure["M+B_theta"] < 0.01
        assert arm.closure["M+B_rho"] > 0.05 and arm.closure["M"] > 0.2


def test_report_table_and_document_hold_both_arms(analysis):
    found, out = analysis
    document = json.loads((out / "analysis.json").read_text())
    (impact,) = document["cells"][0]["impacts"]
    assert [arm["arm"] for arm in impact["arms"]] == ["left", "right"]
    assert (
        impact["arms"][0]["reference"]["wrong_s"]
        == found.arms[0].episodes[0].arms[0].followed.wrong
    )
    assert (out / "arms.csv").read_text().count("\n") == 1 + 2
    page = (out / "report.html").read_text()
    assert '<section id="arms">' in page and "momentum off with M+B_theta" in page
    assert page.count('type="application/json"') >= 1 and "post-impact reference" in page


def test_nothing_is_missed_in_a_whole_recording(whole):
    assert set(whole[1]) == {"arms", "followed", "closes"}


def test_another_robot_is_noticed(grab, truth):
    """The Panda without the plate's tool is 0.3 kg lighter."""
    said = of(grab[0], truth, robot="panda")[1]
    assert "another --robot" in said["wrong_model"] and "panda needs" in said["wrong_model"]
    assert "not those of this robot" in said["not_closed"] and "closes" not in said


def same_figures(one, other):
    """Whether a recording tells the same of an arm."""
    rows = [json.dumps(_plain(each), sort_keys=True) for each in (one, other)]
    return rows[0] == rows[1]


def _plain(arm):
    found = (arm.dq_before, arm.dq_after, arm.velocity_after)
    return [each.tolist() for each in found], arm.feedback, arm.followed, arm.closure


def test_an_arm_without_states_is_said_and_the_other_one_read(grab, truth, whole, tmp_path):
    def change(topic, time, message):
        return None if topic == "/right/joint_states" else KEEP

    found, said = of(changed(grab[0], tmp_path / "silent", change), truth)
    assert "right" in said["silent_arm"] and "left" not in said["silent_arm"]
    assert "1 arm with joint states (left)" in said["arms"]
    assert same_figures(arms_in(found)["left"], arms_in(whole[0])["left"])


def test_without_the_box_the_arms_stay(grab, truth, whole, tmp_path):
    def change(topic, time, message):
        return None if topic == "/box_pose" else KEEP

    found, said = of(changed(grab[0], tmp_path / "no_box", change), truth)
    assert "no_object" in said and "no object recorded" in said["arms"]
    assert found.episodes[0].object is None
    assert same_figures(arms_in(found)["right"], arms_in(whole[0])["right"])


def test_a_pose_of_another_name_is_asked_for_and_can_be_given(grab, truth, tmp_path):
    renamed = changed(
        grab[0], tmp_path / "named", names=lambda topic: (topic.replace("box_pose", "parcel"),)
    )
    found, said = of(renamed, truth)
    assert "/parcel" in said["other_poses"] and found.episodes[0].object is None
    found, said = of(renamed, truth, object_topic="/parcel")
    assert "other_poses" not in said and found.episodes[0].object.topic == "/parcel"
    found, said = of(renamed, truth, object_topic="/crate")
    assert "no pose or velocity on /crate, but on /parcel" in said["no_such_object"]


def test_a_recording_that_ends_early_says_what_is_unknown(grab, truth, tmp_path):
    def change(topic, time, message):
        return KEEP if time < truth[0] + 0.05 else None

    found, said = of(changed(grab[0], tmp_path / "cut", change), truth)
    left = arms_in(found)["left"]
    assert np.isnan(left.velocity_after).all() and np.isnan(found.episodes[0].object.after).all()
    assert left.velocity_before[1] == pytest.approx(-0.35, abs=0.01)
    missing = {"unknown_velocity", "no_feedback", "not_followed", "not_closed", "object_unknown"}
    assert missing <= set(said) and not {"followed", "closes"} & set(said)
    assert "joint states end" in said["unknown_velocity"] and "after" in said["object_unknown"]


def test_states_that_are_not_finite_spoil_that_arm_alone(grab, truth, whole, tmp_path):
    def change(topic, time, message):
        if topic != "/right/joint_states" or not 0.03 < time - truth[1] < 0.04:
            return KEEP
        found = message()
        return replace(found, velocity=np.full(7, np.nan))

    found, said = of(changed(grab[0], tmp_path / "nan", change), truth)
    assert "gap" in said["not_closed"] and ": right" in said["not_closed"]
    assert same_figures(arms_in(found)["left"], arms_in(whole[0])["left"])


def test_arms_may_have_different_rates(grab, truth, whole, tmp_path):
    def change(topic, time, message):
        slow = topic.startswith("/right/") and "wrench" not in topic
        return None if slow and round(time * 1e3) % 4 else KEEP

    found, said = of(changed(grab[0], tmp_path / "rates", change), truth)
    right, usual = arms_in(found)["right"], arms_in(whole[0])["right"]
    assert same_figures(arms_in(found)["left"], arms_in(whole[0])["left"])
    assert "every 4.0 ms" in said["not_closed"] and ": right" in said["not_closed"]
    assert right.velocity_after == pytest.approx(usual.velocity_after, abs=0.01)
    assert right.followed.switch == pytest.approx(usual.followed.switch, abs=4.1e-3)
    assert right.feedback.norm_integral == pytest.approx(usual.feedback.norm_integral, rel=0.05)


def test_without_what_the_controller_said_only_motion_is_known(grab, truth, tmp_path):
    """As recordings are of robots whose controller is another one."""

    def change(topic, time, message):
        return None if "impact_qp" in topic else KEEP

    found, said = of(changed(grab[0], tmp_path / "foreign", change), truth)
    assert {"no_feedback", "not_followed", "not_closed"} <= set(said)
    assert "commanded torques were not recorded" in said["not_closed"]
    assert np.isfinite(arms_in(found)["right"].velocity_after).all()


def test_one_arm_without_a_namespace_is_one_arm_with_a_box(grab, truth, whole, tmp_path):
    def change(topic, time, message):
        return None if topic.startswith("/right/") else KEEP

    bag = changed(grab[0], tmp_path / "one", change, lambda topic: (topic.replace("/left", ""),))
    found, said = of(bag, truth)
    assert found.topics.arms == ("",) and said["arms"] == "one: one arm; an object (/box_pose)."
    assert same_figures(arms_in(found)[""], arms_in(whole[0])["left"])


def test_an_arm_recorded_twice_is_noticed(grab, truth, tmp_path):
    def change(topic, time, message):
        return None if topic.startswith("/right/") or time > truth[0] + 0.05 else KEEP

    def names(topic):
        return topic, topic.replace("/left/", "/right/")

    found, said = of(changed(grab[0], tmp_path / "twice", change, names), truth)
    assert found.same == ["right"] and "joint states of right are" in said["same_arm"]


def test_an_arm_that_touches_nothing_is_said(grab, truth):
    settings = AnalysisSettings(robot=ROBOT)
    cell = arms_of(grab[0], "grab", settings)[1]
    touches = {"left": [ArmContact(truth[0], True)], "right": []}
    found = find_episodes(cell, touches, settings.load_robot())
    said = {each.key: each.text for each in cell_sentences(found, ROBOT)}
    assert "of right no impact was found" in said["untouched"]
    assert arm_rows([found])[0]["arm"] == "left" and len(arm_rows([found])) == 1


def test_states_of_other_joints_leave_nothing_but_forces(grab, truth, tmp_path):
    def change(topic, time, message):
        if topic != "/right/joint_states":
            return KEEP if abs(time - truth[1]) < 0.2 else None
        return replace(found := message(), name=[f"other_{name}" for name in found.name])

    found, said = of(changed(grab[0], tmp_path / "joints", change), truth)
    right = arms_in(found)["right"]
    assert np.isnan(right.velocity_before).all() and right.trace is None
    assert right.peak_force == pytest.approx(138, abs=3)
    assert "right: momentum cannot be closed: joint states are missing there" in said["not_closed"]


def test_one_arm_can_be_chosen_as_before(grab):
    settings = AnalysisSettings(robot=ROBOT, state_topic="/left/joint_states")
    assert arms_of(grab[0], "grab", settings)[1] is None


def test_a_bag_that_cannot_be_read_any_more_is_said(grab, truth, tmp_path):
    cell = arms_of(grab[0], "grab", AnalysisSettings())[1]._replace(path=tmp_path / "gone")
    found = find_episodes(
        cell, {"left": [ArmContact(truth[0], True)]}, AnalysisSettings().load_robot()
    )
    keys = [each.key for each in cell_sentences(found, ROBOT)]
    assert keys == ["arms", "unread"] and found.episodes == []


def test_an_arm_that_follows_neither_reference_is_said(grab, truth, tmp_path):
    """Desired velocities that are those of no reference, from 50 ms after contact on."""

    def change(topic, time, message):
        if topic != "/left/impact_qp/desired_joint_states" or time < truth[0] + 0.05:
            return KEEP
        found = message()
        return replace(found, velocity=found.velocity + 0.2)

    found, said = of(changed(grab[0], tmp_path / "own", change), truth)
    assert (
        "left was asked for the velocity of neither reference for 4" in said["neither"]
    )  # of 450 ms
    assert arms_in(found)["left"].followed.neither == pytest.approx(0.45, abs=0.01)
    assert arms_in(found)["right"].followed.neither == 0.0
