# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `detect`: real and made recordings, one JSON document, one line for a mistake."""

import json

import numpy as np
import pytest

from impact_analysis.detection.detect_run import detect as detect_in
from impact_analysis.detection.event_plot import MOST, Traces
from impact_bags import BagWriter
from impact_bags.reading.csv_recording import CsvRecording
from impact_bags.reading.recording import RecordedReference, in_time_order
from impact_detector import Detection, JointSample, ModelTorque
from impact_detector.attribution.expectation import Announcement
from impact_detector.parameters import DetectorParameters
from impact_detector.session import Outcome
from impact_robots import load_robot

MILLISECOND = 1_000_000
NAMES = [f"panda_joint{i}" for i in range(1, 8)]
HEADER = ["time_s"] + [
    pattern.format(i)
    for pattern in ("q{}_rad", "dq{}_radps", "tau{}_nm", "tau_ref{}_nm")
    for i in range(1, 8)
]
SECOND_HIT = 700  # [ms]


@pytest.fixture
def detect(impact):
    """A function that runs the command and returns status, output and error output."""

    def run(*arguments, by="torque_error"):
        return impact("detect", *arguments, *(["--detectors", by] if by else []))

    return run


@pytest.fixture
def free_motion_file(shared_data):
    file = shared_data / "real" / "panda_free_motion.csv"
    if not file.is_file():
        pytest.skip(f"the recording {file.name} is not there")
    return file


def torques(k):
    """Half a sine of 6 N.m on joint 6 at 100 ms and at SECOND_HIT, shape (7,)."""
    tau = np.zeros(7)
    for start in (100, SECOND_HIT):
        tau[5] += 6.0 * np.sin(np.pi * np.clip((k - start) / 18.0, 0.0, 1.0))
    return tau


@pytest.fixture
def csv_file(tmp_path):
    """A CSV with recorded reference torques and two impacts."""
    rows = [np.concatenate([[k * 1e-3], np.zeros(14), torques(k), np.zeros(7)]) for k in range(900)]
    file = tmp_path / "two_impacts.csv"
    np.savetxt(file, rows, delimiter=",", header=",".join(HEADER), comments="")
    return file


def write_bag(folder, *, desired="/impact_qp/desired_joint_states", storage="mcap", swap=False):
    """Write a bag with an impact at 100 ms, its desired torques seen one sample later."""
    with BagWriter(folder, storage=storage) as bag:
        types = bag.typestore.types

        def joint_state(k, effort):
            stamp = types["builtin_interfaces/msg/Time"](0, k * MILLISECOND)
            header = types["std_msgs/msg/Header"](stamp, "")
            empty = np.zeros(7)
            return types["sensor_msgs/msg/JointState"](header, NAMES, empty, empty, effort)

        for k in range(300):
            commanded, before = (np.full(7, 3.0 * (-1) ** j) for j in (k, k - 1))
            pair = [("/joint_states", torques(k) + before), (desired, commanded)]
            for topic, effort in reversed(pair) if swap else pair:
                if topic:
                    kind = "sensor_msgs/msg/JointState"
                    bag.write(topic, kind, joint_state(k, effort), time_ns=k * MILLISECOND)
    return folder


def test_the_real_arm_in_free_motion_has_no_impact(detect, free_motion_file):
    status, out, err = detect(free_motion_file)
    assert (status, err) == (0, "")
    assert "reference torque: model (no desired torque recorded)" in out
    assert "impacts: 0" in out and "threshold 2.500 N.m" in out


def test_json_is_one_document_and_nothing_else(detect, free_motion_file):
    status, out, err = detect(free_motion_file, "--json")
    result = json.loads(out)
    assert (status, err, result["events"]) == (0, "", [])
    assert 0.3 < result["largest_statistic"] < 0.5 * result["threshold"]
    assert result["reference"] == "model" and result["samples"] == 10_000


