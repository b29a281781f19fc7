# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The table of reference spreading's modes says what was missed, and who stopped."""

from dataclasses import replace

import numpy as np

from impact_analysis.demo.spreading_evaluation import MODES, GrabFigures, SpreadingEvaluation
from impact_analysis.demo.spreading_table import spreading_sentence, spreading_table
from impact_analysis.present.plain import plain

NAN = float("nan")
GRAB = GrabFigures(tilt=np.radians(1.5), slip=-0.002, lift=0.16, apart=NAN)


def evaluations():
    """Return made figures of all modes; peaks of feedback are 1, 2, 3, 4."""
    return [
        SpreadingEvaluation(mode, 0.6, 1, peak, 0.05, np.arange(7.0), 100.0, None, False, GRAB)
        for peak, mode in enumerate(MODES, 1)
    ]


def test_what_was_missed_is_said():
    spread, *others = evaluations()
    text = spreading_table([replace(spread, detection_delay=(0.0025, NAN)), *others])
    rows = {line[:28].strip(): line[28:] for line in text.splitlines()}
    assert rows["detected after contact [ms]"].split() == ["2.5,", "missed", "-", "-", "-", "-"]
    assert rows["arms apart [ms]"].split() == ["one", "missed"] * 5
    assert rows["tilt of the box [deg]"].split() == ["1.50"] * 5
    assert rows["slip of the plates [mm]"].split() == ["-2.0"] * 5
    assert rows["peak torque of joint 7 [N.m]"].split() == ["6.0"] * 5
    document = plain(replace(spread, detection_delay=(0.0025, NAN)).as_json())
    assert document["detection_delay_s"] == [0.0025, None] and document["arms_apart_s"] is None


def test_a_push_has_no_figures_of_a_grab():
    pushes = [replace(each, grab=None) for each in evaluations()]
    assert "lift" not in spreading_table(pushes)
    assert "lift_m" not in pushes[0].as_json()


def test_who_stopped_is_said_first():
    spread, no_gamma, *others = evaluations()
    usual = spreading_sentence([spread, no_gamma, *others])
    assert usual.startswith("One reference through the impact (continuous) makes 4.0 times")
    why = ("object lost", "partner stopped")
    stopped = [
        replace(spread, stopped=True, why=("no impact",)),
        replace(no_gamma, stopped=True, why=why),
    ]
    said = spreading_sentence([*stopped, *others])
    reasons = "rs (no impact) and no_gamma (object lost, partner stopped)"
    assert said == f"Stopped: {reasons}. {usual}"
