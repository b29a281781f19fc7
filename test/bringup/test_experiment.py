# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One experiment over real DDS: all is recorded, no chance, failures are reported."""

import os
import signal

import numpy as np
import pytest
from noted_children import noted_children
from plain_messages import plain

pytest.importorskip("rclpy")
pytest.importorskip("rosbags")

import impact_bringup.experiments.child
from impact_bags import BagReader
from impact_bags.reading.run_record import Run
from impact_bringup.experiments import conductor, experiment
from impact_bringup.experiments.conductor import ExperimentError
from impact_bringup.experiments.experiment import RECORDED, run_experiment
from impact_ros.messages import to_nanoseconds
from impact_sim.ros import lockstep_node

STATES = "/joint_states"
COMMAND = "/impact_qp/command"
PER_STATE = {
    STATES,
    "/wrench",
    COMMAND,
    "/impact_qp/commands",
    "/impact_qp/desired_joint_states",
    "/impact_qp/status",
    "/impact_detector/status",
}
# What is measured with the wall clock.
WALL_CLOCK = {"solve_time", "cycle_time", "timestamp"}


@pytest.fixture(scope="module")
def reports(scenario, tmp_path_factory):
    """Two runs with the same seed: folder and report of each."""
    folders = [tmp_path_factory.mktemp("experiment") / "run" for _ in range(2)]
    return [(folder, run_experiment(Run(scenario, "existential", folder))) for folder in folders]


@pytest.fixture
def suite(monkeypatch):
    """The suite's process, in a list, once it was started."""
    return noted_children(monkeypatch, experiment)


def at(time, action):
    """Return a progress function that acts once, when that much was simulated."""
    done = []

    def progress(now, gap):
        if now >= time and not done:
            done.append(now)
            action()

    return progress


def times(bag, topic):
    with BagReader(bag) as reader:
        return [to_nanoseconds(message.header.stamp) for _, _, message in reader.messages([topic])]


def recorded(bag):
    """Return all messages by topic; what was sent again over a pause of the machine counts once."""
    messages = {}
    with BagReader(bag) as reader:
        for topic, time, message in reader.messages(list(reader.topics)):
            entry, heard = (time, plain(message, WALL_CLOCK)), messages.setdefault(topic, [])
            if entry not in heard[-1:]:
                heard.append(entry)
    return messages


def test_everything_is_recorded_once_per_state(reports):
    folder, report = reports[0]
    counts = {topic: len(messages) for topic, messages in recorded(folder / "bag").items()}
    assert set(counts) >= RECORDED | PER_STATE
    states = round(report.simulated_seconds * 1000) + 1
    assert {topic: counts[topic] for topic in PER_STATE} == dict.fromkeys(PER_STATE, states)
    assert counts["/wrench_batch"] == states - 1  # none before the first millisecond
    assert counts["/impact_detector/impact"] == counts["/impact_detector/estimate"] == 1
    assert report.missed_cycles == 0
    assert 0.8 < report.simulated_seconds < 1.5


def test_every_state_has_its_answer(reports):
    bag = reports[0][0] / "bag"
    states = sorted(set(times(bag, STATES)))
    assert np.diff(states).tolist() == [1_000_000] * (len(states) - 1)
    for topic in PER_STATE - {"/impact_qp/commands"}:  # Float64MultiArray has no stamp
        assert sorted(set(times(bag, topic))) == states, topic


def test_two_runs_are_identical_bit_by_bit(reports):
    first, second = (recorded(folder / "bag") for folder, _ in reports)
    assert set(first) == set(second)
    for topic in first:
        if topic == "/impact_qp/transition_event":  # wall-clock times all through
            continue
        assert first[topic] == second[topic], topic


def test_the_suites_log_holds_no_complaint(reports):
    for folder, _ in reports:
        lines = (folder / "suite.log").read_text().splitlines()
        told = [line for line in lines if "is taken as exact" not in line]  # so scenarios have it
        assert not any("WARN" in line or "ERROR" in line for line in told)


