# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `simulate`: its trials are physics, repeat, and are what the nodes would do."""

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rosbags")
pytest.importorskip("mujoco")

from impact_analysis.detection.detect_run import detect
from impact_bags import BagReader
from impact_bags.bag_recording import BagRecording, TopicChoice
from impact_cli.command_line import run as run_command
from impact_cli.reports.simulate_report import CAPTION, as_text, summary
from impact_detector.parameters import DetectorParameters
from impact_detector.signals.model_torque import ModelTorque
from impact_robots import ArmDynamics, contact_rotation
from impact_ros.messages import to_nanoseconds
from impact_ros.parameters import from_values
from impact_sim import load_scenario
from impact_trials.campaign import run_campaign, run_trial, trials_of
from impact_trials.in_process.impact_trial import run_impact
from impact_trials.trial import DETECTORS, Trial
from impact_trials.truth.trial_table import read_trials

ROOT = Path(__file__).resolve().parents[2]
TIME_OUT = 60.0
JOINTS = range(1, 8)
NAMES = ["iim_wall_cfg1", "iim_wall_cfg3"]
ASKED = [*NAMES, "--trials", "2", "--seed", "5"]
FILES = ("campaign.json", "trials.csv")


def simulate(folder, *arguments, jobs=1):
    assert run_command(["simulate", *arguments, "--record", str(folder), f"--jobs={jobs}"]) == 0
    return folder


def rows_of(folder):
    with (folder / "trials.csv").open() as file:
        return list(csv.DictReader(file))


def vector(row, pattern, keys):
    return np.array([float(row[pattern.format(key)]) for key in keys])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two trials of two configurations, on two processes."""
    return simulate(tmp_path_factory.mktemp("campaign") / "new" / "folder", *ASKED, jobs=2)


def contents(folder):
    """Return all files of a folder and its folders."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def rows(folder):
    return rows_of(folder)


@pytest.fixture(scope="module")
def free_motion(tmp_path_factory):
    """Folder and result of four seconds of free motion that take a payload up."""
    scenario = load_scenario("free_motion")
    scenario = replace(scenario, motion=scenario.motion | {"duration": 4.0})
    folder = tmp_path_factory.mktemp("free")
    return folder, run_trial(Trial(scenario, 0, 3), folder)


# --- the truth --------------------------------------------------------------------------------


def test_every_trial_has_its_row_and_its_bag(folder, rows):
    assert [(row["scenario"], row["trial"], row["seed"]) for row in rows] == [
        (NAMES[0], "0", "5"),
        (NAMES[0], "1", "6"),
        (NAMES[1], "0", "7"),
        (NAMES[1], "1", "8"),
    ]
    assert {path.name for path in folder.iterdir()} == {*FILES, *(r["bag"] for r in rows)}
    assert [float(row["speed_reference_mps"]) for row in rows] == [0.08, 0.10, 0.08, 0.10]


def test_the_arm_arrives_at_the_speed_that_was_asked_for(rows):
    for row in rows:
        asked = float(row["speed_reference_mps"])
        assert float(row["contact_speed_mps"]) == pytest.approx(asked, rel=0.02)
        assert int(row["contacts"]) == 1 and float(row["contact_duration_s"]) < 0.03


def test_the_detection_comes_after_the_impact_and_soon(rows):
    for row in rows:
        assert int(row["false_detections"]) == 0
        delay = float(row["detection_time_s"]) - float(row["impact_time_s"])
        assert 0.0 < delay < 6e-3
        assert float(row["detection_delay_s"]) == pytest.approx(delay, abs=1e-9)
        quiet, found = row["largest_statistic_before"], row["detection_statistic"]
        assert float(quiet) < float(row["detection_threshold"]) < float(found)
        assert 0.0 < float(row["torque_error_delay_s"]) < 6e-3
        assert float(row["torque_error_threshold_nm"]) < float(row["torque_error_statistic_nm"])


def test_the_impulse_is_the_change_of_momentum(rows, panda):
    """Of links and of what the torque loop leaves of the motors, and not of less or more."""
    for row in rows:
        R = contact_rotation(vector(row, "normal_{}", "xyz"))
        before = vector(row, "dq_before_{}_radps", JOINTS)
        state = ArmDynamics(panda)(vector(row, "q_{}_rad", JOINTS), before)
        J = R.T @ state.J[:3]
        jump = J @ (vector(row, "velocity_after_{}_radps", JOINTS) - before)
        impulse = vector(row, "impulse_{}_ns", "xyz")
        change = {
            name: J @ np.linalg.solve(state.M + np.diag(motors), J.T @ impulse)
            for name, motors in panda.motor_inertias.items()
        }
        np.testing.assert_allclose(change["M+B_theta"], jump, atol=0.015 * jump[2])
        assert change["M+B_rho"][2] < 0.9 * jump[2] < 1.1 * jump[2] < change["M"][2]
        assert impulse[2] == float(row["normal_impulse_ns"])
        slip = np.linalg.norm(impulse[:2])
        assert slip <= float(row["friction"]) * impulse[2] * (1 + 1e-9)
        assert float(row["contact_speed_mps"]) == pytest.approx(-(J @ before)[2])


