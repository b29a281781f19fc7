# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Collision thresholds: what a hit needs, and the largest push that does not stop the arm."""

from itertools import product

import numpy as np
import pytest
from half_sine import observed_fraction

from impact_predictor.contact_force.laws import HuntCrossley
from impact_predictor.exceptions import PredictionError
from impact_predictor.joint_load.drive import drive_of
from impact_predictor.joint_load.elastic_arm import elastic_arm
from impact_predictor.joint_load.load import joint_load, load_contact
from impact_predictor.joint_load.load_case import viscoelastic
from impact_predictor.reflex.observed_peaks import DURATION, hit_peaks
from impact_predictor.reflex.predicted import thresholds_by_prediction
from impact_predictor.reflex.stopping_push import largest_push, stopping_push
from impact_predictor.reflex.thresholds import (
    ObservedHit,
    Thresholds,
    check_range,
    check_stiffness,
    growth,
    needed_thresholds,
    scaled_peaks,
    thresholds_by_hits,
)
from impact_robots import ArmDynamics, OutOfRangeError, Surface

VENDOR = (20.0, 20.0, 18.0, 18.0, 16.0, 14.0, 12.0)  # of the manufacturer's example programs [N.m]
LOW = Thresholds(np.array(VENDOR), np.array([20.0, 20.0, 20.0, 25.0, 25.0, 25.0]))
ZERO = Thresholds(np.zeros(7), np.zeros(6))
DEMO = (0.2, -0.01, 0.56, -1.59, -1.76, 2.57, -2.02)  # pose of the demo [rad]
LONG = (0.613, 0.171, -1.7322, -0.8773, 1.3616, 2.7485, 0.4227)
POSES = (DEMO, (0.04, -0.93, 0.06, -2.40, -0.04, 2.99, -1.35))


@pytest.fixture(scope="module")
def point(panda):
    return ArmDynamics(panda)(DEMO, np.zeros(7))


def test_the_demos_hit_as_an_independent_prototype_computed_it(panda, point):
    """Figures of the team's prototype for list B of people_vectors.json, first entry."""
    laws = [HuntCrossley(k, k * c, 1.0) for k in (1e5, 3e5, 1e6) for c in (0.0, 2.0)]
    peaks = hit_peaks(panda, point, (-1.0, 0.0, 0.0), 0.1, laws, (5.0, 15.9, 100.0))
    assert peaks.force == pytest.approx(160.9, rel=0.05)
    assert peaks.impulse == pytest.approx(0.767, rel=0.05)
    np.testing.assert_allclose(peaks.observed, [19.8, 48.9, 128.6], rtol=0.05)
    pushes = stopping_push(panda, point.robot_state, VENDOR)
    np.testing.assert_allclose(pushes, [171.0, 315.0, 299.0], rtol=0.05)


def test_peaks_of_a_linear_contact_are_proportional_to_the_speed(panda, point):
    slow, fast = (
        hit_peaks(panda, point, (-1.0, 0.0, 0.0), v, [HuntCrossley(3e5, 0.0, 1.0)], [15.9])
        for v in (0.05, 0.2)
    )
    assert fast.force == pytest.approx(4.0 * slow.force, rel=1e-3)
    np.testing.assert_allclose(fast.observed, 4.0 * slow.observed, rtol=1e-3)


@pytest.mark.parametrize("a", [0.1, 0.5, 1.0, 2.0, 10.0])
def test_the_observed_fraction_is_that_of_a_filtered_half_sine(a):
    steps = 20_000  # of a half sine of 1 s, so that f_c = a/2
    share, seen, peak = 1.0 - np.exp(-np.pi * a / steps), 0.0, 0.0
    for force in np.sin(np.pi * (np.arange(steps) + 0.5) / steps):
        seen += share * (force - seen)
        peak = max(peak, seen)
    assert observed_fraction(a) == pytest.approx(peak, rel=2e-3)


