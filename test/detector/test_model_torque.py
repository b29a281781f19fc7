# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The model's torque, and what a real arm's free motion looks like against it."""

import numpy as np
import pinocchio as pin
import pytest

from impact_detector import DetectorError, JointSample, ModelTorque, TorqueErrorDetector
from impact_detector.signals.sample import from_seconds
from impact_robots.description.actuation import PANDA_FRICTION

THRESHOLD = 2.5  # [N.m]
PULSE = 0.018  # duration of an impact (Wang 2023) [s]


def judge(panda, rows, *, bias_samples=50, **model_options):
    """Return the largest statistic and the detections of the default detector."""
    model = ModelTorque(panda, **model_options)
    detector = TorqueErrorDetector(panda.detection_joints, THRESHOLD, bias_samples=bias_samples)
    statuses = []
    for row in rows:
        time, q, dq, tau = from_seconds(row[0]), row[1:8], row[8:15], row[15:22]
        reference = model.update(time, q, dq)
        statuses.append(detector.update(JointSample(time, q, dq, tau, reference)))
    statistics = [status.statistic for status in statuses if status.ready]
    return max(statistics), [status.detection for status in statuses if status.detection]


def with_pulse(rows, start, torque):
    """Add half a sine to the torques of joints 5 and 6, as an impact at the tool does."""
    phase = (rows[:, 0] - start) / PULSE
    pulse = np.sin(np.pi * np.clip(phase, 0.0, 1.0))
    changed = rows.copy()
    changed[:, 15 + 4] += 0.3 * torque * pulse
    changed[:, 15 + 5] -= 0.7 * torque * pulse
    return changed


def test_at_rest_it_is_gravity(panda):
    model, q = ModelTorque(panda), np.array(panda.stance)
    torques = [model.update(k * 1_000_000, q, np.zeros(7)) for k in range(31)]
    assert all(torque is None for torque in torques[:30])
    gravity = pin.computeGeneralizedGravity(panda.model, panda.model.createData(), q)
    np.testing.assert_allclose(torques[30], gravity)
    np.testing.assert_allclose(model.gravity(q), gravity)


def test_a_constant_acceleration_is_exact_whatever_the_time_stamps(panda):
    model, acceleration = ModelTorque(panda), np.linspace(-3.0, 4.0, 7)
    times = np.cumsum(np.random.default_rng(0).integers(700_000, 2_000_000, 40))
    q = np.array(panda.stance)
    for time in times.tolist():
        dq = acceleration * time * 1e-9
        torque = model.update(time, q, dq)
    expected = pin.rnea(panda.model, panda.model.createData(), q, dq, acceleration)
    np.testing.assert_allclose(torque, expected, atol=1e-9)


def test_friction_is_zero_at_rest_and_opposes_nothing_else():
    np.testing.assert_allclose(PANDA_FRICTION(np.zeros(7)), 0.0, atol=1e-15)
    assert np.all(PANDA_FRICTION(np.ones(7)) > 0) and np.all(PANDA_FRICTION(-np.ones(7)) < 0)


def test_without_the_tool_the_arm_is_lighter(panda):
    q = np.array(panda.stance)
    with_tool, without = ModelTorque(panda), ModelTorque(panda, tool=False)
    difference = with_tool.gravity(q) - without.gravity(q)
    assert 0.1 < np.abs(difference).max() < 1.0  # 0.1 kg at an arm's length [N.m]


def test_backward_time_and_nan_start_no_trouble(panda):
    model, q = ModelTorque(panda, samples=3), np.array(panda.stance)
    for time in (0, 1, 2):
        torque = model.update(time, q, np.zeros(7))
    assert torque is not None
    assert model.update(3, q, np.full(7, np.nan)) is None
    assert model.update(1, q, np.zeros(7)) is None  # the window fills again


def test_a_window_of_two_is_refused(panda):
    with pytest.raises(DetectorError, match="samples: expected at least 3, got 2"):
        ModelTorque(panda, samples=2)


@pytest.mark.parametrize("options", [{}, {"tool": False}, {"friction": PANDA_FRICTION}])
@pytest.mark.parametrize("bias_samples", [0, 50])
def test_the_real_arm_in_free_motion_hits_nothing(panda, free_motion, options, bias_samples):
    largest, detections = judge(panda, free_motion, bias_samples=bias_samples, **options)
    assert not detections
    assert 0.3 < largest < 0.5 * THRESHOLD  # measured: 1.0 to 1.25


@pytest.mark.parametrize("start", np.arange(0.5, 9.9, 0.94))
def test_an_impact_on_top_of_the_real_motion_is_found(panda, free_motion, start):
    """4 N.m, about what the slowest impact of the demo does to these joints."""
    near = (free_motion[:, 0] > start - 0.15) & (free_motion[:, 0] < start + 0.1)
    _, (detection,) = judge(panda, with_pulse(free_motion[near], start, 4.0))
    assert 0.0 < detection.detection_time * 1e-9 - start < 0.009
    assert abs(detection.impact_time * 1e-9 - start) < 0.004
