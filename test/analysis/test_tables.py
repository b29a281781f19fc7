# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Tables beside recordings: normals, thresholds, folders of CSVs; and what they must not be."""

import json

import numpy as np
import pytest

from impact_analysis.analyze.reading.collected import Collected, load, save
from impact_analysis.analyze.reading.missed import Missed
from impact_analysis.analyze.reading.normals_file import read_normals
from impact_analysis.analyze.run import analyze
from impact_analysis.analyze.settings import AnalysisSettings
from impact_analysis.detection.threshold_file import read_thresholds
from impact_bags.exceptions import RecordingError
from impact_bags.open_recording import recording_paths
from impact_cli.command_line import run as main
from impact_detector.signals.sample import Suppressed
from impact_robots.exceptions import UsageError

HEADER = "recording,normal_x,normal_y,normal_z"
STATES = ["time_s"] + [
    pattern.format(i) for pattern in ("q{}_rad", "dq{}_radps", "tau{}_nm") for i in range(1, 8)
]


def write_states(path, samples=400, step=1e-3):
    """Write an arm at rest, whose torque sensors are noisy."""
    random = np.random.default_rng(1)
    rows = np.zeros((samples, 22))
    rows[:, 0] = step * np.arange(samples)
    rows[:, 1:] = 1e-4 * random.standard_normal((samples, 21))
    np.savetxt(path, rows, delimiter=",", header=",".join(STATES), comments="")
    return path


def test_normals_are_read_by_recording(tmp_path):
    path = tmp_path / "normals.csv"
    path.write_text(f"by,{HEADER}\nme,a.csv,-1,0,0\nme,b,0,0,2\n")
    assert read_normals(path) == {"a.csv": (-1.0, 0.0, 0.0), "b": (0.0, 0.0, 2.0)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected columns recording, normal_x, normal_y, normal_z, got nothing"),
        ("recording,x\na,1\n", "expected columns recording"),
        (f"{HEADER}\na,1,0\n", "line 2: expected 4 fields, got 3"),
        (f"{HEADER}\na,1,0,zero\n", "line 2: expected a normal: could not convert"),
        (f"{HEADER}\na,0,0,0\n", "line 2: expected a normal"),
        (f"{HEADER}\na,nan,0,1\n", "line 2: expected a normal"),
        (f"{HEADER}\na,1,0,0\na,1,0,0\n", "line 3: duplicate recording 'a'"),
        (None, "cannot be read as CSV"),
    ],
)
def test_a_wrong_table_of_normals_gets_one_line(tmp_path, refused, text, said):
    path = tmp_path / "normals.csv"
    if text is not None:
        path.write_text(text)
    states = write_states(tmp_path / "a.csv")
    error = refused("analyze", states, "--normals", path, "--out", tmp_path / "out")
    assert "--normals: " in error and said in error
    assert not (tmp_path / "out").exists()


def test_each_recording_has_its_own_normal():
    settings = AnalysisSettings(normal=(0, 0, 1), normals={"a": (-1, 0, 0), "b.csv": (0, 1, 0)})
    assert settings.of_recording("a.csv").normal == (-1, 0, 0)
    assert settings.of_recording("b.csv").normal == (0, 1, 0)
    assert settings.of_recording("c.csv").normal == (0, 0, 1)
    assert settings.of_recording("b.csv").detector().contact_normal == (0, 1, 0)


def test_a_normal_of_no_recording_is_refused(tmp_path):
    write_states(tmp_path / "hit_1.csv")
    with pytest.raises(UsageError, match=r"a recording, hit_1.csv, got 'hit_2'"):
        analyze(tmp_path, normals={"hit_2": (0, 0, 1)})


