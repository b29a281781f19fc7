# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The velocity filter takes noise away, and neither lags nor stays wrong."""

import numpy as np
import pytest

from impact_qp.control.estimate import VelocityFilter

DT = 1e-3


def run(acceleration, commanded, noise=(1e-5, 4e-3), steps=1000, seed=0):
    """Return estimated and true velocities of one joint."""
    random, filtered = np.random.default_rng(seed), VelocityFilter(DT)
    q = dq = 0.0
    estimates, truth = [], []
    for k in range(steps):
        measured = np.array([q, dq]) + np.array(noise) * random.standard_normal(2)
        before = commanded(k - 1) if k else 0.0
        estimate = filtered.update(measured[:1], measured[1:], np.array([before]))
        estimates.append(estimate[0])
        truth.append(dq)
        q, dq = q + dq * DT + 0.5 * acceleration(k) * DT**2, dq + acceleration(k) * DT
    return np.array(estimates), np.array(truth)


def test_noise_shrinks_to_a_sixth():
    estimate, truth = run(lambda k: 0.0, lambda k: 0.0)
    assert np.std((estimate - truth)[200:]) < 4e-3 / 6


def test_a_commanded_motion_is_followed_without_lag():
    swing = lambda k: 5.0 * np.sin(0.02 * k)  # noqa: E731
    estimate, truth = run(swing, swing, noise=(0.0, 0.0))
    np.testing.assert_allclose(estimate, truth, atol=1e-9)


def test_an_acceleration_nobody_commanded_is_learnt():
    """Friction or a wrong model: the bias is gone after 0.2 s."""
    estimate, truth = run(lambda k: 1.0, lambda k: 0.0, noise=(0.0, 0.0))
    error = np.abs(estimate - truth)
    assert error.max() < 0.03
    assert error[300:].max() < 2e-4


def test_reset_believes_the_next_measurement():
    filtered = VelocityFilter(DT)
    filtered.update(np.zeros(1), np.zeros(1), np.zeros(1))
    filtered.reset()
    assert filtered.update(np.zeros(1), np.array([2.0]), np.zeros(1)) == pytest.approx(2.0)


def test_a_second_filter_works_out_no_gain(monkeypatch):
    """A goal makes a controller within a cycle of the arm: the Riccati equation takes longer."""
    VelocityFilter(DT)
    monkeypatch.setattr("scipy.linalg.solve_discrete_are", None)
    VelocityFilter(DT)
    with pytest.raises(TypeError):
        VelocityFilter(1.5 * DT)  # another gain


@pytest.mark.parametrize("alert", [False, True])
@pytest.mark.parametrize("longest", [2, 5, 10])
def test_missed_measurements_do_not_make_it_swing(alert, longest):
    """A filter that takes every measurement for the next one is unstable from about three on."""
    random, filtered = np.random.default_rng(0), VelocityFilter(DT)
    filtered.alert, q, dq, periods, errors = alert, 0.0, 0.5, 1, []
    for _ in range(500):
        measured = np.array([q, dq]) + np.array([1e-5, 4e-3]) * random.standard_normal(2)
        estimate = filtered.update(measured[:1], measured[1:], np.zeros(1), periods)
        errors.append(estimate[0] - dq)
        periods = int(random.integers(1, longest + 1))
        q += dq * periods * DT
    assert np.abs(errors[100:]).max() < 0.012
