# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Detectors on velocities, torques and momentum: early, silent in free motion, each impact once."""

import numpy as np
import pinocchio as pin
import pytest
from iim_hit import iim_hit, led

from impact_detector import (
    AccelerationDetector,
    DetectorError,
    FusedDetector,
    JointSample,
    MomentumDetector,
    TorqueErrorDetector,
)
from impact_detector.detectors.detector_kind import DETECTORS as KINDS
from impact_detector.detectors.detector_kind import Setup
from impact_detector.parameters import DetectorParameters, session_for
from impact_robots.description.actuation import PANDA_FRICTION
from impact_robots.exceptions import OutOfRangeError
from impact_robots.state.momentum_observer import MomentumObserver
from impact_sim.driver.sensors import PANDA_NOISE

MILLISECOND = 1_000_000
LEAD = 400  # quiet samples before the simulation begins


@pytest.fixture(scope="module")
def impact(panda):
    return hit(panda, 1.2e5)


def hit(panda, stiffness):
    """Return samples of a noisy arm that hits a wall at 0.12 m/s, and contact [ns]."""
    dq, run = iim_hit(panda, 0.12, stiffness, 8e6 / 1.2e5 * stiffness, friction=0.15)
    return noisy(zip(*led(dq, run, LEAD), strict=True), 3), LEAD * MILLISECOND + round(
        run.contact_start.time * 1e9
    )


def noisy(rows, seed):
    """Return rows of q, dq, tau as samples with the noise of a Panda's sensors."""
    random, noise = np.random.default_rng(seed), PANDA_NOISE
    samples = []
    for k, (q, dq, tau) in enumerate(rows):
        e = random.standard_normal((3, 7))
        samples.append(
            JointSample(
                k * MILLISECOND,
                q + noise.position * e[0],
                dq + noise.velocity * e[1],
                tau + noise.torque * e[2],
            )
        )
    return samples


def make(name, panda):
    return {
        "fused": lambda: FusedDetector(panda),
        "momentum": lambda: MomentumDetector(MomentumObserver(panda, 500.0), (4, 5), 5.0),
        "acceleration": lambda: AccelerationDetector(range(6)),
    }[name]()


DETECTORS = ("fused", "momentum", "acceleration")


@pytest.mark.parametrize(("name", "latest"), [("fused", 3), ("momentum", 5), ("acceleration", 4)])
def test_an_impact_is_found_once_and_early(panda, impact, name, latest):
    samples, touch = impact
    detector = make(name, panda)
    found = [v.detection for v in map(detector.update, samples) if v.detection]
    (detection,) = found
    assert detection.detector == name == detector.name
    assert 0 < detection.detection_time - touch <= latest * MILLISECOND
    assert abs(detection.impact_time - touch) <= 2 * MILLISECOND


def test_fused_is_no_later_than_the_published_detector(panda, impact):
    samples, touch = impact
    torque = TorqueErrorDetector(panda.detection_joints, 1.8)
    reference = np.mean([sample.tau for sample in samples[:LEAD]], axis=0)
    times = []
    for detector in (make("fused", panda), torque):
        for sample in samples:
            given = JointSample(sample.time, sample.q, sample.dq, sample.tau, reference)
            if detector.update(given).detection:
                times.append(given.time - touch)
                break
    assert times[0] <= times[1]


@pytest.mark.parametrize("name", DETECTORS)
def test_the_same_samples_give_the_same_statistics(panda, impact, name):
    samples, _ = impact
    one, two = ([make(name, panda).update(s).statistic for s in samples[:1]] for _ in range(2))
    first, second = make(name, panda), make(name, panda)
    one += [first.update(sample).statistic for sample in samples]
    two += [second.update(sample).statistic for sample in samples]
    np.testing.assert_array_equal(one, two)


def test_the_real_arm_in_free_motion_does_not_alarm_the_fused_detector(panda, free_motion):
    detector = FusedDetector(panda)
    statuses = [detector.update(sample_of(row)) for row in free_motion]
    statistics = np.array([status.statistic for status in statuses])
    assert not any(status.detection for status in statuses)
    assert np.nanmax(statistics) < 0.7 * detector.threshold
    assert np.mean(np.isfinite(statistics)) > 0.99  # silent because it judged, not because it slept


def sample_of(row):
    return JointSample(round(row[0] * 1e9), row[1:8], row[8:15], row[15:22])