def test_repetitions_differ_beyond_noise(rows):
    assert len({row["friction"] for row in rows}) == len(rows)
    assert all(0.1 <= float(row["friction"]) <= 0.2 for row in rows)
    phases = [float(row["impact_time_s"]) * 1e3 % 1.0 for row in rows]
    assert np.ptp(phases) > 0.1


def test_free_motion_has_no_impact(free_motion):
    _, result = free_motion
    assert result.row["impact_time_s"] is None and result.row["contact_speed_mps"] is None
    assert result.row["duration_s"] == 4.0
    assert 0.0 < result.row["payload_kg"] <= 2.0
    counts = ("false_detections", "torque_error_false_detections")
    assert sum(result.row[count] for count in counts) == len(result.detections)


def test_an_impact_that_is_not_detected_is_counted_as_missed(rows):
    kept = [row | {key: _number(row[key]) for key in row} for row in rows]
    kept[0] |= {"detection_time_s": None, "detection_delay_s": None}
    kept[2] |= {"impact_time_s": None, "false_detections": 1}
    first, _, third, _ = summary(kept)
    assert (first["missed"], first["detection_delay_median_s"]) == (1, None)
    assert (third["missed"], third["false_detections"]) == (0, 1)
    table = as_text(kept)[: -len(CAPTION)]
    assert len({len(line) for line in table.splitlines()}) == 1


def _number(text):
    try:
        return float(text) if text else None
    except ValueError:
        return text


# --- the same every time ----------------------------------------------------------------------


def test_the_same_seed_gives_the_same_files_on_one_process(folder, rows, tmp_path):
    assert contents(simulate(tmp_path / "again", *ASKED)) == contents(folder)


def test_a_campaign_that_was_stopped_goes_on_to_the_same_files(folder, rows, tmp_path, capsys):
    """The second row is half, its recording there; the third trial was never begun."""
    whole, out = contents(folder), tmp_path / "out"
    shutil.copytree(folder, out)
    shutil.rmtree(out / rows[2]["bag"])
    lines = whole["trials.csv"].splitlines(keepends=True)
    (out / "trials.csv").write_bytes(b"".join([lines[0], lines[4], lines[1], lines[2][:40]]))
    (out / ".unfinished_before" / rows[2]["bag"]).mkdir(parents=True)
    simulate(out, *ASKED)
    assert contents(out) == whole
    capsys.readouterr()
    simulate(out, *ASKED, "--json")
    document = json.loads(capsys.readouterr().out)
    assert document["trials"] == [{k: _value(k, text) for k, text in row.items()} for row in rows]
    assert contents(out) == whole


def _value(column, text):
    return text or None if column in ("scenario", "bag", "detector") else _number(text)


def test_a_killed_campaign_goes_on_to_the_same_files(folder, tmp_path):
    """Killed with two processes at work, and continued with one."""
    out = tmp_path / "out"
    process = child(out, *ASKED, "--jobs=2")
    try:
        wait_for(process, lambda: (out / "trials.csv").exists() and rows_of(out))
    finally:
        process.kill()
        process.communicate()
    simulate(out, *ASKED)
    assert contents(out) == contents(folder)


