# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A slow force sensor gives no single impulse, and says so."""

import numpy as np
import pytest

from impact_detector import ForceSample, ImpactEstimator, integrate_impulse
from impact_detector.estimators.impulse import (
    contact_share,
    force_impulse_std,
    resampled_share,
    sampling_share,
)
from impact_detector.estimators.streaming import UNDERSAMPLED
from impact_detector.signals.sample import Detection, JointSample

DURATION = 0.015  # [s]
FINE = np.arange(0.0, DURATION + 1e-9, 1e-5)


def peaked(t):
    """A damped contact: the peak comes after a sixth of the contact [N]."""
    x = np.clip(t / DURATION, 0.0, 1.0)
    return 2000.0 * x * np.exp(-6 * x) * (1 - x)


def test_sampled_at_many_phases_the_expected_table_comes_out():
    shares = {rate: resampled_share(FINE, peaked(FINE), 1 / rate) for rate in (25e3, 1e3, 500, 200)}
    assert shares[25e3] < 1e-4
    assert 0.002 < shares[1e3] < 0.012
    assert 0.008 < shares[500] < 0.05
    assert 0.05 < shares[200] < 0.41


@pytest.mark.parametrize("rate", [1000.0, 500.0, 250.0])
def test_the_formula_is_within_a_factor_of_three(rate):
    force = peaked(FINE)
    width = np.trapezoid(force, FINE) / force.max()
    told = sampling_share(1 / rate, DURATION, width)
    true = resampled_share(FINE, force, 1 / rate)
    assert true / 3 < told < 3 * true


def sampled(rate, noise=0.0, phase=0.3):
    t = (np.arange(-60, 100) + phase) / rate
    force = np.where((t > 0) & (t < DURATION), peaked(t), 0.0)[:, None] * [-1.0, 0.0, 0.0]
    return t, force + np.random.default_rng(0).normal(0.0, noise or 1e-12, force.shape)


@pytest.mark.parametrize(("rate", "slow"), [(25e3, False), (1e3, False), (200.0, True)])
def test_what_is_too_slow_is_known_from_the_samples(rate, slow):
    contact = integrate_impulse(*sampled(rate))
    assert contact.period == pytest.approx(1 / rate)
    assert (contact_share(contact) > 0.05) == slow


def test_noise_counts_where_sampling_does_not():
    t = np.arange(-0.02, 0.04, 4e-5)
    exact = np.trapezoid(peaked(FINE), FINE)
    force = np.where((t > 0) & (t < DURATION), peaked(t), 0.0)[:, None] * [-1.0, 0.0, 0.0]
    errors, told = [], []
    for seed in range(30):
        noisy = force + np.random.default_rng(seed).normal(0.0, 0.5, force.shape)
        contact = integrate_impulse(t, noisy, noise=0.5)
        errors.append(-contact.impulse[0] - exact)
        told.append(force_impulse_std(contact, 0.5))
    assert np.sqrt(np.mean(np.square(errors))) < 2 * np.mean(told) < 0.01 * exact


@pytest.mark.parametrize(("period_ms", "flagged"), [(1, False), (5, True)])
def test_the_estimate_is_flagged(period_ms, flagged):
    estimator, found = ImpactEstimator(normal=(-1.0, 0.0, 0.0)), None
    for k in range(260):
        stamp = k * 1_000_000
        zero = np.zeros(2)
        found = estimator.update(JointSample(stamp, zero, zero, None)) or found
        if k % period_ms == 0:
            force = peaked(np.array([max(k - 100.4, 0.0) * 1e-3])) * (k < 115)
            found = (
                estimator.update_force(ForceSample(stamp, np.array([[-force[0], 0, 0]]))) or found
            )
        if k == 102:
            estimator.start(Detection("fused", stamp - 1_000_000, stamp, 20.0, 15.0))
    assert bool(found.quality & UNDERSAMPLED) == flagged
    assert (found.impulse_std > 0.05 * found.normal_impulse) == flagged
    assert found.impulse_source == "force"
