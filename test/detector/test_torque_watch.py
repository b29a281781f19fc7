# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What a detector needs is asked for, and no more; torques that nobody measured are none."""

import numpy as np
import pinocchio as pin
import pytest

from impact_detector import AccelerationDetector, FusedDetector, JointSample, MomentumDetector
from impact_detector.parameters import DetectorParameters, session_for
from impact_detector.signals.sample_rate import SampleRate
from impact_detector.signals.torque_watch import ALWAYS_ZERO, NEVER_CHANGES
from impact_robots.state.momentum_observer import MomentumObserver

MILLISECOND = 1_000_000
NAN = float("nan")


def stream(panda, count, *, effort="measured", speed=0.3, period=MILLISECOND):
    """Return samples of a Panda whose joints move, with noise but where effort is made up."""
    gravity = panda.model.createData()
    random, samples = np.random.default_rng(1), []
    for k in range(count):
        noise, t = random.standard_normal((3, 7)), k * period * 1e-9
        q = panda.stance + speed * t
        dq = np.full(7, speed) + 4e-3 * noise[1]
        tau = pin.computeGeneralizedGravity(panda.model, gravity, q) + 0.08 * noise[2]
        made_up = {"measured": tau, "zero": np.zeros(7), "constant": np.ones(7), "none": None}
        samples.append(JointSample(k * period, q, dq, made_up[effort]))
    return samples


def judged(panda, samples, *detectors):
    session = session_for(DetectorParameters(detectors=detectors), panda)
    outcomes = [session.add_state(sample) for sample in samples]
    return session, outcomes


# --- not a number -------------------------------------------------------------------------------


def test_a_nan_effort_does_not_blind_what_looks_at_velocities_alone():
    detector = AccelerationDetector(range(6))
    zero = np.zeros(7)
    for k in range(20):
        status = detector.update(
            JointSample(k * MILLISECOND, zero + NAN, zero, zero + NAN, zero + NAN)
        )
    assert status.ready and detector.dropped == 0
    hit = detector.update(JointSample(20 * MILLISECOND, zero, zero + 0.5, zero + NAN))
    assert hit.detection


def test_a_nan_reference_does_not_blind_what_compares_with_none(panda):
    sample = stream(panda, 1)[0]._replace(tau_ref=np.full(7, NAN))
    for detector in (
        FusedDetector(panda),
        MomentumDetector(MomentumObserver(panda, 500.0), (4, 5), bias_samples=0),
    ):
        detector.update(sample)
        assert detector.dropped == 0


@pytest.mark.parametrize("huge", [1e300, -1e300, 1e7, np.inf])
def test_a_number_that_is_none_is_dropped_and_leaves_nothing_behind(panda, huge):
    samples = stream(panda, 300)
    detector = FusedDetector(panda)
    for sample in samples[:200]:
        detector.update(sample)
    bad = samples[200]._replace(dq=np.full(7, huge))
    assert not detector.update(bad).ready and detector.dropped == 1
    assert all(detector.update(sample).ready for sample in samples[201:])


# --- not measured -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("effort", "speed", "why"),
    [("zero", 0.0, ALWAYS_ZERO), ("zero", 0.3, ALWAYS_ZERO), ("constant", 0.5, NEVER_CHANGES)],
)
def test_an_effort_that_nobody_measures_is_none_with_a_word(panda, effort, speed, why):
    samples = stream(panda, 300, effort=effort, speed=speed)
    session, outcomes = judged(panda, samples, "fused", "acceleration")
    statuses = [status for outcome in outcomes for status in outcome.statuses]
    others = [status for outcome in outcomes for status in outcome.others]
    assert not any(status.ready for status in statuses[100:])
    assert all(status.ready for status in others[100:])
    assert session.troubles == {"torque": why}


@pytest.mark.parametrize(("effort", "why"), [("zero", ALWAYS_ZERO), ("constant", NEVER_CHANGES)])
def test_a_first_position_that_is_missing_hides_nothing(panda, effort, why):
    samples = stream(panda, 300, effort=effort, speed=0.5)
    samples[0] = samples[0]._replace(q=np.full(7, NAN))
    session, outcomes = judged(panda, samples, "fused")
    assert session.troubles == {"torque": why} and not outcomes[-1].statuses[0].ready


@pytest.mark.parametrize(("effort", "speed"), [("measured", 0.5), ("constant", 0.0)])
def test_an_effort_that_may_be_measured_is_taken(panda, effort, speed):
    session, outcomes = judged(panda, stream(panda, 300, effort=effort, speed=speed), "fused")
    assert outcomes[-1].statuses[0].ready
    assert not session.troubles


def test_an_effort_that_comes_back_is_taken_at_once(panda):
    samples = stream(panda, 400)
    samples[100:250] = [each._replace(tau=np.zeros(7)) for each in samples[100:250]]
    session, outcomes = judged(panda, samples, "momentum")
    assert not outcomes[249].statuses[0].ready
    assert not session.troubles and outcomes[252].statuses[0].ready


# --- too slow -----------------------------------------------------------------------------------


def test_a_rate_that_is_too_low_is_said_with_what_to_use_instead(panda):
    samples = stream(panda, 200, period=5 * MILLISECOND, speed=0.1)
    session, outcomes = judged(panda, samples, "fused", "momentum", "acceleration")
    said = "fused needs at least 333 Hz, got 200 Hz: use momentum or torque_error or force"
    assert session.troubles == {"rate of fused": said}
    assert not outcomes[-1].statuses[0].ready
    assert all(status.ready for status in outcomes[-1].others)


def test_gaps_repetitions_and_a_restart_do_not_change_the_usual_period():
    rate = SampleRate()
    times = [k * MILLISECOND + 40 * MILLISECOND * (k > 30) for k in range(120)]
    for time in times:
        rate.add(time)
        rate.add(time)
    assert rate.period == MILLISECOND
    rate.add(0)
    assert rate.period is None