def test_a_trial_repeats_on_its_own(rows, capsys):
    """Seeds count up over all trials, so any scenario can be run again from its first seed."""
    assert run_command(["simulate", NAMES[1], "--trials=2", "--seed=7", "--json", "--jobs=1"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["output_dir"] is None
    for trial, row in zip(document["trials"], rows[2:], strict=True):
        assert trial["normal_impulse_ns"] == float(row["normal_impulse_ns"])
        assert trial["bag"] is None


def test_it_is_what_the_nodes_do_over_dds(tmp_path, monkeypatch):
    pytest.importorskip("rclpy")
    from impact_bringup.experiments.experiment import Run, run_experiment

    run = Run(load_scenario("qp_panda_demo"), "unaware", tmp_path / "dds", seed=4)
    run_experiment(run)
    with BagReader(run.bag) as bag:
        messages = list(bag.messages(["/joint_states", "/impact_qp/desired_joint_states"]))
        statuses = {stamp(m): m for _, _, m in bag.messages(["/impact_detector/status"])}
    states = {stamp(m): m for topic, _, m in messages if topic == "/joint_states"}
    desired = {stamp(m): m for topic, _, m in messages if topic != "/joint_states"}
    cycles = []
    scenario = replace(run.scenario, controller="unaware")
    result = run_impact(Trial(scenario, 0, 4), lambda cycle, _: cycles.append(cycle))
    assert result.detections and set(states) >= {cycle.time for cycle in cycles}
    for cycle in cycles:
        state, status = states[cycle.time], cycle.status
        for one, other in (
            (state.position, cycle.measurement.q),
            (state.velocity, cycle.measurement.dq),
            (state.effort, cycle.measurement.tau),
            (desired[cycle.time].effort, cycle.answer.reference_torque),
            ([statuses[cycle.time].statistic], [status.statistic]),
        ):
            np.testing.assert_array_equal(one, other)


def stamp(message):
    return to_nanoseconds(message.header.stamp)


# --- recordings -------------------------------------------------------------------------------


def found_in(bag, threshold, robot):
    values = {
        "detectors": list(DETECTORS),
        "threshold": threshold,
        "wrench_normal": [-1.0, 0.0, 0.0],
    }
    recording = BagRecording(bag, robot, TopicChoice())
    return detect(recording, from_values(DetectorParameters, values), robot, ModelTorque(robot))


def test_detect_finds_in_the_bag_what_the_loop_found(folder, rows, panda):
    for row in rows:
        threshold = float(row["torque_error_threshold_nm"])
        result = found_in(folder / row["bag"], threshold, panda)
        found = {detection.detector: detection for detection in result.detections}
        first, second = (found[name] for name in DETECTORS)
        assert first.detection_time * 1e-9 == pytest.approx(
            float(row["detection_time_s"]), abs=1e-9
        )
        assert len(result.detections) == 2
        assert all(each.expected for each in result.assessments)
        assert all(each.location.contact for each in result.assessments)
        assert first.statistic == float(row["detection_statistic"])
        assert second.statistic == float(row["torque_error_statistic_nm"])
        assert first.impact_time * 1e-9 == pytest.approx(float(row["impact_time_s"]), abs=1e-4)
        assert result.first_time * 1e-9 >= float(row["impact_time_s"]) - 0.6


def test_every_statistic_is_the_same_from_the_bag(tmp_path, panda):
    """Bit for bit: the bag holds the numbers that the detector was given."""
    (trial,) = trials_of([load_scenario("iim_wall_cfg2")], 1, 11)
    statuses = []
    run_impact(trial, lambda cycle, _: statuses.append(cycle.status))
    run_trial(trial, tmp_path)
    result = found_in(tmp_path / trial.name, trial.scenario.detection_threshold, panda)
    ready = [status for status in statuses if status.ready]
    assert (result.samples, result.judged) == (len(statuses), len(ready))
    largest = max(ready, key=lambda status: status.statistic)
    assert result.largest.statistic == largest.statistic
    assert result.largest.time == largest.time


def test_detect_takes_the_folder(folder, rows, capsys):
    assert run_command(["detect", str(folder), "--json"]) == 0
    events = json.loads(capsys.readouterr().out)["events"]
    found = {Path(event["file"]).name: event["statistic"] for event in events}
    assert found == {row["bag"]: float(row["detection_statistic"]) for row in rows}


def test_a_bag_has_the_topics_of_the_nodes(folder, rows, panda):
    with BagReader(folder / rows[0]["bag"]) as bag:
        assert set(bag.topics) == {
            "/joint_states",
            "/impact_qp/announcement",
            "/impact_qp/desired_joint_states",
            "/wrench",
            "/wrench_batch",
        }
        batches = [message for _, _, message in bag.messages(["/wrench_batch"])]
        (state, *_) = (message for _, _, message in bag.messages(["/joint_states"]))
    force = np.concatenate([message.force.reshape(-1, 3) for message in batches])
    assert -force[:, 0].min() == pytest.approx(float(rows[0]["peak_force_n"]), abs=3.0)
    assert tuple(state.name) == panda.joint_names
    size = sum(path.stat().st_size for path in (folder / rows[0]["bag"]).iterdir())
    assert size < 2e6


def test_a_free_motion_can_be_searched_for_false_alarms(free_motion, panda):
    folder, result = free_motion
    found = found_in(folder / result.row["bag"], 2.5, panda)
    assert len(found.detections) == len(result.detections)
    assert found.samples == 4001
    assert found.largest.statistic == result.row["largest_statistic_before"]


# --- endings ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["moon"], "scenario: expected one of qp_panda_demo, "),
        (["iim_wall_cfg1", "--trials", "0"], "expected a whole number, at least 1, got '0'"),
        (["iim_wall_cfg1", "--jobs", "x"], "expected a whole number, at least 1, got 'x'"),
        (["iim_wall_cfg1", "--seed", "-1"], "expected an integer from 0 to 2^63 - 1, got '-1'"),
        (["iim_wall_cfg1", "--record", "{full}"], "expected a new or empty folder, "),
        (["iim_wall_cfg1", "--record", "{file}"], "expected a new folder, "),
        (["iim_wall_cfg1", "--record", "{file}/x"], "cannot make "),
        ([], "the following arguments are required: SCENARIO"),
        (["iim_wall_cfg1", "--parquet"], "--parquet and --keep-bags need --record DIR"),
        (["iim_wall_cfg1", "--keep-bags", "10"], "--parquet and --keep-bags need --record DIR"),
    ],
)
def test_wrong_usage_is_one_line_and_status_two(arguments, text, tmp_path, refused):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine")
    places = {"full": tmp_path / "full", "file": tmp_path / "full" / "file"}
    assert text in refused("simulate", *(item.format(**places) for item in arguments))
    assert (tmp_path / "full" / "file").read_text() == "mine"


