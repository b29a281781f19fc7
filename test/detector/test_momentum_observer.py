# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The observed torque follows the external one as a first-order lag does, at any rate."""

import numpy as np
import pinocchio as pin
import pytest

from impact_detector import JointSample, MomentumDetector
from impact_robots.state.momentum_observer import MomentumObserver

FINE = 1e-4  # step of the integration [s]
GAIN = 500.0  # [1/s]
EXTERNAL = np.array([0.6, -0.4, 0.3, 0.8, 0.05, -0.04, 0.01])  # [N.m]


@pytest.fixture(scope="module")
def pushed(panda):
    """Rows of q, dq, tau of a rigid arm that is pushed from the first row on, every 0.1 ms."""
    model, data = panda.model, panda.model.createData()
    q, dq, rows = panda.stance.copy(), np.zeros(7), []
    damping = 5.0 * pin.crba(model, data, q).copy()  # with a time constant of 0.2 s
    damping = np.triu(damping) + np.triu(damping, 1).T
    for _ in range(3001):
        tau = pin.computeGeneralizedGravity(model, data, q).copy() - damping @ dq
        rows.append((q, dq, tau))
        ddq = pin.aba(model, data, q, dq, tau + EXTERNAL)
        q, dq = q + FINE * dq + FINE**2 / 2 * ddq, dq + FINE * ddq
    return rows


@pytest.mark.parametrize("rate", [1000, 250, 200, 100, 50])
def test_the_residual_is_a_first_order_lag_at_any_rate(panda, pushed, rate):
    step = round(1.0 / rate / FINE)
    observer = MomentumObserver(panda, GAIN)
    for k in range(0, len(pushed), step):
        observer.update(round(k * FINE * 1e9), *pushed[k])
        lag = EXTERNAL * (1.0 - np.exp(-GAIN * k * FINE))
        np.testing.assert_allclose(observer.residual, lag, atol=0.02 * np.abs(EXTERNAL).max())


@pytest.mark.parametrize("rate", [200, 50])
def test_noise_stays_noise_at_low_rates(panda, rate):
    random, observer = np.random.default_rng(0), MomentumObserver(panda, GAIN)
    gravity = pin.computeGeneralizedGravity(panda.model, panda.model.createData(), panda.stance)
    largest = 0.0
    for k in range(2000):
        noise = random.standard_normal((2, 7))
        time = round(k * 1e9 / rate)
        observer.update(time, panda.stance, 4e-3 * noise[0], gravity + 0.08 * noise[1])
        largest = max(largest, np.abs(observer.residual).max())
    assert 0.05 < largest < 10.0


def test_a_long_gap_starts_anew_and_a_lost_sample_does_not(panda):
    detector = MomentumDetector(MomentumObserver(panda, GAIN), (4, 5), bias_samples=0)
    zero = np.zeros(7)
    ready = [
        detector.update(JointSample(t * 1_000_000, panda.stance, zero, zero)).ready
        for t in (0, 1, 2, 22, 23, 74, 75)
    ]
    assert ready == [False, True, True, True, True, False, True]