def test_a_slow_filter_sees_the_impulse_and_a_fast_one_the_peak():
    assert observed_fraction(1e-3) == pytest.approx(2e-3, rel=0.01)
    assert observed_fraction(100.0) == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_the_largest_push_is_that_over_all_directions(d, seed):
    rng = np.random.default_rng(seed)
    J, most = rng.normal(size=(d, 7)), rng.uniform(5.0, 20.0, 7)
    directions = rng.normal(size=(200_000, d))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    brute = (most / np.abs(directions @ J)).min(axis=1).max()
    found = largest_push(J, most)
    assert brute <= found * (1.0 + 1e-9)
    assert brute >= (0.9999 if d == 2 else 0.97) * found


def test_a_push_that_no_joint_notices_is_unlimited():
    J = np.vstack([np.ones((2, 7)) * [[1.0], [0.5]], np.linspace(1.0, 2.0, 7)])
    assert largest_push(J, VENDOR) == np.inf


def test_along_the_upper_arm_nothing_is_noticed_across_it_is(panda, point):
    state = point.robot_state
    elbow = state.at("panda_link4")
    along = elbow.position - state.at("panda_link2").position
    assert np.abs(elbow.J[:3].T @ along).max() < 1e-9
    assert largest_push(elbow.J[:3], VENDOR) == np.inf
    assert np.isfinite(stopping_push(panda, state, VENDOR).elbow_across)


def test_higher_thresholds_never_stop_the_arm_sooner(panda, point):
    low = stopping_push(panda, point.robot_state, VENDOR)
    high = stopping_push(panda, point.robot_state, np.multiply(VENDOR, 1.5))
    np.testing.assert_allclose(high, np.multiply(low, 1.5))


def test_recorded_hits_are_scaled_with_what_a_loop_adds():
    recorded = [[4.0, -10.0], [6.0, 3.0]]
    np.testing.assert_allclose(
        scaled_peaks(recorded, [0.05, 0.05], 0.1), [6 * 2 * 1.15, 10 * 2 * 1.15]
    )
    assert growth(4.0) == 1.3


def test_a_hit_that_is_too_slow_says_nothing_beside_a_faster_one():
    np.testing.assert_allclose(scaled_peaks([[5.0], [9.0]], [0.01, 0.1], 0.1), [9.0 * 1.15])


def test_beyond_four_times_the_recorded_speed_it_is_refused():
    with pytest.raises(PredictionError, match=r"at most 4 times the recorded.* got 5\.00 times"):
        scaled_peaks([[5.0]], [0.02], 0.1)


@pytest.mark.parametrize("seed", range(20))
def test_thresholds_by_hits_are_the_rule_enumerated(seed):
    """max(vendor_i, 1.1 gamma tau_i(v0) v/v0) of the worst hit at least a quarter as fast."""
    rng = np.random.default_rng(seed)
    hits = [
        ObservedHit(*rng.uniform(0.02, 0.2, 1), rng.uniform(0.0, 30.0, 7), rng.normal(size=6) * 40)
        for _ in range(rng.integers(1, 5))
    ]
    speed = rng.uniform(0.5, 3.9) * max(hit.speed for hit in hits)
    found = thresholds_by_hits(hits, speed, LOW)
    for name in ("torque", "force"):
        for i, vendor in enumerate(getattr(LOW, name)):
            expected = vendor
            for hit in hits:
                ratio = speed / hit.speed
                if ratio <= 4.0:
                    gamma = 1.15 if ratio <= 2.0 else 1.3
                    expected = max(expected, 1.1 * gamma * abs(getattr(hit, name)[i]) * ratio)
            assert getattr(found, name)[i] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("friction", [0.0, 0.3, 0.6])
