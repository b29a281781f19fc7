# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The torque-error detector sees steps at once, noise never, and each impact once."""

import numpy as np
import pytest

from impact_detector import DetectorError, TorqueErrorDetector

MILLISECOND = 1_000_000
TORQUE_NOISE = 0.09  # largest of the real Panda's joints [N.m]


@pytest.fixture
def detector():
    return TorqueErrorDetector((0, 1), 2.5, bias_samples=0)


def feed(detector, samples):
    return [detector.update(sample) for sample in samples]


def detections(statuses):
    return [status.detection for status in statuses if status.detection]


def test_a_step_is_found_in_the_sample_that_shows_it(detector, sample):
    statuses = feed(detector, [sample(k, (2.0, -2.0) if k >= 10 else (0, 0)) for k in range(15)])
    (detection,) = detections(statuses)
    assert detection.detection_time == 10 * MILLISECOND
    assert detection.impact_time == 9 * MILLISECOND
    assert detection.statistic == pytest.approx(4.0)
    assert [status.impact for status in statuses] == [k >= 10 for k in range(15)]


def test_errors_of_both_joints_add_up_whatever_their_signs(detector, sample):
    assert not detections(feed(detector, [sample(0), sample(1, (2.4, 0.0))]))
    assert detections(feed(detector, [sample(2, (1.3, -1.3))]))


def test_the_threshold_itself_is_no_impact(detector, sample):
    status = detector.update(sample(0, (2.5, 0.0)))
    assert status.statistic == status.threshold
    assert not status.impact


def test_only_the_named_joints_count(sample):
    detector = TorqueErrorDetector((1,), 2.5, bias_samples=0)
    assert detector.update(sample(0, (50.0, 0.1))).statistic == pytest.approx(0.1)


def test_an_impact_is_reported_once_and_re_armed_after_half_a_second_of_quiet(detector, sample):
    loud = {100, 101, 300, 850}  # the one at 300 ms is the same impact: re-arming starts over
    statuses = feed(detector, [sample(k, (3.0 * (k in loud), 0)) for k in range(1000)])
    assert [d.detection_time // MILLISECOND for d in detections(statuses)] == [100, 850]
    assert statuses[800].impact
    assert not statuses[801].impact
    assert statuses[801].armed
    assert not statuses[800].armed


def test_a_push_that_stays_is_one_impact(sample):
    detector = TorqueErrorDetector((0, 1), 2.5, bias_samples=50)
    statuses = feed(detector, [sample(k, (4.0 * (k >= 100), 0)) for k in range(3000)])
    assert len(detections(statuses)) == 1
    assert statuses[-1].impact
    assert statuses[-1].statistic == pytest.approx(4.0)


def test_sensor_noise_alone_stays_far_below_the_threshold(sample):
    detector = TorqueErrorDetector((0, 1), 2.5)
    noise = np.random.default_rng(0).normal(0.0, TORQUE_NOISE, (20_000, 2))
    statuses = feed(detector, [sample(k, error) for k, error in enumerate(noise)])
    assert not detections(statuses)
    assert np.nanmax([status.statistic for status in statuses]) < 0.7


def test_a_constant_model_error_is_removed_and_an_impact_on_top_is_not(sample):
    payload = np.array([3.0, -2.0])
    detector = TorqueErrorDetector((0, 1), 2.5, bias_samples=50)
    hit = np.array([3.0, 0.0])
    statuses = feed(detector, [sample(k, payload + hit * (k >= 80)) for k in range(90)])
    assert not any(status.ready for status in statuses[:50])
    assert statuses[60].statistic == pytest.approx(0.0)
    assert detections(statuses)[0].detection_time == 80 * MILLISECOND
    assert statuses[-1].statistic == pytest.approx(3.0)


def test_a_drift_is_removed_that_would_trigger_without_it(sample):
    drift = [sample(k, (0.004 * k, 0.0)) for k in range(2000)]
    assert not detections(feed(TorqueErrorDetector((0, 1), 2.5, bias_samples=50), drift))
    assert detections(feed(TorqueErrorDetector((0, 1), 2.5, bias_samples=0), drift))


def test_a_slow_rise_to_an_impact_is_not_learnt_away(sample):
    """30 ms from nothing to 4 N.m: the bias is frozen from half the threshold on."""
    detector = TorqueErrorDetector((0, 1), 2.5, bias_samples=50)
    rise = [sample(k, (4.0 * np.clip((k - 100) / 30, 0, 1), 0)) for k in range(140)]
    assert detections(feed(detector, rise))[0].detection_time < 125 * MILLISECOND


def test_without_approach_nothing_is_reported(detector, sample):
    away = [sample(k, (5.0, 0), approaching=False) for k in range(10)]
    statuses = feed(detector, away)
    assert not detections(statuses)
    assert not any(status.armed for status in statuses)


def test_an_impact_that_stops_the_approach_is_still_reported(detector, sample):
    hit = [sample(k, (k, 0), approaching=k == 0) for k in range(5)]
    assert detections(feed(detector, hit))[0].detection_time == 3 * MILLISECOND


@pytest.mark.parametrize("missing", ["tau", "tau_ref"])
def test_without_a_torque_it_is_not_ready_and_loses_no_event(detector, sample, missing):
    detector.update(sample(0))
    detector.update(sample(1, (5.0, 0)))
    status = detector.update(sample(2, **{missing: None}))
    assert not status.ready
    assert not status.armed
    assert status.impact
    assert status.detection_time == MILLISECOND
    assert detector.dropped == 0


@pytest.mark.parametrize("field", ["q", "dq", "tau", "tau_ref"])
def test_a_sample_with_nan_is_dropped_and_counted(detector, sample, field):
    status = detector.update(sample(0, **{field: np.array([0.0, np.nan])}))
    assert not status.ready
    assert not status.impact
    assert detector.dropped == 1
    assert detector.update(sample(1)).ready


def test_a_repeated_stamp_changes_nothing(detector, sample):
    detector.update(sample(0))
    first = detector.update(sample(1, (5.0, 0)))
    again = detector.update(sample(1, (0.0, 0)))
    assert (again.statistic, again.impact) == (first.statistic, True)
    assert first.detection
    assert not again.detection


def test_time_that_runs_backwards_starts_anew(detector, sample):
    feed(detector, [sample(1000), sample(1001, (5.0, 0))])
    status = detector.update(sample(3))
    assert status.armed
    assert not status.impact
    assert status.detection_time is None
    assert detector.update(sample(4, (5.0, 0))).detection


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"joints": ()}, "joints: expected at least one index from 0, got []"),
        ({"threshold": 0.0}, "threshold: expected a number > 0, got 0.0"),
        ({"threshold": float("nan")}, "threshold: expected a number > 0, got nan"),
        (
            {"rearm_time": -1.0},
            "rearm_time: expected 0 to 1e+06 [s], got -1.0",
        ),
        ({"bias_samples": -1}, "bias_samples: expected at least 0, got -1"),
    ],
)
def test_wrong_settings_are_refused(arguments, text):
    with pytest.raises(DetectorError) as raised:
        TorqueErrorDetector(**{"joints": (0,), **arguments})
    assert str(raised.value) == text
