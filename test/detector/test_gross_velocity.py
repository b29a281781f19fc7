# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The cubic fit takes the vibration out of a velocity jump."""

import numpy as np
import pytest

from impact_detector import EstimateError, gross_velocity

T = np.arange(0.9, 1.2, 1e-3)


def test_a_cubic_is_recovered_exactly():
    coefficients = np.array([[0.3, -1.2], [0.7, -0.2], [3.0, 9.0], [-20.0, 50.0]])
    q = np.vander(T - 1.0, 4, increasing=True) @ coefficients
    result = gross_velocity(T, q, 1.0)
    np.testing.assert_allclose(result.velocity, [0.7, -0.2], atol=1e-10)
    np.testing.assert_allclose(result.fit_rms, 0.0, atol=1e-12)
    assert result.samples == 101
    assert result.window == pytest.approx(0.1)


def test_samples_before_the_impact_do_not_matter():
    q = np.where(T < 1.0, 99.0, 0.5 * (T - 1.0))[:, None]
    assert gross_velocity(T, q, 1.0).velocity[0] == pytest.approx(0.5)


@pytest.mark.parametrize("frequency", [25.0, 40.0, 70.0])
def test_damped_vibration_hardly_moves_it(frequency):
    """1 rad/s of vibration on 0.3 rad/s of motion; the velocity itself starts 1 rad/s off."""
    x, w = T - 1.0, 2 * np.pi * frequency
    velocity = 0.3 + 2.0 * x + np.exp(-30.0 * x) * np.cos(w * x)
    q = np.cumsum(np.where(x < 0, 0.0, velocity))[:, None] * 1e-3
    error = gross_velocity(T, q, 1.0).velocity[0] - 0.3
    assert abs(error) < 0.25 * (25.0 / frequency)
    assert abs(error) < 0.25 * abs(velocity[x >= 0][0] - 0.3)


def test_noise_of_the_real_encoders_costs_less_than_a_tenth_of_a_degree_per_second():
    noise = np.random.default_rng(0).normal(0.0, 1e-5, (len(T), 500))
    velocity = gross_velocity(T, noise, 1.0).velocity
    assert np.degrees(velocity.std()) < 0.1


def test_time_stamps_need_not_be_uniform():
    t = np.sort(np.random.default_rng(1).uniform(0.99, 1.11, 150))
    q = (0.4 * (t - 1.0) - 3.0 * (t - 1.0) ** 3)[:, None]
    assert gross_velocity(t, q, 1.0).velocity[0] == pytest.approx(0.4, abs=1e-9)


@pytest.mark.parametrize(
    ("keep", "text"),
    [
        (T < 1.005, "expected at least 8 samples"),
        ((T < 1.02) | (T > 1.05), "ms without a sample"),
        (T < 1.08, "expected 100 ms after the impact, got 79 ms"),
    ],
)
def test_a_window_with_holes_is_refused(keep, text):
    with pytest.raises(EstimateError, match=text):
        gross_velocity(T[keep], np.zeros((int(keep.sum()), 1)), 1.0)


def test_nan_is_refused():
    with pytest.raises(EstimateError, match="not finite"):
        gross_velocity(T, np.full((len(T), 1), np.nan), 1.0)