@pytest.mark.parametrize("q", POSES)
def test_predicted_thresholds_cover_hits_with_friction(panda, friction, q):
    """Judged by the joint-load model with friction, which the prediction does not run."""
    point = ArmDynamics(panda)(q, np.zeros(7))
    surface = Surface(None, (-1.0, 0.0, 0.0), (0.0, friction), (0.6, 1.0), (1e5, 3e5))
    torque, force = thresholds_by_prediction(panda, point, surface, 0.1, ZERO)
    arm = elastic_arm(panda, point.robot_state, drive_of(panda, "torque"))
    highest = 0.0
    for k, slip in product((1e5, 3e5), (0.0, 0.01)):
        for angle in np.linspace(0.0, 2.0 * np.pi, 6, endpoint=False):
            velocity = np.array([slip * np.cos(angle), slip * np.sin(angle), -0.1])
            law = HuntCrossley(k, 0.0, 1.0)  # restitution 1
            contact = load_contact(point, surface.rotation, law, friction, velocity)
            load = joint_load(arm, [contact], duration=DURATION)
            highest = max(highest, float(load.peak_force[0]))
    for angle in np.linspace(0.0, 2.0 * np.pi, 60):
        along = friction * np.array([np.cos(angle), np.sin(angle), 0.0]) + [0.0, 0.0, 1.0]
        f = highest * surface.rotation @ along
        assert (np.abs(point.J[:3].T @ f) <= torque).all()
        assert (np.abs(f) <= force[:3]).all()
    loads = highest * np.hypot(1.0, friction)
    assert force[0] <= 1.35 * loads  # not much more than needed


def test_thresholds_cover_a_hit_whose_motors_take_part_by_friction(panda):
    point = ArmDynamics(panda)(LONG, np.zeros(7))
    normal = np.array([0.2465, -0.6429, 0.7252])
    surface = Surface(None, normal, (0.0, 0.6), (0.3, 0.3), (1e6, 1e6))
    _, force = thresholds_by_prediction(panda, point, surface, 0.1, ZERO)
    arm = elastic_arm(panda, point.robot_state, drive_of(panda, "torque"))
    law = viscoelastic(1e6, 0.3, 0.1)
    contact = load_contact(point, surface.rotation, law, 0.6, np.array([0.0, 0.0, -0.1]))
    peak = float(joint_load(arm, [contact], duration=DURATION).peak_force[0])
    assert force[0] >= peak * np.hypot(1.0, 0.6)


def test_nothing_is_predicted_for_a_surface_that_may_be_hard(panda, point):
    for highest in (2e6, np.inf):
        surface = Surface(None, (-1.0, 0.0, 0.0), (0.0, 0.3), (0.6, 1.0), (1e5, highest))
        with pytest.raises(PredictionError, match="expected recorded hits, or a stiffness of at"):
            thresholds_by_prediction(panda, point, surface, 0.1, LOW)


def test_thresholds_are_never_below_the_vendors():
    np.testing.assert_allclose(needed_thresholds([20.0, 12.0], [10.0, 20.0]), [20.0, 22.0])


def test_thresholds_above_the_range_are_refused_with_the_joint():
    with pytest.raises(
        PredictionError, match=r"joint 2 would need 21\.7 N\.m, its range leaves 11"
    ):
        check_range(np.array([20.0, 21.7]), [20.0, 14.0], np.array([80.0, 11.0]))
    check_range(np.array([20.0, 14.0]), [20.0, 14.0], np.array([80.0, 11.0]))  # the vendor's own
    for left in (0.0, -3.0):  # gravity fills the range
        line = rf"joint 3 would need 15\.0 N\.m, its range leaves {left:.1f}: expected another pose"
        with pytest.raises(PredictionError, match=line):
            check_range(np.array([20.0, 21.7, 15.0]), [20.0, 14.0, 14.0], np.array([80, 11, left]))


@pytest.mark.parametrize("stiffness", [2e6, np.inf, np.nan])
def test_a_prediction_needs_a_ceiling_of_the_stiffness(stiffness):
    with pytest.raises(PredictionError, match="expected recorded hits, or a stiffness of at most"):
        check_stiffness(stiffness)


def test_thresholds_of_another_number_are_refused():
    with pytest.raises(OutOfRangeError, match="thresholds: expected 7 numbers above 0"):
        largest_push(np.ones((3, 7)), [1.0])
