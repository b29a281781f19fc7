# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Between which loads a hit may leave the joints: what the plant measures lies there."""

import numpy as np
import pytest
from coasting_hit import coasting_hit

from impact_predictor.joint_load.load_case import viscoelastic
from impact_predictor.joint_load.load_interval import (
    JumpComparison,
    JumpInterval,
    LoadInterval,
    TorqueComparison,
    compare_jumps,
    compare_torques,
    half_times,
    joint_intervals,
)
from impact_robots import Surface

Q = np.array([0.3, -0.6, 0.2, -2.2, 0.5, 2.0, 0.3])
NORMAL = np.array([-1.0, 0.0, 0.0])
SPEED, STIFFNESS, RESTITUTION, FRICTION = 0.15, 1e6, 0.3, 0.2


@pytest.fixture(scope="module")
def hit(panda):
    law = viscoelastic(STIFFNESS, RESTITUTION, SPEED)
    return coasting_hit(panda, Q, Surface(None, NORMAL, FRICTION), SPEED, law)


@pytest.fixture(scope="module")
def point(hit, panda_dynamics):
    before = np.flatnonzero(hit.time < 0.0)[-1]
    return panda_dynamics(hit.position[before], hit.velocity[before - 10 : before].mean(axis=0))


def interval(panda, point, stiffness, restitution=(0.2, 0.4)):
    surface = Surface(None, NORMAL, (0.1, 0.3), restitution, stiffness)
    return joint_intervals(panda, point, surface, "measured").load


def test_measured_changes_lie_between_the_predicted_ones(panda, hit, point):
    found = interval(panda, point, (5e5, 2e6))
    compared = compare_torques(hit.time, hit.torque, found, panda.torque_noise)
    assert not compared.above.any() and not compared.below.any()
    assert compared.measured.max() > 5.0  # or that would say little
    big = compared.measured > 2.0
    assert (found.high[big] < 4.0 * found.low[big]).all()


def test_a_surface_that_is_harder_than_told_is_seen(panda, hit, point):
    told = interval(panda, point, (1e4, 3e4))
    found = compare_torques(hit.time, hit.torque, told, panda.torque_noise)
    assert found.above.any() and not found.below.any()


def test_a_surface_that_is_softer_than_told_is_seen(panda, point):
    law = viscoelastic(1e4, RESTITUTION, SPEED)
    soft = coasting_hit(panda, Q, Surface(None, NORMAL, FRICTION), SPEED, law)
    told = interval(panda, point, (1e6, np.inf))
    found = compare_torques(soft.time, soft.torque, told, panda.torque_noise)
    assert found.below.any() and not found.above.any()


def test_wider_ranges_give_wider_intervals(panda, point):
    """But for what draws find less of the inside of a wider range."""
    narrow, wide = interval(panda, point, (5e5, 2e6)), interval(panda, point, (1e4, np.inf), (0, 1))
    assert (wide.low[:6] < 0.8 * narrow.low[:6]).all()
    assert (wide.high[:6] > 0.97 * narrow.high[:6]).all()
    assert (wide.high[:6] > narrow.high[:6]).any()


def test_changes_count_from_before_the_touch_and_until_30_ms_after():
    t = 1e-3 * np.arange(-20, 60)
    torque = np.full((80, 2), 7.0)
    torque[t < -0.011] = 100.0
    torque[(t > 0.0099) & (t < 0.0101), 0] = 4.0
    torque[t > 0.031] = -100.0
    found = compare_torques(t, torque, LoadInterval(np.zeros(2), np.full(2, 1.0)))
    np.testing.assert_allclose(found.measured, [3.0, 0.0])
    assert found.above.tolist() == [True, False] and not found.below.any()


def test_noise_is_no_change():
    nothing = LoadInterval(np.full(1, 2.0), np.full(1, 3.0))
    assert not TorqueComparison(np.array([3.2]), np.array([0.3]), nothing).above.any()
    assert TorqueComparison(np.array([1.6]), np.array([0.3]), nothing).below.all()


def test_records_that_do_not_tell_are_left_out():
    nothing = LoadInterval(np.zeros(1), np.ones(1))
    t = 1e-3 * np.arange(-20, 60)
    torque = np.zeros((80, 1))
    unknown = torque.copy()
    unknown[25] = np.nan
    assert compare_torques(t, unknown, nothing) is None
    assert compare_torques(t[t < 0.02], torque[t < 0.02], nothing) is None
    assert compare_torques(t[t > 0.0], torque[t > 0.0], nothing) is None


def test_a_half_is_reached_between_samples_and_either_way():
    """The first time at half of the largest, of that sign."""
    time = np.array([1.0, 2.0, 3.0, 4.0])
    change = np.array([[0.0, 1.0, 0.0], [1.0, -2.0, 0.0], [4.0, -8.0, 0.0], [3.0, -1.0, 0.0]])
    found = half_times(time, change)
    np.testing.assert_allclose(found[:2], [2.0 + 1.0 / 3.0, 2.0 + 1.0 / 3.0])
    assert np.isnan(found[2])
    np.testing.assert_allclose(half_times(time, np.full((4, 1), 3.0)), 0.5)


def test_joints_jump_at_the_predicted_times_one_after_the_other(panda, hit, point):
    surface = Surface(None, NORMAL, (0.1, 0.3), (0.2, 0.4), (5e5, 2e6))
    told = joint_intervals(panda, point, surface, "measured").jump
    found = compare_jumps(hit.time, hit.velocity, told, panda.velocity_noise)
    known = np.isfinite(found.measured)
    assert known.sum() >= 4 and not found.outside.any()
    assert (told.low < told.high).all()
    assert np.ptp(found.measured[known]) > 1e-3  # they do not jump together


def test_jumps_that_come_too_late_are_seen_and_small_ones_are_not_judged():
    time = 1e-3 * np.arange(-20, 60)
    velocity = np.where(time > 0.0095, 1.0, 0.0)[:, None] * [1.0, 0.01]
    told = JumpInterval(np.array([0.001, 0.001]), np.array([0.004, 0.004]))
    found = compare_jumps(time, velocity, told, 0.004)
    assert found.measured[0] == pytest.approx(0.0095) and np.isnan(found.measured[1])
    assert found.outside.tolist() == [True, False]
    unsure = compare_jumps(time, velocity, told, 0.004, time_std=0.003)
    assert not unsure.outside.any()
    assert compare_jumps(time[time < 0.02], velocity[time < 0.02], told, 0.004) is None
    assert not JumpComparison(np.array([0.002]), 0.0, told).outside.any()
