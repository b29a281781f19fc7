# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`evaluate` names `pose`, and the ellipse, only where the contact rows are those of an ellipse."""

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from evaluated_once import EvaluatedOnce
from falling_boxes import after, box
from falling_boxes import write as write_box
from thrown_ellipses import AXES, simulated, write

import impact_cli.commands.evaluate as command
from impact_analysis.planar.ellipse_contact import known_axes
from impact_cli.command_line import run as main

TRUTH = [0.25, 0.5, 4e-4]


@pytest.fixture
def report(capsys, monkeypatch):
    """A function that runs the command and returns its text and its JSON."""
    monkeypatch.setattr(command, "evaluate", EvaluatedOnce(samples=2))

    def report(*arguments):
        outputs = []
        for form in ([], ["--json"]):
            assert main(["evaluate", *map(str, arguments), *form]) == 0
            outputs.append(capsys.readouterr().out)
        return outputs[0], json.loads(outputs[1])

    return report


def summaries(document):
    return {model["name"]: model["summary"] for model in document["models"]}


def test_an_ellipse_has_a_pose_and_no_excuse(report, tmp_path):
    text, found = report(write(tmp_path / "impacts.csv", simulated("coulomb", TRUTH, 60)[1]))
    assert "no pose" not in text and found["left_out"] == {}
    assert summaries(found)["pose"] == "place, contact rows turned with the ellipse"
    assert summaries(found)["direction"] == "pose, friction by direction"


def disk():
    """Rows of a disk of 40 mm."""
    rows = box(60)
    rows[:, [10, 13]] = 0.0, 0.04
    noise = np.random.default_rng(1).normal(size=(60, 3)) * [0.02, 0.02, 1.0]
    rows[:, 5:8] = [after(row[2:5], np.array([0.0, -0.04])) for row in rows] + noise
    return rows


def other_shape():
    """Rows of a body whose corners are at different distances."""
    return np.vstack([box(30), box(30, half_sides=(0.06, 0.02), seed=1)])


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (partial(box, 60), "the contact keeps its distance from the centre, as a corner does"),
        (disk, "the contact stays below the centre, as that of a round body does"),
        (other_shape, "the contact rows are not those of an ellipse"),
    ],
)
def test_another_body_has_none_and_the_report_says_why(report, tmp_path, rows, why):
    text, found = report(write_box(tmp_path / "impacts.csv", rows()))
    assert f"  no pose: {why}\n" in text and found["left_out"] == {"pose": why}
    assert "pose" not in summaries(found)
    assert summaries(found)["direction"] == "place, friction by direction"
    assert "turned with the ellipse" not in text


def test_corners_stay_corners_when_a_file_is_rounded():
    rows = box(60).round(5)
    impacts = replace(
        simulated("coulomb", TRUTH, 60)[1], normal=rows[:, 8:11], tangent=rows[:, 11:14]
    )
    axes, why = known_axes(impacts)
    assert axes is None and "corner" in why


def test_the_judged_body_must_be_the_ellipse_that_was_fitted(report, tmp_path):
    fitted = write(tmp_path / "fit.csv", simulated("coulomb", TRUTH, 60)[1])
    same = write(tmp_path / "same.csv", simulated("coulomb", TRUTH, 30, seed=5)[1])
    other = write_box(tmp_path / "box.csv", box(30))
    assert "pose" in summaries(report("--fit", fitted, "--test", same)[1])
    text, found = report("--fit", fitted, "--test", other)
    why = "the contact rows to be judged are not those of the ellipse that was fitted"
    assert f"  no pose: {why}\n" in text and "pose" not in summaries(found)
    assert known_axes(simulated("coulomb", TRUTH, 60)[1])[0] == pytest.approx(AXES)
