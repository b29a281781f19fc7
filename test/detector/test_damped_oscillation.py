# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Least squares takes damped oscillations out of joint positions, or says that it failed."""

import numpy as np
import pytest

from impact_detector import EstimateError
from impact_detector.estimators.damped_oscillation import oscillation_fit

T = np.arange(0.0, 0.12, 1e-3)
TREND = np.array([0.3, -0.1])  # a0 of two joints [rad/s]


def positions(modes, *, noise=0.0, slope=(2.0, -1.0), seed=0):
    """Two joints: a0 x + a1 x^2/2 and for each (frequency, decay) a swing of 1e-3 rad."""
    q = TREND * T[:, None] + np.array(slope) * T[:, None] ** 2 / 2
    for k, (frequency, decay) in enumerate(modes):
        phase = 2 * np.pi * frequency * T[:, None] + np.array([0.3, 1.9]) + k
        q = q + 1e-3 * np.exp(-decay * T[:, None]) * np.cos(phase)
    return q + np.random.default_rng(seed).normal(0.0, noise or 1e-13, q.shape)


@pytest.mark.parametrize("mode", [(25.0, 10.0), (46.0, 40.0), (80.0, 5.0)])
def test_a_damped_oscillation_is_recovered(mode):
    fit = oscillation_fit(T, positions([mode]), 0.0)
    np.testing.assert_allclose(fit.velocity, TREND, atol=1e-4)
    np.testing.assert_allclose([fit.frequencies[0], fit.decays[0]], mode, rtol=1e-2)
    assert not fit.problems


def test_two_modes_are_recovered():
    fit = oscillation_fit(T, positions([(25.0, 10.0), (70.0, 20.0)]), 0.0, modes=2)
    np.testing.assert_allclose(fit.velocity, TREND, atol=1e-3)
    np.testing.assert_allclose(np.sort(fit.frequencies), [25.0, 70.0], rtol=0.01)


def test_a_trend_without_oscillation_is_exact():
    fit = oscillation_fit(T, positions([]), 0.0)
    np.testing.assert_allclose(fit.velocity, TREND, atol=1e-8)


def test_the_error_is_as_large_as_it_says():
    fits = [
        oscillation_fit(T, positions([(46.0, 40.0)], noise=1e-5, seed=seed), 0.0)
        for seed in range(20)
    ]
    errors = np.array([(fit.velocity - TREND) / fit.std for fit in fits])
    assert 0.6 < np.sqrt(np.mean(errors**2)) < 1.5
    assert np.degrees(np.mean([fit.std for fit in fits])) < 0.1


def test_the_same_samples_give_the_same_result():
    q = positions([(46.0, 40.0)], noise=1e-5)
    first, second = oscillation_fit(T, q, 0.0), oscillation_fit(T, q, 0.0)
    np.testing.assert_array_equal(first.velocity, second.velocity)


def test_what_one_mode_cannot_describe_is_not_silent():
    fit = oscillation_fit(T, positions([(25.0, 10.0), (70.0, 10.0)], noise=1e-5), 0.0)
    assert "residual" in fit.problems


def test_a_frequency_out_of_bounds_is_not_silent():
    fit = oscillation_fit(T, positions([(3.0, 1.0)], noise=1e-5), 0.0)
    assert fit.problems


def test_a_short_record_is_refused_or_uncertain():
    fit = oscillation_fit(T, positions([(20.0, 10.0)], noise=1e-5), 0.0, window=0.02)
    assert "uncertain" in fit.problems
    with pytest.raises(EstimateError, match="expected 300 ms after the impact"):
        oscillation_fit(T, positions([]), 0.0, window=0.3)


def test_nan_is_refused():
    q = positions([])
    q[30, 1] = np.nan
    with pytest.raises(EstimateError, match="not finite"):
        oscillation_fit(T, q, 0.0)
