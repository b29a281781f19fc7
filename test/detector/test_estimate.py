# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""When an estimate is complete, and what it says about measurements that are missing."""

import numpy as np
import pytest

from impact_detector import Detection, DetectorError, ForceSample, ImpactEstimator, JointSample
from impact_detector.estimators.streaming import (
    GOOD,
    MISSING_SAMPLES,
    POOR_FIT,
    SECOND_IMPACT,
    SHORT_WINDOW,
)

MILLISECOND = 1_000_000
DETECTION = Detection("torque_error", 100 * MILLISECOND, 103 * MILLISECOND, 4.0, 2.5)
JUMP = 0.4  # [rad/s]


def joints(k, q=None):
    position = 0.1 * (k - 100) * 1e-3 + JUMP * max(k - 100, 0) * 1e-3 if q is None else q
    velocity = 0.1 + JUMP * (k > 100)
    return JointSample(round(k * MILLISECOND), np.full(2, position), np.full(2, velocity), None)


def wrench(k, force=0.0):
    return ForceSample(k * MILLISECOND, np.array([[force, 0.0, 0.0]]))


def run(estimator, *, skip=(), until=250, force_until=0, starts=(103,), offset=0.0):
    """Feed milliseconds 0, 1, ...; return when the estimate came and the estimate."""
    for k in range(until):
        found = None
        if k not in skip:
            found = estimator.update(joints(k))
        if k in starts:
            estimator.start(DETECTION)
        if k < force_until:
            found = estimator.update_force(wrench(k, offset + 50.0 * (100 <= k < 110))) or found
        if found:
            return k, found
    return None, None


def test_it_is_complete_when_the_window_after_the_detection_is():
    k, found = run(ImpactEstimator())
    assert k == 203 and found.quality == GOOD
    np.testing.assert_allclose(found.velocity_before, 0.1)
    np.testing.assert_allclose(found.gross_velocity, 0.1 + JUMP, atol=1e-9)
    np.testing.assert_allclose(found.velocity_jump, JUMP, atol=1e-9)
    np.testing.assert_allclose(found.velocity_after, 0.1 + JUMP)


def test_the_force_of_the_wrench_is_integrated():
    _, found = run(ImpactEstimator(normal=(2.0, 0.0, 0.0)), force_until=250)
    np.testing.assert_allclose(found.impulse, [0.5, 0.0, 0.0], rtol=0.01)
    assert found.normal_impulse == pytest.approx(0.5, rel=0.01)
    assert found.unknown == ""
    assert found.peak_force == pytest.approx(50.0)


@pytest.mark.parametrize("offset", [-8.0, 3.0])
def test_what_the_sensor_says_before_the_touch_is_no_part_of_the_impulse(offset):
    _, found = run(ImpactEstimator(normal=(2.0, 0.0, 0.0)), force_until=250, offset=offset)
    assert found.normal_impulse == pytest.approx(0.5, rel=0.01)
    assert found.peak_force == pytest.approx(50.0)
    assert found.duration == pytest.approx(0.010, abs=1e-3)


@pytest.mark.parametrize("length", [50, 100, 200])
@pytest.mark.parametrize("phase", range(0, 50, 7))
def test_the_impulse_is_the_same_in_whatever_batches_the_force_comes(length, phase):
    estimator, found = ImpactEstimator(normal=(2.0, 0.0, 0.0), window=0.2), None
    for k in range(520):
        found = found or estimator.update(joints(k))
        if k == 103:
            estimator.start(DETECTION)
        if (k + 1 + phase) % length == 0:
            of = np.arange(k + 1 - length, k + 1)
            force = np.outer(4.0 + 50.0 * ((of >= 100) & (of < 110)), [1.0, 0.0, 0.0])
            batch = ForceSample(int(of[0]) * MILLISECOND, force, MILLISECOND)
            found = found or estimator.update_force(batch)
    assert found.normal_impulse == pytest.approx(0.5, rel=0.01)


def test_a_force_sensor_that_stops_is_waited_for_and_given_up():
    k, found = run(ImpactEstimator(patience=0.03), force_until=150)
    assert k == 233 and np.isfinite(found.gross_velocity).all()


def test_without_a_normal_only_the_impulse_is_known():
    _, found = run(ImpactEstimator(), force_until=250)
    assert np.isfinite(found.impulse).all() and np.isnan(found.normal_impulse)
    assert found.unknown == "normal impulse unknown: the parameter wrench_normal is not set"


def test_a_gap_in_the_window_leaves_the_gross_velocity_unknown():
    _, found = run(ImpactEstimator(), skip=range(130, 160))
    assert found.quality == MISSING_SAMPLES and np.isnan(found.gross_velocity).all()
    np.testing.assert_allclose(found.velocity_before, 0.1)


@pytest.mark.parametrize("method", ["polynomial", "release"])
@pytest.mark.parametrize("rate", [1000, 500, 200])
def test_a_whole_window_is_not_short_whatever_the_phase_of_sampling(rate, method):
    period = 1000 * MILLISECOND // rate
    for phase in np.linspace(0.0, 0.99, 12):
        estimator = ImpactEstimator(method=method)
        detection = Detection("fused", 100 * MILLISECOND, 100 * MILLISECOND, 20.0, 15.0)
        for k in range(60 * rate // 200):
            time = round((k + phase) * period)
            found = estimator.update(joints(time / MILLISECOND))
            if time - period < detection.detection_time <= time:
                estimator.start(detection)
            if found:
                break
        assert found.quality == GOOD, phase


def test_a_window_whose_last_samples_are_missing_is_short():
    _, found = run(ImpactEstimator(), skip=range(196, 203))
    assert found.quality == SHORT_WINDOW
    _, found = run(ImpactEstimator(), skip=range(202, 203))
    assert found.quality == GOOD


def test_a_motion_that_no_cubic_describes_is_marked():
    estimator = ImpactEstimator()
    for k in range(204):
        found = estimator.update(joints(k, q=0.1 * (-1) ** (k // 20)))
        if k == 103:
            estimator.start(DETECTION)
    assert found.quality == POOR_FIT


def test_a_second_impact_in_the_window_is_marked_and_does_not_replace_the_first():
    _, found = run(ImpactEstimator(), starts=(103, 150))
    assert found.quality == SECOND_IMPACT and found.detection is DETECTION


def test_time_that_runs_backwards_drops_what_is_under_way():
    estimator = ImpactEstimator()
    run(estimator, until=150)
    assert run(estimator, starts=()) == (None, None)


def test_samples_with_nan_are_left_out():
    estimator = ImpactEstimator()
    estimator.update(joints(0, q=np.nan))
    assert run(estimator)[1].quality == GOOD


def test_a_normal_of_zero_length_is_refused():
    with pytest.raises(DetectorError, match="normal: expected three finite numbers"):
        ImpactEstimator(normal=(0.0, 0.0, 0.0))
