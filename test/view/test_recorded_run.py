# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What is shown is what was recorded, of bags of the suite and of those that hold little."""

from itertools import groupby

import numpy as np
import pytest

from impact_analysis.demo.evaluation import evaluate_run
from impact_bags import BagWriter, RecordingError, impact_typestore
from impact_bags.bag_recording import TopicChoice
from impact_bags.reading.recording import Force
from impact_bags.reading.run_record import read_run
from impact_bags.writing.message_maker import MessageMaker
from impact_bags.writing.suite_messages import SuiteMessages
from impact_cli.commands.demo import announced_contact
from impact_detector.attribution.assessment import Assessment
from impact_detector.signals.sample import Detection, ForceSample, JointSample
from impact_robots import ArmDynamics
from impact_sim import load_scenario
from impact_trials.campaign import run_trial, trials_of
from impact_view.run.collector import Collector
from impact_view.run.force_axes import ForceAxes
from impact_view.run.recorded_run import read_view
from impact_view.scene.instant import Timeline

ANY = TopicChoice()


@pytest.fixture(scope="module")
def evaluated(hit, panda):
    contact = announced_contact(load_scenario("qp_panda_demo"), panda)
    return evaluate_run(read_run(hit[0], panda), panda, contact, "joint_load")


def write(path, panda, forces=(), frame="", count=50, beside=()):
    """Write joint states that move evenly, one a millisecond, and single forces beside them.

    ``beside`` are types and messages of another topic.
    """
    q, dq = panda.stance, np.linspace(0.1, 0.7, panda.dof)
    with BagWriter(path) as writer:
        make = MessageMaker(writer.typestore, frame)
        for message in beside:
            writer.write("/beside", *message, 1_000_000_000)
        for k in range(count):
            time = 1_000_000_000 + k * 1_000_000
            for topic in forces:
                writer.write(topic, *make.wrench(time, np.array([0.0, 0.0, 20.0])), time)
            state = q + dq * k * 1e-3, dq, np.zeros(panda.dof)
            names = panda.joint_names
            writer.write("/joint_states", *make.joint_state(time, names, *state), time)
    return path


def test_every_state_is_there_with_what_was_said_of_it(hit, record, panda):
    run = read_run(hit[0], panda)
    assert len(record) == len(run.states.time) and record.limits == "joint_load"
    assert np.array_equal(record.q, run.q) and np.array_equal(record.dq, run.dq)
    assert np.array_equal(record.normal_speed, run.control.values[:, 0])
    assert np.array_equal(record.speed_bound, run.control.values[:, 1], equal_nan=True)
    phases = [mode for mode, _ in groupby(record.mode)]
    assert phases == ["approach", "coast", "retract"]


def test_force_and_impulse_are_those_of_the_wall(record, evaluated, hit, panda):
    run = read_run(hit[0], panda)
    largest = np.linalg.norm(run.force.values, axis=1).max()
    assert np.linalg.norm(record.force, axis=1).max() == pytest.approx(largest, rel=1e-12)
    (touch,) = record.contact_starts
    later = record.index(record.time[touch] + 0.05)
    measured = record.impulse[later] - record.impulse[touch - 1]
    assert measured == pytest.approx(evaluated.rotation @ evaluated.impulse, abs=0.01)


def test_the_detection_comes_when_it_came(record, evaluated):
    ((time, text),) = record.detections
    touch = record.time[record.contact_starts[0]]
    assert time - touch == pytest.approx(evaluated.detection_delay, abs=1e-3)
    assert text == "fused at panda_link7, expected"


def test_an_announcement_holds_until_it_is_withdrawn(record):
    (touch,) = record.contact_starts
    assert record.announced[touch - 1] is not None
    assert record.announced[0] is None and record.announced[-1] is None


def test_trials_are_shown_as_far_as_they_say_something(tmp_path, panda):
    (trial,) = trials_of([load_scenario("iim_wall_cfg1")], 1, 0)
    run_trial(trial, tmp_path)
    timeline = Timeline(read_view(tmp_path / trial.name, panda, ANY), panda)
    record = timeline.record
    assert np.isnan(record.speed_bound).all() and set(record.mode) == {""}
    assert timeline.wall.source == "where a force began"
    touch = record.contact_starts[0] - 1  # one noisy sample
    assert timeline.speed[touch] == pytest.approx(0.08, rel=0.12)