def test_a_trial_that_fails_says_which(tmp_path):
    scenario = replace(load_scenario("iim_wall_cfg1"), run_up=5.0)
    with pytest.raises(Exception, match=r"^iim_wall_cfg1_000: inverse kinematics: "):
        list(run_campaign(trials_of([scenario], 2, 0), None, 2))


def test_a_cluster_gives_the_same_rows_in_the_same_order(folder, rows, tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        protocol="tcp",
        dashboard_address=None,
    ) as cluster:
        again = [*ASKED, "--dask", cluster.scheduler_address]
        simulate(tmp_path / "there", *again)
        assert contents(tmp_path / "there") == contents(folder)
        for row in rows[:3]:
            shutil.rmtree(tmp_path / "there" / row["bag"])
        simulate(tmp_path / "there", *again)
    assert contents(tmp_path / "there") == contents(folder)


def test_rows_in_parquet_are_those_of_the_table(folder, tmp_path, panda):
    pytest.importorskip("pyarrow")
    simulate(tmp_path / "parquet", *ASKED, "--keep-bags", "2", "--parquet", jobs=2)
    found = read_trials(tmp_path / "parquet", panda.dof)
    kept = [each for each in read_trials(folder, panda.dof) if int(each.bag.name[-3:]) % 2 == 0]
    assert [repr(each) for each in found] == [
        repr(replace(each, bag=tmp_path / "parquet" / each.bag.name)) for each in kept
    ]
    bags = {each.bag.name for each in kept}
    assert {each.name for each in (tmp_path / "parquet").iterdir()} == {
        *bags,
        "campaign.json",
        "trials",
    }
    for name in bags:
        assert contents(tmp_path / "parquet" / name) == contents(folder / name)


def test_a_scheduler_that_is_not_there_is_one_line(tmp_path, refused):
    given = ["simulate", "iim_wall_cfg1", "--record", tmp_path / "new"]
    assert "--dask: no scheduler at 'tcp://127.0.0.1:9'" in refused(
        *given, "--dask", "tcp://127.0.0.1:9"
    )


@pytest.mark.skipif(os.name != "posix", reason="signals are sent the way a terminal does it")
@pytest.mark.parametrize(("jobs", "whole_group"), [(1, True), (2, True), (2, False)])
def test_what_was_finished_before_ctrl_c_is_kept(tmp_path, jobs, whole_group, panda):
    folder = tmp_path / "campaign"
    process = child(folder, "iim_wall_cfg1", "--trials", "500", f"--jobs={jobs}")
    try:
        wait_for(process, lambda: (folder / "trials.csv").exists() and len(rows_of(folder)) > 1)
        send = os.killpg if whole_group else os.kill
        send(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=TIME_OUT)
    finally:
        process.kill()
    assert (process.returncode, out) == (130, "")
    rows = rows_of(folder)
    assert len(rows) >= 2
    assert err == (
        f"impact simulate: interrupted; {len(rows)} of 500 trials are finished, repeat the call"
        " to continue\n"
    )
    assert {path.name for path in folder.iterdir()} == {*FILES, *(r["bag"] for r in rows)}
    assert found_in(folder / rows[-1]["bag"], 1.8, panda).detections


def child(folder, *arguments):
    """Begin a campaign in a process of its own."""
    entries = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.Popen(
        [sys.executable, "-m", "impact_cli", "simulate", *arguments, "--record", str(folder)],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(entries)},
        start_new_session=True,
    )


def wait_for(process, condition):
    """Wait until something holds about a running process."""
    end = time.monotonic() + TIME_OUT
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.01)


def test_help_shows_an_example_and_the_scenarios(capsys):
    with pytest.raises(SystemExit) as ended:
        run_command(["simulate", "--help"])
    out = capsys.readouterr().out
    assert ended.value.code == 0
    assert "impact simulate iim_wall_cfg1 iim_wall_cfg2" in out and "free_motion" in out
