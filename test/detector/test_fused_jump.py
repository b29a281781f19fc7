# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The compiled statistic of the fused detector against the formula in plain numpy."""

from dataclasses import replace
from math import nan

import numpy as np
import pinocchio as pin
import pytest

from impact_detector.detectors.detector_kind import DETECTORS, Setup
from impact_detector.detectors.fused import FusedDetector
from impact_detector.signals.sample import JointSample
from impact_robots import load_robot

BIAS, LEARNT, VELOCITY, TORQUE = 20, 1000, 4e-3, 0.08
LEAST = 0.15  # of the variance, which an arm at rest may seem to have
LAG = 6  # samples kept before they count for the bias


def motion(robot, count, seed=0):
    """Return q, dq and tau of a smooth motion with noise, (count, n) each."""
    random, t = np.random.default_rng(seed), np.arange(count)[:, None] * 1e-3
    phase, data = 3.0 * t + np.arange(robot.dof), robot.model.createData()
    q, dq, ddq = 0.3 * np.sin(phase), 0.9 * np.cos(phase), -2.7 * np.sin(phase)
    q = robot.stance + q
    each = zip(q, dq, ddq, strict=True)
    tau = np.array([pin.rnea(robot.model, data, *row) for row in each])
    dq = dq + VELOCITY * random.standard_normal(q.shape)
    return q, dq, tau + TORQUE * random.standard_normal(q.shape)


class Formula:
    """What doc/detection.md says, with lists and inverses."""

    def __init__(self, robot):
        self.model, self.data = robot.model, robot.model.createData()
        self.y, self.quiet, self.noise, self.last = [], [], np.ones(robot.dof), None

    def __call__(self, time, q, dq, tau):
        if tau is None:
            self.last = None
            return nan
        pin.computeAllTerms(self.model, self.data, q, dq)
        mobility = np.linalg.inv(self.data.M)
        net, last = tau - self.data.nle, self.last
        self.last = time, dq, net
        if last is None or time - last[0] > 3_000_000:
            self.y = []
            return nan
        dt = (time - last[0]) * 1e-9
        self.y.append((dt, dq - last[1] - dt * mobility @ (net + last[2]) / 2))
        if len(self.y) > LAG:
            self.quiet.append(self.y[-LAG - 1])
        if len(self.quiet) < BIAS or len(self.y) < 2:
            return nan
        return max(self.norm(mobility, window) for window in (1, 2))

    def norm(self, mobility, window):
        bias = self.quiet[-BIAS:]
        span = sum(dt for dt, _ in bias)
        drift = sum(y for _, y in bias) / span
        time = sum(dt for dt, _ in self.y[-window:])
        jump = sum(y for _, y in self.y[-window:]) - time * drift
        by_torque = (time / window) ** 2 * (window - 0.5) * TORQUE**2 * mobility @ mobility.T
        covariance = 2 * (1 + (time / span) ** 2) * VELOCITY**2 * np.eye(len(jump)) + by_torque
        white = jump / np.sqrt(self.noise)
        if window == 2:
            seen = np.minimum(jump**2 / np.diag(covariance), 9 * self.noise)
            self.noise = np.maximum(LEAST, self.noise + (seen - self.noise) / LEARNT)
        return np.sqrt(white @ np.linalg.solve(covariance, white))


@pytest.mark.parametrize("name", ["panda", "panda_plate"])
def test_the_statistic_is_that_of_the_formula(name):
    robot = load_robot(name)
    detector = FusedDetector(robot, bias_samples=BIAS, velocity_noise=VELOCITY, torque_noise=TORQUE)
    formula, known = Formula(robot), 0
    for k, (q, dq, tau) in enumerate(zip(*motion(robot, 400), strict=True)):
        time = k * 1_000_000 + (5_000_000 if k >= 200 else 0)  # a gap
        torque = None if k == 300 else tau  # and a sample without torque
        if k >= 350:
            dq = dq + 0.1  # an impact
        expected = formula(time, q, dq, torque)
        got = detector.update(JointSample(time, q, dq, torque)).statistic
        assert got == pytest.approx(expected, rel=1e-9, nan_ok=True)
        known += np.isfinite(got)
    assert 350 < known < 375 and detector.dropped == 0


