# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What is known of a hit without a force sensor, beside what is known with one."""

import numpy as np
import pytest
from direct_arm import DirectArm

from impact_analysis.demo.table import table
from impact_analysis.franka.loop_record import evaluate_hit, measured, record_of
from impact_analysis.present.plain import plain
from impact_bags.exceptions import RecordingError
from impact_drivers.fake_fr3.fake_setup import FakeSetup
from impact_drivers.franka.hit_process import HitOutcome, perform
from impact_drivers.franka.loop.loop_times import LoopTimes
from impact_sim.driver.simulation import START_NS


@pytest.fixture(scope="module")
def evaluations(make_job, fr3):
    """A hit, evaluated with the force of the wall and without."""
    job, arm = make_job("joint_load", raises=True), FakeSetup().arm()
    outcome = perform(DirectArm(arm), fr3, job, now=lambda: START_NS)
    found = []
    for log in (arm.log, None):
        record = record_of(outcome, measured(outcome, log))
        found.append(evaluate_hit(outcome, record, fr3, job.plan.contact, "joint_load"))
    return found


def test_the_hit_itself_is_known_without_force(evaluations):
    known, felt = evaluations
    assert felt.contact_speed == pytest.approx(known.contact_speed, abs=5e-3)
    assert felt.contact_time == pytest.approx(known.contact_time, abs=5e-3)
    assert felt.measured_load.change == pytest.approx(known.measured_load.change, rel=0.1)
    assert felt.prediction_rms["M+B_theta"] < 0.1 * felt.prediction_rms["M"]


def test_the_impulse_is_not_known_without_force(evaluations):
    known, felt = (plain(each.as_json()) for each in evaluations)
    assert set(known) == set(felt)
    assert known["impulse_in_set"] is True and np.isfinite(known["impulse_ns"]).all()
    assert felt["impulse_ns"] == [None] * 3
    for key in ("impulse_in_set", "impulse_normal_ratio", "impulsive_torque_nm"):
        assert felt[key] is None, key
    assert felt["worst_joint"] == felt["worst_admissible_joint"] == "joint6"
    assert felt["impulsive_torque_limit_nm"] == 12.0
    lines = table(evaluations).splitlines()
    (row,) = [line for line in lines if line.startswith("impulse no worse than announced")]
    assert row.split()[-2:] == ["yes", "-"]


def test_an_arm_that_was_never_controlled_says_why():
    outcome = HitOutcome([], LoopTimes(1).report(), refusal="arm: expected mode Idle")
    with pytest.raises(RecordingError, match=r"^arm: expected mode Idle$"):
        measured(outcome, None)