def test_it_is_not_silent_on_the_real_arm_by_construction(detect, free_motion_file, tmp_path):
    """Impacts of 6 N.m on top of the real arm's own motion and noise."""
    rows = np.loadtxt(free_motion_file, delimiter=",", skiprows=1)
    starts = np.arange(1.0, 9.5, 1.0)
    for start in starts:
        rows[:, 15 + 5] -= 6.0 * np.sin(np.pi * np.clip((rows[:, 0] - start) / 0.018, 0, 1))
    file = tmp_path / "with_impacts.csv"
    header = ",".join(HEADER[:22])
    np.savetxt(file, rows, delimiter=",", header=header, comments="", fmt="%.9g")
    events = json.loads(detect(file, "--json")[1])["events"]
    delays = np.array([event["detection_time_s"] for event in events]) - starts
    assert len(events) == len(starts) and delays.min() > 0 and delays.max() < 0.006


def test_a_recorded_reference_is_used_and_both_impacts_are_found(detect, csv_file):
    status, out, _ = detect(csv_file, "--json")
    result = json.loads(out)
    assert status == 0 and result["reference"] == "desired"
    first, second = result["events"]
    assert first["impact_time_s"] == pytest.approx(0.100, abs=0.0015)
    assert first["detection_time_s"] == pytest.approx(0.103, abs=0.0005)
    assert second["detection_time_s"] == pytest.approx(SECOND_HIT * 1e-3 + 0.003, abs=0.0005)
    assert first["statistic"] > first["threshold"] == 2.5 and first["detector"] == "torque_error"


def test_what_is_above_the_threshold_while_not_armed_is_listed(detect, csv_file):
    asked = (csv_file, "--rearm-time", "1")
    result = json.loads(detect(*asked, "--json")[1])
    (event,), (no_event,) = result["events"], result["no_events"]
    assert event["detection_time_s"] == pytest.approx(0.103, abs=0.0005)
    assert no_event["time_s"] == pytest.approx(SECOND_HIT * 1e-3 + 0.003, abs=0.0005)
    assert no_event["statistic"] > no_event["threshold"] == 2.5
    assert no_event["reason"] == "0.600 s after an impact, before 1 s of quiet"
    out = detect(*asked)[1]
    assert "above a threshold, but no event: 1\n    0.7030 s, torque_error 2.9" in out
    assert json.loads(detect(csv_file, "--json")[1])["no_events"] == []


def test_a_rate_too_low_for_a_detector_is_said(detect, free_motion_file, tmp_path):
    rows = np.loadtxt(free_motion_file, delimiter=",", skiprows=1)[:2000]
    rows[:, 0] = 0.005 * np.arange(len(rows))
    file = tmp_path / "slow.csv"
    np.savetxt(file, rows, delimiter=",", header=",".join(HEADER[:22]), comments="")
    said = "fused needs at least 333 Hz, got 200 Hz: use momentum or torque_error or force"
    status, out, err = detect(file, by="fused")
    assert status == 1 and said in out and said in err and err.count("\n") == 1
    status, out, err = detect(file, "--json", by="momentum,fused")
    assert json.loads(out)["troubles"] == [said] and (status, err) == (0, "")


def test_joints_and_threshold_can_be_chosen(detect, csv_file):
    assert json.loads(detect(csv_file, "--json", "--joints", "1,2")[1])["events"] == []
    assert json.loads(detect(csv_file, "--json", "--threshold", "6.5")[1])["events"] == []


@pytest.mark.parametrize("storage", ["mcap", "sqlite3"])
@pytest.mark.parametrize("swap", [False, True])
def test_a_bag_pairs_each_state_with_the_answer_before_it(detect, tmp_path, storage, swap):
    bag = write_bag(tmp_path / "bag", storage=storage, swap=swap)
    right = json.loads(detect(bag, "--json")[1])
    wrong = json.loads(detect(bag, "--json", "--pairing", "same")[1])
    assert right["reference"] == "desired" and right["samples"] == 300
    (event,) = right["events"]
    assert event["detection_time_s"] == pytest.approx(0.103)
    assert right["largest_statistic"] == pytest.approx(6.0, abs=0.1)
    assert wrong["largest_statistic"] > 11.0


