# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The kink in joint motion tells when the bodies touched."""

import numpy as np
import pytest

from impact_detector import EstimateError, contact_time

T = np.arange(-0.1, 0.02, 1e-3)
GAINS = np.array([3e4, -2e4, 1e4])  # of three joints [rad/s^3]


def motion(touch, *, noise=True, seed=0, gains=GAINS):
    """Steady motion, and from contact on a velocity that grows with the square of time."""
    random, u = np.random.default_rng(seed), np.clip(T - touch, 0.0, None)[:, None]
    smooth = np.array([0.2, -0.1, 0.3]) * T[:, None] + 0.5 * T[:, None] ** 2
    q, dq = smooth + gains * u**3 / 3, np.gradient(smooth, T, axis=0) + gains * u**2
    if noise:
        q = q + random.normal(0.0, 1e-5, q.shape)
        dq = dq + random.normal(0.0, 4e-3, q.shape)
    return q, dq


@pytest.mark.parametrize("touch", [-2.3e-3, -1.6e-3, -0.9e-3])
def test_the_touch_is_found_between_samples(touch):
    found = [contact_time(T, *motion(touch, seed=seed), 0.0) for seed in range(20)]
    error = np.sqrt(np.mean([(each.time - touch) ** 2 for each in found]))
    assert error < 0.3e-3  # a sample comes each millisecond
    assert error < 1.5 * np.mean([each.std for each in found])


def test_its_deviation_is_honest_and_counts_the_shape():
    found = contact_time(T, *motion(-2e-3), 0.0)
    assert 2e-4 < found.std < 5e-4
    assert abs(found.time + 2e-3) < 2 * found.std


def test_without_a_kink_nothing_is_invented():
    with pytest.raises(EstimateError, match="no kink"):
        contact_time(T, *motion(-2e-3, gains=0.0 * GAINS), 0.0)


def test_a_step_is_not_taken_for_it():
    q, dq = motion(0.0, gains=0.0 * GAINS)
    after = np.clip(T + 3e-3, 0.0, None)[:, None]
    with pytest.raises(EstimateError, match="no kink"):
        contact_time(T, q + 0.5 * after, dq + 0.5 * (after > 0), 0.0)


def test_too_short_a_record_is_refused():
    q, dq = motion(-2e-3)
    with pytest.raises(EstimateError, match="too few samples"):
        contact_time(T[T > -0.02], q[T > -0.02], dq[T > -0.02], 0.0)
