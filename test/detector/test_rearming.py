# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Lost samples do not blind a detector, and what it does not report it says."""

from itertools import pairwise

import numpy as np
import pytest
from iim_hit import iim_hit

from impact_detector import (
    DetectorError,
    ForceSample,
    ForceThresholdDetector,
    FusedDetector,
    JointSample,
)
from impact_detector.detectors.latch import ThresholdLatch

MILLISECOND = 1_000_000
NAN = float("nan")
GAP = 0.0084  # longest without a state, beyond the usual millisecond [s]


def run(statistics, *, rearm_time=0.5, step=1, allowed=True):
    """Return the detection statuses, one statistic per step [ms]; None: no sample."""
    latch = ThresholdLatch("test", 1.0, rearm_time=rearm_time)
    return [
        latch.judge(k * step * MILLISECOND, value, allowed=allowed)
        for k, value in enumerate(statistics)
        if value is not None
    ]


def found(statuses):
    return [v.time // MILLISECOND for v in statuses if v.detection]


def hushed(statuses):
    return [v.time // MILLISECOND for v in statuses if v.suppressed]


# --- re-arming ----------------------------------------------------------------------------------


@pytest.mark.parametrize("lost", [NAN, None], ids=["unknown", "no sample"])
def test_lost_samples_delay_re_arming_by_no_more_than_themselves(lost):
    statistics = np.zeros(2000).tolist()
    statistics[10] = 2.0
    statistics[400:420] = [lost] * 20
    statistics[450] = NAN
    statuses = run(statistics)
    (armed,) = [v.time for a, v in pairwise(statuses) if a.impact > v.impact]
    assert 511 * MILLISECOND <= armed <= (511 + 24) * MILLISECOND


def test_a_sample_above_the_threshold_starts_over_whatever_is_lost():
    statistics = np.zeros(1200).tolist()
    statistics[10] = statistics[400] = 2.0
    statistics[405:410] = [NAN] * 5
    statuses = run(statistics)
    assert next(v.time for v in statuses[11:] if v.armed) >= 900 * MILLISECOND


@pytest.mark.parametrize(("lost", "second"), [(490, False), (600, True)])
def test_after_re_arm_time_with_nothing_known_it_is_armed(lost, second):
    statistics = [0.0] * 10 + [2.0] + [None] * lost + [2.0] * 5
    times = found(run(statistics))
    assert times == ([10, 11 + lost] if second else [10])


def test_a_push_that_stays_is_one_impact_at_a_low_rate_too():
    assert found(run([0.0] * 10 + [2.0] * 200, step=20, rearm_time=0.0)) == [200]
    assert found(run([0.0] * 10 + [2.0] * 200, step=20, rearm_time=0.02)) == [200]


def test_a_slow_sensor_is_re_armed_too():
    statistics = [0.0] * 10 + [2.0] + [0.0] * 60 + [2.0]
    assert len(found(run(statistics, step=20))) == 2


@pytest.mark.parametrize("statistic", [NAN, np.inf])
def test_what_is_not_finite_is_not_known(statistic):
    (status,) = run([statistic])
    assert not status.ready and not status.detection and not status.armed


@pytest.mark.parametrize("wrong", [-1.0, NAN, 1e300])
def test_an_impossible_time_is_refused(wrong):
    with pytest.raises(DetectorError, match=r"rearm_time: expected 0 to 1e\+06 \[s\], got"):
        ThresholdLatch("test", 1.0, rearm_time=wrong)


# --- what is not reported is said ---------------------------------------------------------------


def test_each_vibration_while_not_armed_is_said_once_with_its_reason():
    statistics = np.zeros(1000)
    statistics[[100, 103, 140, 300, 330, 450]] = 2.0, 1.5, 1.2, 3.0, 1.4, 5.0
    statuses = run(statistics.tolist())
    assert found(statuses) == [100]
    assert hushed(statuses) == [300, 450]  # neither the ringing at 140 nor that at 330 ms
    said = statuses[300].suppressed
    assert (said.statistic, said.threshold) == (3.0, 1.0)
    assert said.reason == "0.200 s after an impact, before 0.5 s of quiet"
    assert [statuses[k].suppressed_count for k in (299, 300, 999)] == [0, 1, 2]


def test_the_gate_is_said_too():
    statuses = run([0.0, 2.0, 2.0], allowed=False)
    assert hushed(statuses) == [1]
    assert statuses[1].suppressed.reason == "the contact point did not approach"


def test_the_same_stamp_again_says_nothing_again():
    latch = ThresholdLatch("test", 1.0)
    latch.judge(0, 2.0)
    latch.judge(200 * MILLISECOND, 2.0)
    again = latch.repeated(200 * MILLISECOND)
    assert again.suppressed is None and again.suppressed_count == 1


def test_a_force_while_not_armed_is_said():
    detector = ForceThresholdDetector(20.0)
    force = np.zeros((500, 3))
    force[[10, 300], 0] = 30.0
    status = detector.update(ForceSample(0, force, MILLISECOND))
    assert status.detection.detection_time == 10 * MILLISECOND
    assert status.suppressed.time == 300 * MILLISECOND


# --- on a real arm ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def response(panda):
    """What a simulated hit of the wall at 0.12 m/s adds to joint velocities and torques."""
    dq, hit = iim_hit(panda, 0.12, friction=0.15)
    first = int(hit.contact_start.time * 1e3)
    window = slice(first, first + 60)
    return hit.dq[window] - dq, hit.tau[window] - hit.tau[0]


def played(panda, rows, response, hits, gaps=()):
    """Return the detection statuses for the real arm's motion with added hits and gaps."""
    rows, t = rows.copy(), rows[:, 0]
    for hit in hits:
        first = int(np.searchsorted(t, hit))
        rows[first : first + 60, 8:15] += response[0]
        rows[first : first + 60, 15:22] += response[1]
    lost = np.zeros(len(rows), dtype=bool)
    for gap in gaps:
        lost |= (t > gap) & (t < gap + GAP)
    detector = FusedDetector(panda)
    return [
        detector.update(JointSample(round(row[0] * 1e9), row[1:8], row[8:15], row[15:22]))
        for row in rows[~lost]
    ]


@pytest.mark.parametrize("gaps", [(), (2.45,), (2.3, 2.75, 3.2)])
def test_a_gap_after_a_hit_hides_no_later_hit(panda, free_motion, response, gaps):
    statuses = played(panda, free_motion, response, (2.0, 2.9, 5.0), gaps)
    times = [v.time * 1e-9 for v in statuses if v.detection]
    np.testing.assert_allclose(times, (2.0, 2.9, 5.0), atol=0.005)


def test_a_hit_within_the_re_arm_time_is_no_event_but_is_said(panda, free_motion, response):
    statuses = played(panda, free_motion, response, (2.0, 2.4))
    assert len([v for v in statuses if v.detection]) == 1
    # What was added ends after 60 ms with a jump, which is said, too.
    said = next(v.suppressed for v in statuses if v.suppressed and v.time > 2_100_000_000)
    assert said.time * 1e-9 == pytest.approx(2.4, abs=0.005) and said.statistic > said.threshold
