# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The integral of a force over its contact is the impulse."""

import numpy as np
import pytest

from impact_detector import EstimateError, integrate_impulse

DIRECTION = np.array([-0.96, 0.28, 0.0])
PEAK, DURATION, START = 120.0, 0.015, 0.0203  # [N], [s], [s]
EXACT = PEAK * DURATION * 2.0 / np.pi


def half_sine(rate, *, end=0.08, noise=0.0):
    t = np.arange(0.0, end, 1.0 / rate)
    phase = (t - START) / DURATION
    pulse = np.where((phase > 0) & (phase < 1), PEAK * np.sin(np.pi * np.clip(phase, 0, 1)), 0.0)
    random = np.random.default_rng(0).normal(0.0, noise or 1e-12, (len(t), 3))
    return t, pulse[:, None] * DIRECTION + random


@pytest.mark.parametrize(("rate", "error"), [(25_000, 1e-3), (1000, 0.01)])
def test_a_half_sine_gives_its_impulse_and_its_instants(rate, error):
    result = integrate_impulse(*half_sine(rate))
    np.testing.assert_allclose(result.impulse, EXACT * DIRECTION, atol=error * EXACT)
    assert result.t_contact == pytest.approx(START, abs=1.0 / rate)
    assert result.t_release == pytest.approx(START + DURATION, abs=1.0 / rate)
    assert np.linalg.norm(result.peak) == pytest.approx(PEAK, rel=0.02)


def test_sensor_noise_costs_little():
    result = integrate_impulse(*half_sine(25_000, noise=0.5), noise=0.5)
    assert np.linalg.norm(result.impulse) == pytest.approx(EXACT, rel=5e-3)
    assert result.t_contact == pytest.approx(START, abs=1e-4)


def test_noise_alone_is_no_contact():
    t = np.arange(0.0, 1.0, 4e-5)
    noise = np.random.default_rng(2).normal(0.0, 0.5, (len(t), 3))
    with pytest.raises(EstimateError, match="no contact, largest force"):
        integrate_impulse(t, noise, noise=0.5)


def test_integration_ends_at_the_first_release():
    t, first = half_sine(25_000)
    later = np.roll(first, round(0.03 * 25_000), axis=0)
    both = integrate_impulse(t, first + later)
    np.testing.assert_allclose(both.impulse, integrate_impulse(t, first).impulse, atol=1e-9)


def test_a_contact_without_end_has_no_release():
    result = integrate_impulse(*half_sine(25_000, end=START + DURATION / 2))
    assert np.isnan(result.t_release)
    assert np.linalg.norm(result.impulse) == pytest.approx(EXACT / 2, rel=0.01)


def test_nan_is_refused():
    t, force = half_sine(1000)
    force[3, 1] = np.nan
    with pytest.raises(EstimateError, match="not finite"):
        integrate_impulse(t, force)