def test_a_folder_gives_each_bag(detect, tmp_path):
    for name in ("a", "b"):
        write_bag(tmp_path / name / "bag", desired="")
    status, out, _ = detect(tmp_path, "--json")
    result = json.loads(out)
    assert status == 0 and result["samples"] == 600
    assert [item["file"][-5:] for item in result["files"]] == ["a/bag", "b/bag"]
    assert result["reference"] == ["model"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["nowhere.csv"], "nowhere.csv: no such file or folder"),
        (["{text}"], "expected a .csv, .mcap, .db3 or .h5 file or a folder of bags"),
        (
            ["{folder}"],
            "expected bags (*.mcap, *.db3), CSVs (column time_s) or contact windows (*.h5,"
            " windows.parquet) in the folder, found none",
        ),
        (
            ["{csv}", "--robot", "kuka"],
            "expected one of cassie, fr3, hrp4, panda, panda_plate or a YAML file, got 'kuka'",
        ),
        (["{csv}", "--joints", "8"], "joints: expected numbers from 1 to 7, got 8"),
        (["{csv}", "--joints", "five"], "expected joint numbers such as 5,6, got 'five'"),
        (["{csv}", "--threshold", "0"], "expected a number of at least"),
        (["{columns}"], "missing q1_rad, q2_rad, q3_rad, q4_rad, q5_rad, q6_rad, q7_rad; got t"),
        (["{empty}"], "missing time_s; got none"),
    ],
)
def test_wrong_usage_gets_one_line_and_status_two(refused, tmp_path, csv_file, arguments, text):
    files = {"csv": csv_file, "folder": tmp_path / "folder"}
    files["folder"].mkdir()
    for name, content in (("text", "hello"), ("columns", "time_s,a\n0,1\n"), ("empty", "")):
        files[name] = tmp_path / f"{name}{'.txt' if name == 'text' else '.csv'}"
        files[name].write_text(content)
    assert text in refused("detect", *[argument.format(**files) for argument in arguments])


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("1,2,3", "line 3: expected 29 fields, got 3"),
        (",".join(["x"] * 29), "line 3: time_s: expected a number, got 'x'"),
    ],
)
def test_a_damaged_file_fails_with_its_line(refused, tmp_path, line, text):
    file = tmp_path / "damaged.csv"
    file.write_text("\n".join([",".join(HEADER), ",".join(["0"] * 29), line]) + "\n")
    assert text in refused("detect", file)


def slow_csv(path, period):
    """Write joint states with torques, one each ``period`` seconds."""
    rows = np.ones((300, 29))
    rows[:, 0] = period * np.arange(len(rows))
    np.savetxt(path, rows, delimiter=",", header=",".join(HEADER), comments="")
    return path


def test_at_10_hz_no_detector_is_recommended_that_needs_more(detect, impact, tmp_path):
    file = slow_csv(tmp_path / "slow.csv", 0.1)
    error = detect(file, by="fused")[2]
    assert "fused needs at least 333 Hz, got 10 Hz: use torque_error or force" in error
    out = impact("analyze", file, "--out", tmp_path / "out")[1]
    assert "could not judge at all: momentum needs at least 20 Hz, got 10 Hz: use torque" in out
    assert "momentum judges" not in out and "for some time" not in out and "in ms?" not in out


def test_stamps_in_milliseconds_are_asked_about(detect, impact, tmp_path):
    file = slow_csv(tmp_path / "slow.csv", 1.0)
    assert "joint states come at 1 Hz: are the stamps (time_s) in ms?" in detect(file)[1]
    assert "are the stamps (time_s) in ms?" in impact("analyze", file, "--out", tmp_path / "o")[1]


def test_only_columns_that_are_needed_are_numbers(detect, csv_file):
    expected = json.loads(detect(csv_file, "--json")[1])
    head, *rows = csv_file.read_text().splitlines()
    lines = [f"phase,{head}", *(f"free,{row}" for row in rows)]
    csv_file.write_text("\n".join(lines))
    assert json.loads(detect(csv_file, "--json")[1]) == expected


