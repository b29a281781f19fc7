# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The jump between two instants around a touch."""

import numpy as np
import pytest

from impact_detector import EstimateError
from impact_detector.estimators.velocity_window import window_jump

T = np.arange(-0.1, 0.1, 1e-3)


def velocities(noise=0.0, joints=2):
    step = np.where(T < 0.0, 0.1, -0.3)[:, None] * np.ones(joints)
    return step + np.random.default_rng(0).normal(0.0, noise or 1e-12, (len(T), joints))


def test_a_step_is_found_between_samples_too():
    for touch in (0.0, 2.5e-4):
        np.testing.assert_allclose(window_jump(T, velocities(), touch).jump, -0.4, atol=1e-9)


def test_a_slope_adds_twenty_milliseconds_of_it():
    slope = 3.0 * T[:, None]
    assert window_jump(T, slope, 0.0).jump[0] == pytest.approx(3.0 * 0.02)


def test_its_noise_is_that_of_two_velocities():
    found = window_jump(T, velocities(4e-3, 300), 0.0)
    assert np.std(found.jump + 0.4) == pytest.approx(4e-3 * np.sqrt(2), rel=0.1)
    assert found.std.mean() == pytest.approx(4e-3 * np.sqrt(2), rel=0.1)


def test_missing_samples_and_nan_are_refused():
    keep = (T < 0.010) | (T > 0.020)
    with pytest.raises(EstimateError, match=r"no samples around 15\.0 ms"):
        window_jump(T[keep], velocities()[keep], 0.0)
    dq = velocities()
    dq[np.abs(T - 0.015) < 5e-4] = np.nan
    with pytest.raises(EstimateError, match="not finite"):
        window_jump(T, dq, 0.0)
