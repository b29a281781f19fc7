# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Scores count what was found, missed and invented; a recorded campaign is judged by its truth."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from impact_analysis.detection import score_run
from impact_analysis.detection.score import DetectorScore, JudgedTrial, operating_points
from impact_cli.command_line import run
from impact_detector import Detection
from impact_trials.truth.detections import first_detection
from impact_trials.truth.trial_table import TrialTruth

NAN = float("nan")


def truth(impact_time=1.0):
    return TrialTruth("s", Path("bag"), 2.0, 0.1, impact_time, np.zeros(7), (-1, 0, 0), 0.5, 1.8)


def result(peak, *detected, impact_time=1.0, quiet=1.0):
    """Return a trial whose statistic is 1 but for a peak 2 ms after contact."""
    times = np.arange(0.0, 2.0, 1e-3)
    statistics = np.full(len(times), quiet)
    statistics[1002] = peak
    found = [Detection("fused", round(t * 1e9), round(t * 1e9), peak, 5.0) for t in detected]
    return JudgedTrial(truth(impact_time), times, statistics, found, [])


def scored(*results):
    score = DetectorScore("fused", "all")
    for each in results:
        score.add(each)
    return score


def test_a_detection_counts_after_the_touch_until_30_ms():
    score = scored(result(9, 1.002), result(9, 1.029), result(9, 1.031), result(9))
    assert (score.hits, score.found, score.rate) == (4, 2, 0.5)
    np.testing.assert_allclose(score.delays, [0.002, 0.029])
    assert score.false_alarms == 0


@pytest.mark.parametrize(
    ("detected", "delay", "false"),
    [(0.999, None, 1), (1.0, None, 1), (1.0 + 1e-9, 1e-9, 0), (1.031, 0.031, 0)],
)
def test_score_and_trials_agree_on_the_instant_of_the_touch(detected, delay, false):
    """Of a late detection only the table of trials has the delay."""
    judged = result(9, detected)
    row = first_detection(judged.detections, 1.0)
    assert row.get("detection_delay_s") == delay
    assert row["false_detections"] == judged.false_alarms == false
    assert judged.delay == (delay if delay is not None and delay < 0.03 else None)


def test_what_comes_before_the_touch_is_false_and_counted_per_hour():
    score = scored(result(9, 0.3, 1.002), result(9, 1.002))
    assert (score.found, score.false_alarms) == (2, 1)
    assert score.false_per_hour == pytest.approx(3600 / 2 / 0.999)


def test_without_an_impact_every_detection_is_false():
    score = scored(result(9, 0.3, 1.5, impact_time=NAN))
    assert (score.hits, score.false_alarms) == (0, 2)
    assert np.isnan(score.rate)
    assert score.watched == pytest.approx(1.999)


def test_a_higher_threshold_finds_less_and_invents_less():
    trials = [result(9, quiet=1.0), result(6, quiet=2.0)]
    points = operating_points(trials, [0.5, 1.5, 5.0, 7.0, 10.0])
    rates, false = zip(*points, strict=True)
    assert rates == (1.0, 1.0, 1.0, 0.5, 0.0)
    assert false[0] == pytest.approx(4 * 3600 / (2 * 0.999))  # two blocks of half a second each
    assert false[0] > false[1] > false[2] == 0.0


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    """Return a folder of two recorded trials."""
    folder = tmp_path_factory.mktemp("campaign") / "trials"
    status = run(
        ["simulate", "iim_wall_cfg1", "--trials", "2", "--jobs", "1", "--record", str(folder)]
    )
    assert status == 0
    return folder


def test_a_recorded_campaign_is_judged(campaign, tmp_path, capsys):
    picture = tmp_path / "points.png"
    status = run(["detect", str(campaign), "--score", "--plot", str(picture), "--json"])
    document = json.loads(capsys.readouterr().out)
    assert status == 0
    fused = document["scores"][0]
    assert (fused["detector"], fused["trials"]) == ("fused", "all")
    assert (fused["impacts"], fused["found"], fused["false_alarms"]) == (2, 2, 0)
    assert 0.0 < fused["delay_worst_s"] < 4e-3
    assert np.degrees(fused["gross_velocity_error_rms_radps"]) < 0.5
    assert fused["normal_impulse_error_rms"] < 0.03
    assert {each["detector"] for each in document["scores"]} == {
        "fused",
        "torque_error",
        "momentum",
        "acceleration",
        "velocity_error",
    }
    assert set(document["operating_points"]) == {each["detector"] for each in document["scores"]}
    assert picture.stat().st_size > 10_000


def test_the_table_is_for_people(campaign, capsys, monkeypatch):
    monkeypatch.setattr(score_run, "cores", lambda: 1)  # judged in this process
    assert run(["detect", str(campaign), "--score", "--detectors", "fused"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^fused +all +2/2 ", out, re.MULTILINE)
    assert "published for torque errors: 3-6 ms" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--score"], "trials.csv: expected the truth about trials"),
        (["--score", "--detectors", "x"], "detectors: expected some of fused"),
    ],
)
def test_what_cannot_be_scored_gets_one_line(tmp_path, refused, arguments, message):
    assert message in refused("detect", tmp_path, *arguments)