def from_rest(robot, rest, count):
    """Return samples of an arm that stands without any noise, and then moves with all of it."""
    random, data = np.random.default_rng(1), robot.model.createData()
    for k in range(rest + count):
        t = max(0, k - rest) * 1e-3
        q = robot.stance + 0.1 * (1.0 - np.cos(3.0 * t))
        dq, ddq = (
            np.full(robot.dof, 0.3 * np.sin(3.0 * t)),
            np.full(robot.dof, 0.9 * np.cos(3.0 * t)),
        )
        tau = pin.rnea(robot.model, data, q, dq, ddq if t > 0.0 else 0.0 * ddq)
        if t > 0.0:
            dq = dq + VELOCITY * random.standard_normal(robot.dof)
            tau = tau + TORQUE * random.standard_normal(robot.dof)
        yield JointSample(k * 10**6, q, dq, tau)


def test_noise_that_returns_after_exact_rest_is_no_impact(panda):
    """After 10 s the first motion was one; after minutes the statistic overflowed."""
    detector = FusedDetector(panda, velocity_noise=VELOCITY, torque_noise=TORQUE)
    statuses = [detector.update(sample) for sample in from_rest(panda, 10_000, 2000)]
    assert all(status.ready and status.detection is None for status in statuses[100:])
    assert max(status.statistic for status in statuses[10_000:]) < 15.0


@pytest.mark.parametrize("kind", ["torque_error", "momentum"])
def test_nor_is_it_in_multiples_of_learnt_noise(panda, kind):
    setup = Setup(panda, 8.0, noise_multiples=True)
    detector, data = DETECTORS[kind].make(setup), panda.model.createData()
    for k, sample in enumerate(from_rest(panda, 10_000, 2000)):
        if k % 10 == 0 or k >= 10_000:
            reference = pin.rnea(panda.model, data, sample.q, sample.dq, np.zeros(7))
        status = detector.update(sample._replace(tau_ref=reference))
        assert status.detection is None
    assert status.ready


def test_an_arm_without_a_stance_learns_its_noise_too(panda):
    robot = replace(panda, stance=np.full(7, np.nan))
    detector = DETECTORS["momentum"].make(Setup(robot, 8.0, noise_multiples=True))
    samples = zip(*motion(panda, 600), strict=True)
    statuses = [detector.update(JointSample(k * 10**6, *row)) for k, row in enumerate(samples)]
    assert all(status.ready for status in statuses[300:])


def test_what_was_learnt_is_forgotten_with_time_that_jumps_back():
    robot = load_robot("panda")
    columns = motion(robot, 100)
    one, two = (FusedDetector(robot, bias_samples=BIAS) for _ in range(2))

    def run(detector):
        rows = enumerate(zip(*columns, strict=True))
        return [detector.update(JointSample(k * 10**6, *row)).statistic for k, row in rows]

    run(one)
    np.testing.assert_array_equal(run(one), run(two))


def test_measurements_may_be_read_only_or_strided():
    """As recordings give them; what is compiled takes arrays of one kind only."""
    robot, columns = load_robot("panda"), motion(load_robot("panda"), 60)
    odd = []
    for column in columns:
        array = np.asfortranarray(column)
        array.flags.writeable = False
        odd.append(array)
    one, two = (FusedDetector(robot, bias_samples=BIAS) for _ in range(2))
    for k in range(60):
        plain = one.update(JointSample(k * 10**6, *(each[k] for each in columns)))
        other = two.update(JointSample(k * 10**6, *(each[k] for each in odd)))
        assert other.statistic == plain.statistic or np.isnan(plain.statistic)
    assert np.isfinite(other.statistic)
