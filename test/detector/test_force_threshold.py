# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The force detector looks at the norm, debounces, and reads batches sample by sample."""

import numpy as np
import pytest

from impact_detector import DetectorError, ForceSample, ForceThresholdDetector
from impact_detector.parameters import DetectorParameters, session_for
from impact_robots import load_robot

MILLISECOND = 1_000_000
FAST = 40_000  # 25 kHz [ns]


def wrench(millisecond, *force):
    return ForceSample(round(millisecond * MILLISECOND), np.array([force], float))


def test_the_norm_counts_not_a_component():
    detector = ForceThresholdDetector(20.0)
    assert not detector.update(wrench(0, 11.0, 11.0, 11.0)).impact  # norm 19.05
    assert detector.update(wrench(5, 12.0, -12.0, 12.0)).detection.statistic > 20.0


def test_a_single_spike_is_debounced():
    detector = ForceThresholdDetector(20.0, debounce=2)
    forces = [0, 50, 0, 50, 50, 50]
    found = [detector.update(wrench(k, f, 0, 0)).detection for k, f in enumerate(forces)]
    assert [bool(detection) for detection in found] == [False] * 4 + [True, False]


def test_a_batch_gives_the_instant_between_two_messages():
    detector = ForceThresholdDetector(20.0)
    force = np.zeros((25, 3))
    force[10:, 0] = -4.0 * np.arange(1, 16)
    detection = detector.update(ForceSample(0, force, FAST)).detection
    assert detection.detection_time == 15 * FAST  # 24 N
    assert 9 * FAST <= detection.impact_time <= 12 * FAST


def test_a_batch_sent_again_is_judged_once():
    detector = ForceThresholdDetector(20.0)
    batch = ForceSample(0, np.full((25, 3), 30.0), FAST)
    assert detector.update(batch).detection
    again = detector.update(batch)
    assert again.impact
    assert not again.detection


def test_it_re_arms_after_quiet():
    detector = ForceThresholdDetector(20.0, rearm_time=0.1)
    hits = (10, 50, 170)
    found = [detector.update(wrench(k, 30.0 * (k in hits), 0, 0)).detection for k in range(200)]
    assert [k for k, detection in enumerate(found) if detection] == [10, 170]


def test_nan_is_dropped_and_backward_time_resets():
    detector = ForceThresholdDetector(20.0)
    assert not detector.update(wrench(0, np.nan, 0, 0)).ready
    assert detector.dropped == 1
    assert detector.update(wrench(1, 30, 0, 0)).detection
    status = detector.update(wrench(0.5, 0, 0, 0))
    assert status.armed
    assert not status.impact
    assert detector.dropped == 0


def test_no_debounce_below_one_sample():
    with pytest.raises(DetectorError, match="debounce: expected at least 1 sample, got 0"):
        ForceThresholdDetector(debounce=0)


@pytest.mark.parametrize(
    ("force_threshold", "estimates", "needed"),
    [(20.0, False, True), (np.nan, True, True), (np.nan, False, False)],
)
def test_a_session_says_whether_it_looks_at_forces(force_threshold, estimates, needed):
    parameters = DetectorParameters(force_threshold=force_threshold)
    session = session_for(parameters, load_robot("panda"), estimates=estimates)
    assert session.needs_forces is needed