def test_a_folder_of_csvs_is_analyzed_and_tables_in_it_are_none(tmp_path, capsys):
    for name in ("one.csv", "two.csv"):
        write_states(tmp_path / name)
    (tmp_path / "trials.csv").write_text("scenario,trial,impact_time_s\nwall,1,0.3\n")
    (tmp_path / "impacts.csv").write_text("impact,recording,time_s\n0,one.csv,0.3\n")
    (tmp_path / "normals.csv").write_text(f"{HEADER}\none,0,0,1\n")
    assert [path.name for path in recording_paths(tmp_path)] == ["one.csv", "two.csv"]
    analysis = analyze(tmp_path, normal=(0, 0, 1))
    assert [each.samples for each in analysis.recordings] == [400, 400]
    assert analysis.answer[0].startswith("No impact was found in 2 recordings")
    assert main(["detect", str(tmp_path), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["files"]) == 2


def test_a_folder_with_the_suffix_of_a_file_is_one_recording(tmp_path):
    for name in ("hit.mcap", "hit.db3", "table.csv"):
        (tmp_path / name).mkdir()
    for bag in (tmp_path / "hit.mcap", tmp_path / "hit.db3"):
        (bag / "metadata.yaml").write_text("")
    assert recording_paths(tmp_path) == [tmp_path / "hit.db3", tmp_path / "hit.mcap"]


def test_a_csv_in_a_folder_that_lacks_columns_is_not_passed_over(tmp_path):
    write_states(tmp_path / "one.csv")
    (tmp_path / "two.csv").write_text("time_s,q1\n0,1\n")
    analysis = analyze(tmp_path, normal=(0, 0, 1))
    assert "missing q1_rad" in analysis.recordings[1].error
    (tmp_path / "one.csv").unlink()
    (tmp_path / "two.csv").write_text("t,q1\n0,1\n")
    with pytest.raises(RecordingError, match=r"CSVs \(column time_s\) or .* in the folder"):
        recording_paths(tmp_path)


def test_thresholds_are_read_and_used(tmp_path):
    path = tmp_path / "thresholds.yaml"
    path.write_text(
        "/**/impact_detector:\n  ros__parameters:\n    robot: ur\n    fused_threshold: 9.5\n"
        "    joints: [4, 5]\n"
    )
    found = read_thresholds(path)
    assert found == {"fused_threshold": 9.5, "joints": (4, 5)}
    parameters = AnalysisSettings(thresholds=found).detector()
    assert (parameters.threshold_of("fused"), parameters.joints) == (9.5, (4, 5))


def test_an_option_wins_over_the_file_of_thresholds(tmp_path, capsys):
    states, path = write_states(tmp_path / "a.csv"), tmp_path / "thresholds.yaml"
    path.write_text("impact_detector:\n  ros__parameters:\n    fused_threshold: 9.5\n")
    for options, threshold in (((), 9.5), (("--fused-threshold", "8"), 8.0)):
        assert main(["detect", str(states), "--thresholds", str(path), *options, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["threshold"] == threshold


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("robot: ur5\n", "expected parameters of impact_detector with one of fused_threshold"),
        ("impact_detector: {ros__parameters: {joints: [1]}}", "expected parameters of impact_d"),
        ("impact_detector: {ros__parameters: {fused_threshold: low}}", "fused_threshold: expected"),
        ("impact_detector: {ros__parameters: {fused_threshold: -1}}", "fused_threshold: expected"),
        ("a: [", "cannot be read"),
        (None, "cannot be read"),
    ],
)
def test_a_wrong_file_of_thresholds_gets_one_line(tmp_path, text, said, refused):
    states, path = write_states(tmp_path / "a.csv"), tmp_path / "thresholds.yaml"
    if text is not None:
        path.write_text(text)
    error = refused("detect", states, "--thresholds", path)
    assert "--thresholds: " in error and said in error


@pytest.mark.parametrize("samples", [1, 20])
def test_where_nothing_can_be_judged_no_impact_is_denied(tmp_path, capsys, samples):
    states = write_states(tmp_path / "short.csv", samples=samples)
    (first, *_) = analyze(states, normal=(0, 0, 1)).answer
    assert first.startswith("Whether there was an impact in short.csv cannot be determined")
    assert main(["detect", str(states)]) == 1
    out, error = capsys.readouterr()
    assert "impacts: cannot be determined" in out
    assert "too few samples" in error and "torques missing" not in error


def test_what_was_no_event_is_known_after_a_resumption(tmp_path):
    odd = Suppressed("fused", 5_000_000, 20.0, 15.0, "before 0.5 s of quiet")
    missed = [
        Missed("force", 1.5, 85.0, "the detector could judge nothing then"),
        Missed("statistic", 0.005, 20.0, "before 0.5 s of quiet", "fused", 15.0),
    ]
    found = Collected("a.csv", samples=3, suppressed=[odd], missed=missed)
    save(tmp_path, found, {})
    loaded = load(tmp_path, "a.csv", {})
    assert loaded.suppressed == [odd] and loaded.remarks == found.remarks
    assert len(loaded.remarks) == len(loaded.missed) == 2