def test_torques_are_optional_all_together(impact, refused, csv_file, tmp_path):
    rows = np.loadtxt(csv_file, delimiter=",", skiprows=1)
    rows[600:, 8 + 5] = 2.0  # joint 6 is pushed, at rest before
    kept = {"bare.csv": range(15), "some.csv": range(18)}
    for name, columns in kept.items():
        header = ",".join(HEADER[i] for i in columns)
        path = tmp_path / name
        np.savetxt(path, rows[:, columns], delimiter=",", header=header, comments="")
    by = ("--detectors", "acceleration", "--json")
    status, out, _ = impact("detect", tmp_path / "bare.csv", *by)
    assert status == 0 and len(json.loads(out)["events"]) == 1
    assert "missing tau4_nm, tau5_nm, tau6_nm, tau7_nm;" in refused("detect", tmp_path / "some.csv")


@pytest.mark.parametrize(("separator", "name"), [(";", "';'"), ("\t", "'\\t'")])
def test_another_separator_is_asked_about(refused, csv_file, separator, name):
    text = csv_file.read_text().replace(",", separator).replace(".", ",")
    csv_file.write_text(text)
    said = f"separated by {name}? expected commas and decimal points"
    assert said in refused("detect", csv_file)
    assert said in refused("detect", csv_file.parent)


def test_a_decimal_comma_is_asked_about(refused, csv_file):
    head, row, *_ = csv_file.read_text().splitlines()
    first, *others = row.split(",")
    csv_file.write_text("\n".join([head, ",".join([first, '"0,5"', *others[1:]])]))
    line = "line 2: q1_rad: expected a number, got '0,5'; a decimal comma? expected a point"
    assert line in refused("detect", csv_file)


def test_a_file_without_a_torque_to_judge_fails_and_says_so(detect, tmp_path):
    file = tmp_path / "short.csv"
    file.write_text("\n".join([",".join(HEADER), ",".join(["0"] * 29)]) + "\n")
    status, out, err = detect(file, "--json")
    assert status == 1 and json.loads(out)["largest_statistic"] is None
    assert "no sample could be judged" in err


@pytest.mark.parametrize(
    ("joints", "velocity", "said", "unsaid"),
    [
        ("fr3", np.zeros(7), "got fr3_joint1, fr3_joint2", "missing"),
        ("panda", np.zeros(0), "(velocities missing)", "another robot"),
    ],
)
def test_joint_states_that_cannot_be_used_are_explained(
    detect, impact, tmp_path, joints, velocity, said, unsaid
):
    """A bag of another arm has no torque missing, and one without velocities is no other arm."""
    with BagWriter(tmp_path / "bag") as bag:
        types = bag.typestore.types
        for k in range(100):
            stamp = types["builtin_interfaces/msg/Time"](0, k * MILLISECOND)
            header = types["std_msgs/msg/Header"](stamp, "")
            names = [name.replace("panda", joints) for name in NAMES]
            kind = "sensor_msgs/msg/JointState"
            state = types[kind](header, names, np.zeros(7), velocity, np.ones(7))
            bag.write("/joint_states", kind, state, time_ns=k * MILLISECOND)
    status, _, error = detect(tmp_path / "bag", by="")
    assert status == 1 and said in error and unsaid not in error
    status, out, _ = impact("analyze", tmp_path / "bag", "--out", tmp_path / "out")
    assert status == 1 and said.strip("()") in out and "no joint state\n" not in out
    assert unsaid not in out


@pytest.mark.parametrize("columns", [slice(1, 8), slice(8, 15)])
def test_a_recording_in_degrees_is_asked_about(detect, tmp_path, columns):
    rows = np.zeros((200, 29))
    rows[:, 0] = np.arange(200) * 1e-3
    rows[:, 1:8], rows[:, 8:15] = load_robot("panda").stance, 0.5
    path = tmp_path / "states.csv"

    def output():
        np.savetxt(path, rows, delimiter=",", header=",".join(HEADER), comments="")
        return detect(path)[1]

    assert "is it in degrees?" not in output()
    rows[40, columns] = np.degrees(rows[40, columns])  # an error of the sensor
    assert "is it in degrees?" not in output()
    rows[60:, columns] = np.degrees(rows[60:, columns])
    assert "is it in degrees?" in output()