@pytest.mark.parametrize("stamp", ["header", "detection_time"])
def test_a_damaged_event_is_not_shown_and_costs_nothing_else(tmp_path, panda, stamp):
    make, times = (
        SuiteMessages(impact_typestore(), panda.base_frame),
        (1_010_000_000, 1_020_000_000),
    )
    events = [make.event(Detection("fused", t, t, 9.0, 5.0), Assessment()) for t in times]
    damaged = events[0][1]
    read = damaged.header.stamp if stamp == "header" else damaged.detection_time
    read.nanosec = 3_000_000_000
    record = read_view(write(tmp_path / "bag", panda, beside=events), panda, ANY)
    assert len(record) == 50
    assert [time for time, _ in record.detections] == pytest.approx([0.02])


def test_joint_states_alone_are_enough(tmp_path, panda):
    timeline = Timeline(read_view(write(tmp_path / "bag", panda), panda, ANY), panda)
    instant = timeline.at(0.02)
    assert timeline.wall is None and instant.force is instant.solid is instant.impulse is None
    places = np.array([ArmDynamics(panda).position(q) for q in timeline.record.q])
    travelled = np.linalg.norm(np.diff(places, axis=0), axis=1)
    assert timeline.speed[1:] == pytest.approx(travelled / 1e-3, rel=0.01)
    assert instant.lines == ("time 0.020 s", f"speed {timeline.speed[20]:.3f} m/s")


def test_a_force_in_a_frame_of_the_arm_is_turned_into_base_axes(tmp_path, panda):
    frame = panda.contact_frame
    bag = write(tmp_path / "bag", panda, forces=["/wrench"], frame=frame)
    record = read_view(bag, panda, ANY)
    index = panda.model.getFrameId(frame)
    placement = Timeline(record, panda).at(record.time[9]).frames[index]
    assert record.force[10] == pytest.approx(placement[:3, :3] @ [0.0, 0.0, 20.0])
    assert record.remarks == ()


@pytest.mark.parametrize(("state_ms", "force_ms"), [(1, 1), (4, 1), (10, 1), (1, 10)])
@pytest.mark.parametrize("topics", [("/wrench",), ("/wrench", "/wrench_in_base")])
def test_the_impulse_does_not_depend_on_rates_or_topics(panda, state_ms, force_ms, topics):
    collector = Collector(ForceAxes(panda, {}))
    rest = np.zeros(panda.dof)
    for k in range(111):
        if k % state_ms == 0:
            collector.add(JointSample(k * 1_000_000, panda.stance, rest, rest))
        force = np.array([[100.0 if 40 <= k < 60 else 0.0, 0.0, 0.0]])
        for topic in topics if k % force_ms == 0 else ():
            collector.add(Force(ForceSample(k * 1_000_000, force), topic))
    assert collector.record().impulse[-1] == pytest.approx([2.0, 0.0, 0.0])


def test_batches_give_the_impulse_and_a_gap_of_single_forces_none(panda):
    collector, rest = Collector(ForceAxes(panda, {})), np.zeros(panda.dof)
    force = np.array([[100.0, 0.0, 0.0]])
    for k in (0, 1, 2, 2000, 2001):  # single forces, with a gap of two seconds
        collector.add(JointSample(k * 1_000_000, panda.stance, rest, rest))
        collector.add(Force(ForceSample(k * 1_000_000, force), "/wrench"))
    for k in (2002, 2003):  # ten forces within a millisecond each
        collector.add(JointSample(k * 1_000_000, panda.stance, rest, rest))
        collector.add(Force(ForceSample(k * 1_000_000, force), "/wrench"))
        batch = ForceSample(k * 1_000_000, np.repeat(force, 10, axis=0), 100_000)
        collector.add(Force(batch, "/wrench_batch"))
    collector.add(JointSample(2_004_000_000, panda.stance, rest, rest))
    assert collector.record().impulse[-1] == pytest.approx([0.1 * (2 + 1 + 1 + 2), 0.0, 0.0])


def test_a_force_in_a_frame_that_nobody_knows_is_told_and_not_shown(tmp_path, panda):
    bag = write(tmp_path / "bag", panda, forces=["/wrench"], frame="table")
    record = read_view(bag, panda, ANY)
    assert not record.force.any()
    assert record.remarks == ("forces on /wrench are not shown: panda has no frame 'table'",)


def test_contact_windows_are_one_line(tmp_path, panda):
    with pytest.raises(RecordingError, match=r"hit.h5: expected a bag or a CSV, got contact win"):
        read_view(tmp_path / "hit.h5", panda, ANY)


def test_another_arms_states_are_one_line(tmp_path, panda):
    from dataclasses import replace

    names = tuple(f"arm_{k}" for k in range(panda.dof))
    bag = write(tmp_path / "bag", replace(panda, joint_names=names))
    with pytest.raises(
        RecordingError,
        match=r"expected joint states of panda, got none \(of another arm: --robot\)$",
    ):
        read_view(bag, panda, ANY)
