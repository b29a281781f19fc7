# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A parabola through positions gives the velocity before a touch better than velocities do."""

import numpy as np
import pytest

from impact_detector import EstimateError, velocity_before
from impact_detector.signals.noise import white_noise

T = np.arange(-0.1, 0.05, 1e-3)
BEFORE = np.array([0.2, -0.4])
Q = BEFORE * T[:, None] + 0.5 * np.array([1.5, -3.0]) * T[:, None] ** 2


def test_constant_acceleration_is_no_bias():
    np.testing.assert_allclose(velocity_before(T, Q, 0.0), BEFORE, atol=1e-12)
    np.testing.assert_allclose(velocity_before(T, Q, 0.0, margin=3e-4), BEFORE, atol=1e-12)


def test_what_comes_after_the_touch_does_not_matter():
    q = np.where(T[:, None] < 0.0, Q, 7.0)
    np.testing.assert_allclose(velocity_before(T, q, 0.0), BEFORE, atol=1e-12)


def test_noise_of_the_real_encoders_costs_less_than_a_mean_of_velocities():
    random = np.random.default_rng(0)
    found = velocity_before(T, random.normal(0.0, 1e-5, (len(T), 400)), 0.0)
    usual = random.normal(0.0, 4e-3, (4, 400)).mean(axis=0)
    assert found.std() < 7e-4 < 0.5 * usual.std()


def test_a_short_record_is_refused():
    with pytest.raises(EstimateError, match="expected 6 samples over 20 ms before contact"):
        velocity_before(T[T > -0.008], Q[T > -0.008], 0.0)


def test_noise_is_learnt_from_a_signal_that_moves_and_jumps():
    random = np.random.default_rng(1)
    values = np.sin(20 * T)[:, None] + (T > 0)[:, None] + random.normal(0.0, 1e-2, (len(T), 50))
    np.testing.assert_allclose(white_noise(values, 1e-9).mean(), 1e-2, rtol=0.1)
    assert white_noise(np.zeros((3, 2)), 0.5).tolist() == [0.5, 0.5]


def test_eight_samples_at_200_hz_suffice():
    t = np.arange(8) * 5e-3 - 0.04
    q = np.column_stack([0.3 * t + 0.5 * t**2, -0.1 * t])
    np.testing.assert_allclose(velocity_before(t, q, 0.0), [0.3, -0.1], atol=1e-9)