def test_help_shows_an_example(detect):
    status, out, _ = detect("--help")
    assert status == 0 and "impact detect panda_free_motion.csv" in out


def state(k):
    return JointSample(k * MILLISECOND, np.zeros(1), np.zeros(1), None)


def test_an_announcement_comes_behind_the_state_that_it_answers():
    said, one = Announcement(MILLISECOND), MILLISECOND
    items = [said, state(2), state(1), RecordedReference(one, None)]
    assert list(in_time_order(items)) == [items[3], items[2], said, items[1]]


def test_items_are_sorted_references_first_and_a_loop_begins_anew():
    one = MILLISECOND
    items = [
        state(1),
        state(0),
        RecordedReference(0, None),
        RecordedReference(one, None),
        state(2000),
        state(5),
    ]
    order = [(item.time // MILLISECOND, type(item).__name__) for item in in_time_order(items)]
    assert order == [
        (0, "RecordedReference"),
        (0, "JointSample"),
        (1, "RecordedReference"),
        (1, "JointSample"),
        (2000, "JointSample"),
        (5, "JointSample"),
    ]


# --- pictures -----------------------------------------------------------------------------------


def test_time_that_runs_back_is_said_and_counts_in_no_duration(detect, csv_file):
    rows = np.loadtxt(csv_file, delimiter=",", skiprows=1)
    rows[400:, 0] -= 1.0
    np.savetxt(csv_file, rows, delimiter=",", header=",".join(HEADER), comments="")
    _, out, _ = detect(csv_file)
    assert "900 samples in 0.898 s, " in out
    assert "time jumps back 1 times, by up to 0.999 s: what follows counts as a new" in out
    document = json.loads(detect(csv_file, "--json")[1])
    assert document["duration_s"] == pytest.approx(0.898)
    assert document["jumps_back_s"] == pytest.approx([0.999])


def test_a_column_that_is_there_twice_is_refused(refused, csv_file):
    text = csv_file.read_text()
    csv_file.write_text(text.replace(",tau7_nm", ",q1_rad", 1).replace("tau_ref7_nm", "tau7_nm", 1))
    assert "expected one column q1_rad, got several" in refused("detect", csv_file)


def test_a_picture_has_a_panel_for_each_event(detect, csv_file, tmp_path):
    from matplotlib.image import imread

    heights = []
    for threshold in (2.5, 100.0):
        picture = tmp_path / f"above_{threshold:g}.png"
        status, out, err = detect(csv_file, "--threshold", threshold, "--plot", picture)
        assert (status, err) == (0, "")
        heights.append(imread(picture).shape[0])
    assert "impacts: 0" in out
    assert heights[0] > 1.7 * heights[1]  # two panels, and one that says that there is no event


def test_a_picture_that_cannot_be_written_is_one_line(detect, csv_file, tmp_path):
    status, _, err = detect(csv_file, "--plot", tmp_path / "missing" / "x.png")
    assert status == 1 and err.count("\n") == 1 and "--plot: cannot write" in err


def test_traces_hold_every_detector_around_the_first_impacts(csv_file):
    robot = load_robot("panda")
    parameters = DetectorParameters(detectors=("torque_error", "acceleration"))
    traces = Traces("two impacts")
    recording = CsvRecording(csv_file, robot.dof)
    result = detect_in(recording, parameters, robot, ModelTorque(robot), traces)
    assert [trace.detections for trace in traces.found] == [[each] for each in result.detections]
    for trace in traces.found:
        start = trace.detections[0].detection_time
        for name in parameters.detectors:
            times = [each.time - start for each in trace.statuses if each.detector == name]
            assert np.diff(times).tolist() == [MILLISECOND] * 150
            assert times[0] == -50 * MILLISECOND
    assert traces.left_out == 0


def test_more_events_than_fit_are_counted():
    traces = Traces("many")
    for k in range(MOST + 3):
        found = Detection("fused", 0, k * 1000 * MILLISECOND, 20.0, 15.0)
        traces.add(Outcome(detections=(found,)))
    assert (len(traces.found), traces.left_out) == (MOST, 3)
