# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Each estimator finds what was put in, within its own standard deviation."""

import numpy as np
import pytest
from iim_hit import NORMAL, iim_hit, led

from impact_detector import EstimateError
from impact_detector.estimators.contact_time import contact_time
from impact_detector.estimators.damped_oscillation import oscillation_fit
from impact_detector.estimators.gross_velocity import velocity_before
from impact_detector.estimators.impulse import UNDERSAMPLED, resampled_share, sampling_share
from impact_detector.estimators.measured_restitution import kinematic_restitution
from impact_detector.estimators.torque_impulse import torque_impulse
from impact_detector.estimators.velocity_window import window_jump
from impact_sim.driver.sensors import PANDA_NOISE

LEAD = 100


@pytest.fixture(scope="module")
def hit(panda):
    """Return times, q, dq, tau with sensor noise, contact [s], the impulse and the velocity."""
    dq, run = iim_hit(panda, 0.15)
    random, noise = np.random.default_rng(5), PANDA_NOISE
    measured = [
        values + scale * random.standard_normal(values.shape)
        for values, scale in zip(
            led(dq, run, LEAD), (noise.position, noise.velocity, noise.torque), strict=True
        )
    ]
    t = np.concatenate([np.arange(-LEAD, 0) * 1e-3, run.t])
    impulse = run.contact_force.sum(axis=0) * run.contact_step
    return t, *measured, run.contact_start.time, impulse, dq


def oscillation(noise=0.0, seed=0):
    """Return times and positions of a damped 60 Hz vibration about a trend, and a0 (2,)."""
    t, random = np.arange(0.0, 0.12, 1e-3), np.random.default_rng(seed)
    b, w, a0 = 40.0, 2 * np.pi * 60.0, np.array([0.3, -0.1])
    swing = np.exp(-b * t) * (np.sin(w * t + 0.4) - np.sin(0.4)) / w
    q = np.outer(t, a0) + np.outer(t**2 / 2, [0.5, 0.2]) + np.outer(swing, [0.2, 0.4])
    return t, q + noise * random.standard_normal(q.shape), a0


def test_a_damped_oscillation_is_taken_out():
    t, q, _ = oscillation()
    fit = oscillation_fit(t, q, 0.0)
    assert fit.frequencies == pytest.approx([60.0], rel=0.02)
    assert fit.problems == ()


def test_the_trend_is_within_its_own_deviation():
    misses = []
    for seed in range(10):
        t, q, a0 = oscillation(1e-5, seed)
        exact = oscillation_fit(*oscillation()[:2], 0.0).velocity
        fit = oscillation_fit(t, q, 0.0)
        np.testing.assert_allclose(exact, a0, atol=0.03)
        misses.append((fit.velocity - exact) / fit.std)
    assert np.abs(misses).max() < 4.0
    assert np.std(misses) > 0.3


def test_the_window_sees_a_step():
    t = np.arange(-0.1, 0.1, 1e-3)
    dq = np.where(t[:, None] < 0.0, [0.2, -0.1], [0.5, 0.3])
    np.testing.assert_allclose(window_jump(t, dq, 0.0).jump, [0.3, 0.4], atol=1e-12)
    with pytest.raises(EstimateError):
        window_jump(t[:105], dq[:105], 0.0)


def test_the_velocity_before_is_better_than_a_mean_of_velocities(hit):
    t, q, dq, _, touch, _, truth = hit
    fitted = velocity_before(t, q, touch)
    mean = dq[(t >= touch - 4e-3) & (t < touch)].mean(axis=0)
    assert np.abs(fitted - truth).max() < 2e-3
    assert np.linalg.norm(fitted - truth) < np.linalg.norm(mean - truth)


def test_the_touch_is_found_in_the_joints_motion(hit):
    t, q, dq, _, touch, _, _ = hit
    found = contact_time(t, q, dq, touch + 2.4e-3)
    assert abs(found.time - touch) < 1e-3
    assert abs(found.time - touch) < 4 * found.std
    with pytest.raises(EstimateError):
        contact_time(t[:80], q[:80], dq[:80], t[70])  # nothing happens there


def test_joint_torques_tell_the_impulse_without_a_force_sensor(hit, panda):
    t, q, dq, tau, touch, impulse, _ = hit
    found = torque_impulse(panda, t, q, dq, tau, touch)
    assert found.impulse @ NORMAL == pytest.approx(impulse @ NORMAL, rel=0.1)
    assert abs((found.impulse - impulse) @ NORMAL) < 5 * found.std + 0.05 * impulse @ NORMAL


def test_two_hundred_hertz_is_not_enough_for_a_contact_of_12_ms():
    """Expected: 5 to 14 % at 200 Hz, 0.2 to 1.2 % at 1 kHz."""
    t = np.arange(0.0, 0.012, 1e-5)
    force = 80.0 * np.sin(np.pi * t / 0.012) ** 2
    width = 0.012 / 2
    for period in (1 / 200, 1 / 1000):
        by_rule, by_resampling = (
            sampling_share(period, 0.012, width),
            resampled_share(t, force, period),
        )
        assert by_resampling <= 3 * by_rule
    assert sampling_share(1 / 200, 0.012, width) > UNDERSAMPLED
    assert sampling_share(1 / 1000, 0.012, width) < UNDERSAMPLED


def test_restitution_is_of_the_contact_point_along_the_normal():
    J, normal = np.eye(3), np.array([0.0, 0.0, 1.0])
    before, after = np.array([0.3, 0.0, -0.2]), np.array([0.1, 0.0, 0.05])
    assert kinematic_restitution(J, normal, before, after) == pytest.approx(0.25)
    assert np.isnan(kinematic_restitution(J, normal, after, before))
