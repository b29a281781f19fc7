# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A trial's cycles written in blocks give the bytes and the row of cycles written one by one."""

import pytest

pytest.importorskip("rosbags")
pytest.importorskip("mujoco")

from impact_sim import load_scenario
from impact_trials.campaign import run_trial, trials_of
from impact_trials.recording import trial_bag
from impact_trials.recording.arm_topics import ArmTopics


def one_by_one(self, cycles):
    for cycle in cycles:
        self.write(cycle)


@pytest.mark.parametrize("block", [3, 1000])
@pytest.mark.parametrize("name", ["iim_wall_cfg1", "flex_exp_type3"])
def test_blocks_are_single_cycles(tmp_path, monkeypatch, name, block):
    (trial,) = trials_of([load_scenario(name)], 1, 3)
    monkeypatch.setattr(trial_bag, "BLOCK", block)
    found = {}
    for how in ("blocks", "singly"):
        (tmp_path / how).mkdir()
        if how == "singly":
            monkeypatch.setattr(ArmTopics, "write_many", one_by_one)
        result = run_trial(trial, tmp_path / how)
        files = (tmp_path / how / trial.name).iterdir()
        found[how] = repr(result), {each.name: each.read_bytes() for each in files}
        assert [each.name for each in (tmp_path / how).iterdir()] == [trial.name]
    assert found["blocks"] == found["singly"]


def test_a_recording_that_is_there_stays(tmp_path):
    """As another attempt at the trial left it, whose process was thought dead."""
    (trial,) = trials_of([load_scenario("iim_wall_cfg1")], 1, 3)
    (tmp_path / trial.name).mkdir()
    (tmp_path / trial.name / "file").write_text("first")
    run_trial(trial, tmp_path)
    found = [each for each in tmp_path.rglob("*") if not each.name.startswith(".attempt_")]
    assert [each.name for each in found] == [trial.name, "file"]