def test_against_the_wall_clock_it_ends_and_counts_missed_cycles(scenario, tmp_path):
    run = Run(scenario, "robust", tmp_path / "run", realtime=True, duration=1.0)
    report = run_experiment(run)
    assert report.simulated_seconds == 1.0
    assert 0 <= report.missed_cycles < 1000
    assert len(times(run.bag, STATES)) == 1001


# --- failures ---------------------------------------------------------------------------------


def test_a_killed_suite_is_one_line_and_the_recording_is_readable(scenario, tmp_path, suite):
    run = Run(scenario, "unaware", tmp_path / "run", progress=at(0.2, lambda: suite[0].kill()))
    with pytest.raises(ExperimentError, match=r"^the suite was killed by SIGKILL") as caught:
        run_experiment(run)
    assert "\n" not in str(caught.value)
    assert str(run.folder / "suite.log") in str(caught.value)
    assert suite[0].returncode == -signal.SIGKILL
    assert len(times(run.bag, STATES)) >= 200


def test_a_frozen_suite_is_one_line_and_no_process_is_left(scenario, tmp_path, suite, monkeypatch):
    monkeypatch.setattr(lockstep_node, "GIVE_UP_AFTER", 1.0)
    monkeypatch.setattr(impact_bringup.experiments.child, "STOP_TIMEOUT", 0.2)
    run = Run(
        scenario,
        "unaware",
        tmp_path / "run",
        progress=at(0.2, lambda: suite[0].send_signal(signal.SIGSTOP)),
    )
    with pytest.raises(ExperimentError, match=r"^no command for \d+ s: is the controller running"):
        run_experiment(run)
    assert suite[0].returncode == -signal.SIGKILL
    assert len(times(run.bag, STATES)) >= 200


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_suite_and_finishes_the_recording(scenario, tmp_path, suite, number):
    run = Run(
        scenario,
        "unaware",
        tmp_path / "run",
        progress=at(0.1, lambda: os.kill(os.getpid(), number)),
    )
    with pytest.raises(KeyboardInterrupt):
        run_experiment(run)
    assert suite[0].returncode == 0
    assert len(times(run.bag, STATES)) >= 100


@pytest.mark.parametrize(
    ("parameters", "line"),
    [
        (
            {"impact_detector": {"ros__parameters": {"threshold": -1.0}}},
            r"^the suite ended with status 2 \(suite: parameter threshold: expected a number",
        ),
        (
            {"impact_predictor": {"ros__parameters": {"robot": "pandaa"}}},
            r"^the suite ended with status 1 \(suite: .*expected one of cassie, fr3, hrp4, panda",
        ),
        ({"impact_qp": 3}, r"^the suite ended with status 2 \(suite: cannot start ROS: "),
        ({}, r"refused to configure \(.*contact_point: expected three finite"),
    ],
)
def test_a_suite_that_cannot_start_says_why_in_one_line(
    scenario, tmp_path, suite, monkeypatch, parameters, line
):
    monkeypatch.setattr(experiment, "suite_parameters", lambda run: parameters)
    with pytest.raises(ExperimentError, match=line) as caught:
        run_experiment(Run(scenario, "robust", tmp_path / "run"))
    assert "\n" not in str(caught.value)
    assert suite[0].returncode is not None


def test_a_suite_that_does_not_appear_is_waited_for_and_then_told(
    scenario, tmp_path, suite, monkeypatch
):
    monkeypatch.setattr(conductor, "STARTUP_TIMEOUT", 0.05)
    with pytest.raises(ExperimentError, match=r"^waited 0 s for the controller to start \(log: "):
        run_experiment(Run(scenario, "robust", tmp_path / "run"))
    assert suite[0].returncode is not None


def test_a_folder_that_exists_is_one_line_and_nothing_starts(scenario, tmp_path, suite):
    with pytest.raises(ExperimentError, match=r"^cannot make the folder .*: File exists$"):
        run_experiment(Run(scenario, "robust", tmp_path))
    assert suite == []