def test_an_impact_on_top_of_the_real_arms_motion_and_noise_is_found(panda, free_motion, impact):
    """The simulated response to the wall, added to the recording at ten places."""
    samples, touch = impact
    first = int(touch // MILLISECOND)
    window = samples[first : first + 60]
    before = samples[first - 100 : first]
    dq = np.array([s.dq for s in window]) - np.mean([s.dq for s in before], axis=0)
    tau = np.array([s.tau for s in window]) - np.mean([s.tau for s in before], axis=0)
    for at in range(1200, 9700, 850):
        rows = free_motion[at - 600 : at + 60].copy()
        rows[600:, 8:15] += dq
        rows[600:, 15:22] += tau
        detector = FusedDetector(panda)
        found = [k for k, row in enumerate(rows) if detector.update(sample_of(row)).detection]
        assert len(found) == 1 and 600 <= found[0] <= 604


@pytest.mark.parametrize("every", [1, 4, 5])
def test_the_real_arm_in_free_motion_does_not_alarm_momentum_at_any_rate(panda, free_motion, every):
    session = session_for(DetectorParameters(detectors=("momentum",)), panda)
    outcomes = [session.add_state(sample_of(row)) for row in free_motion[::every]]
    statuses = [status for outcome in outcomes for status in outcome.statuses]
    statistics = np.array([status.statistic for status in statuses])
    assert not any(outcome.detections or outcome.suppressed for outcome in outcomes)
    assert 0.2 * session.threshold < np.nanmax(statistics) < 0.75 * session.threshold
    assert np.mean(np.isfinite(statistics)) > 0.97


def test_a_hit_on_a_softer_wall_is_found_later(panda):
    """The same arm at the same speed; the delay that is claimed is that of a wall."""
    delays = []
    for stiffness in (5e5, 1.2e5, 2e4):
        samples, touch = hit(panda, stiffness)
        detector = FusedDetector(panda)
        times = [s.time for s in samples if detector.update(s).detection]
        delays += [(time - touch) / MILLISECOND for time in times]
    assert len(delays) == 3
    assert 0 < delays[0] <= delays[1] < delays[2] and delays[2] > 2.0 * delays[0]


@pytest.mark.parametrize("name", DETECTORS)
def test_nan_and_backward_time_lose_nothing_but_themselves(panda, impact, name):
    samples, _ = impact
    detector = make(name, panda)
    for sample in samples[:300]:
        detector.update(sample)
    bad = JointSample(300 * MILLISECOND, samples[300].q, samples[300].dq * np.nan, samples[300].tau)
    assert not detector.update(bad).ready
    assert detector.dropped == 1
    late = [v.detection for v in map(detector.update, samples[301:]) if v.detection]
    assert len(late) == 1
    assert not detector.update(samples[0]).impact  # another recording: everything anew
    assert detector.dropped == 0


def test_without_torque_the_fused_detector_is_not_ready(panda, impact):
    samples, _ = impact
    detector = FusedDetector(panda)
    for sample in samples[:200]:
        detector.update(sample)
    blind = JointSample(200 * MILLISECOND, samples[200].q, samples[200].dq, None)
    assert not detector.update(blind).ready
    assert not detector.update(samples[201]).ready
    assert detector.update(samples[202]).ready is False
    assert detector.update(samples[203]).ready


def test_a_gap_is_not_an_impact(panda, impact):
    samples, touch = impact
    detector = FusedDetector(panda)
    first = int(touch // MILLISECOND)
    fast = [s for s in samples[: first - 150]] + samples[first - 100 : first]
    statuses = [detector.update(sample) for sample in fast]
    assert not any(status.detection for status in statuses)
    assert not statuses[first - 150].ready


def test_acceleration_judges_at_100_hz_with_jitter_of_the_stamps(panda):
    session = session_for(DetectorParameters(detectors=["acceleration"]), panda)
    jitter = np.random.default_rng(0).normal(scale=20_000, size=200)  # [ns]
    rest, ready = np.zeros(7), 0
    for k in range(200):
        time = k * 10 * MILLISECOND + round(jitter[k])
        (status,) = session.add_state(JointSample(time, panda.stance, rest, None)).statuses
        ready += status.ready
    assert ready == 198 and not session.troubles


def test_the_residual_is_the_external_torque(panda):
    """A rigid arm that falls under a constant external torque, integrated finely."""
    model, data, dt = panda.model, panda.model.createData(), 1e-4
    external = np.array([3.0, -2.0, 1.0, 4.0, 0.5, -0.4, 0.1])
    q, dq, observer = panda.stance.copy(), np.zeros(7), MomentumObserver(panda, 100.0)
    for k in range(1500):
        tau = pin.computeGeneralizedGravity(model, data, q)
        observer.update(k * 100_000, q, dq, tau)
        ddq = pin.aba(model, data, q, dq, tau + external)
        q, dq = q + dt * dq + dt**2 / 2 * ddq, dq + dt * ddq
    np.testing.assert_allclose(observer.residual, external, rtol=0.02, atol=0.02)


def test_motor_inertia_and_friction_are_taken_out(panda):
    """A motor torque that accelerates motors and overcomes friction leaves no residual."""
    model, data, dt = panda.model.copy(), panda.model.createData(), 1e-4
    B, friction = panda.reflected_motor_inertia, PANDA_FRICTION
    knowing = MomentumObserver(panda, 100.0, motor_inertia=B, friction=friction)
    ignorant = MomentumObserver(panda, 100.0)
    q, dq = panda.stance.copy(), np.zeros(7)
    for k in range(1500):
        tau = pin.computeGeneralizedGravity(model, data, q) + 2.0 * np.sin(2e-3 * k)
        for observer in (knowing, ignorant):
            observer.update(k * 100_000, q, dq, tau)
        M = pin.crba(model, data, q).copy() + np.diag(B)
        ddq = np.linalg.solve(M, tau - friction(dq) - pin.nonLinearEffects(model, data, q, dq))
        q, dq = q + dt * dq + dt**2 / 2 * ddq, dq + dt * ddq
    assert np.abs(knowing.residual).max() < 0.02
    assert np.abs(ignorant.residual).max() > 0.5


def test_thresholds_can_be_multiples_of_learnt_noise(panda, impact):
    samples, touch = impact
    detector = TorqueErrorDetector(panda.detection_joints, 8.0, multiples=True)
    reference = np.mean([sample.tau for sample in samples[:LEAD]], axis=0)
    given = [JointSample(s.time, s.q, s.dq, s.tau, reference) for s in samples]
    statuses = [detector.update(sample) for sample in given]
    ready = [k for k, status in enumerate(statuses) if status.ready]
    assert ready[0] == 250  # 50 for the bias, 200 for the noise
    quiet = [statuses[k].statistic for k in ready if given[k].time < touch]
    assert np.mean(quiet) == pytest.approx(0.8, abs=0.1)  # of a Gaussian: the mean is 0.8 sigma
    (detection,) = (status.detection for status in statuses if status.detection)
    assert 0 < detection.detection_time - touch < 6 * MILLISECOND


@pytest.mark.parametrize("rate", [1000, 200, 50, 25])
def test_the_multiples_of_momentum_are_those_of_its_noise_at_any_rate(panda, rate):
    """Sensor noise alone: the mean of a Gaussian's deviations is 0.8 sigma."""
    detector = KINDS["momentum"].make(Setup(panda, 1e6, noise_multiples=True))
    rng, q, period = np.random.default_rng(0), panda.stance, 10**9 // rate
    gravity = pin.computeGeneralizedGravity(panda.model, panda.model.createData(), q)
    statistics = []
    for k in range(1500):
        dq = panda.velocity_noise * rng.normal(size=7)
        tau = gravity + panda.torque_noise * rng.normal(size=7)
        statistics.append(detector.update(JointSample(k * period, q, dq, tau)).statistic)
    assert np.mean(statistics[700:]) == pytest.approx(0.8, abs=0.05)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda p: FusedDetector(p, velocity_noise=0.0), "velocity_noise: expected a number > 0"),
        (lambda p: FusedDetector(p, bias_samples=0), "bias_samples: expected at least 1, got 0"),
        (lambda p: FusedDetector(p, threshold=-1.0), "threshold: expected a number > 0"),
        (lambda p: MomentumObserver(p, 0.0), "gain: expected above 0 and at most 1000"),
        (lambda p: AccelerationDetector(()), "joints: expected at least one index from 0"),
    ],
)
def test_bad_settings_are_named(panda, wrong, message):
    with pytest.raises((DetectorError, OutOfRangeError), match=message):
        wrong(panda)
