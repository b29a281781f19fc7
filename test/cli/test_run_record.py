# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A run whose controller stopped says so, instead of a missing impact."""

import dataclasses

import numpy as np
import pytest

from impact_bags.exceptions import RecordingError
from impact_bags.run_record import RunRecord
from impact_cli.commands import demo
from impact_robots import load_robot
from impact_sim import load_scenario

NOTHING = np.zeros(0)
STOPPED = "11 control cycles of 1 ms missed in a row (max_consecutive_missed 10)"


def record(*remarks):
    empty = {field.name: NOTHING for field in dataclasses.fields(RunRecord)}
    return RunRecord(**{**empty, "threshold": 15.0, "remarks": remarks})


@pytest.mark.parametrize(
    ("remarks", "fault"),
    [
        ((), ""),
        (("waiting: the detector is not ready", "shut down"), ""),
        (("waiting: the detector is not ready", STOPPED, "shut down"), STOPPED),
    ],
)
def test_a_fault_is_what_stopped_the_controller(remarks, fault):
    assert record(*remarks).fault == fault


@pytest.mark.parametrize(
    ("remarks", "line"),
    [((STOPPED,), f"robust: the controller stopped: {STOPPED}"), ((), "no impact to evaluate")],
)
def test_the_demo_says_why_there_was_no_impact(monkeypatch, tmp_path, remarks, line):
    def no_impact(*args):
        raise RecordingError("no impact to evaluate")

    monkeypatch.setattr(demo, "read_run", lambda *args: record(*remarks))
    monkeypatch.setattr(demo, "evaluate_run", no_impact)
    scenario = load_scenario("qp_panda_demo")
    with pytest.raises(RecordingError) as error:
        demo._evaluate(scenario, "robust", tmp_path, load_robot("panda"))
    assert str(error.value) == line
