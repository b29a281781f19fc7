# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A path is interpolated by the derivatives at its points, and passed on slower, never left."""

import numpy as np
import pytest

from impact_qp.governor.timed_path import STALLED, TimedPath

TIMES = np.array([0.5, 0.8, 1.6])


def path(order, begun=0.0):
    points = np.random.default_rng(order).standard_normal((3, order, 2))
    return TimedPath(TIMES, points, np.array([1.0, -1.0]), begun), points


@pytest.mark.parametrize("order", [1, 2, 3])
def test_between_points_it_is_the_polynomial_of_their_derivatives(order):
    from scipy.interpolate import BPoly

    made, points = path(order)
    known = BPoly.from_derivatives(TIMES, list(points))
    for time in np.linspace(0.5, 1.599, 23):
        made.time = time
        np.testing.assert_allclose(made.ahead(0.0), known(time), atol=1e-9)
        np.testing.assert_allclose(made.velocity, known.derivative()(time), atol=1e-7)


def test_to_the_first_point_it_goes_straight_from_where_the_arm_is_sent():
    made, points = path(2, begun=-0.5)
    np.testing.assert_allclose(made.ahead(0.0), [1.0, -1.0])
    np.testing.assert_allclose(made.ahead(0.5), 0.5 * (points[0, 0] + [1.0, -1.0]))
    np.testing.assert_allclose(made.velocity, points[0, 0] - [1.0, -1.0])


def test_a_path_that_began_is_joined_where_it_is_now():
    made, points = path(1, begun=0.65)
    np.testing.assert_allclose(made.ahead(0.0), 0.5 * (points[0, 0] + points[1, 0]))


def test_slowed_down_it_stays_on_the_path_and_takes_longer():
    made, _ = path(3)
    random, sent, cycles = np.random.default_rng(0), np.array([1.0, -1.0]), 0
    exact, _ = path(3)
    while not made.ended(sent) and cycles < 2000:
        wanted, factor = made.ahead(0.004), float(random.uniform(0.1, 0.9))
        sent = sent + factor * (wanted - sent)  # as the governor does
        made.advance(factor)
        exact.time = made.time
        np.testing.assert_allclose(sent, exact.ahead(0.0), atol=3e-3)
        cycles += 1
    assert 600 < cycles < 1200  # 1.6 s at half the speed on average


def test_it_has_ended_at_its_last_point_only():
    made, points = path(1)
    made.time = 1.7
    assert made.ended(points[-1, 0])
    assert not made.ended(points[-1, 0] + 1e-3)
    made.time = 1.5
    assert not made.ended(points[-1, 0])


def test_it_is_stalled_after_a_time_without_progress():
    made, _ = path(1)
    for factor, stalled in ((0.0, False), (0.5, False), (0.0, False), (0.0, True)):
        made.ahead(0.6 * STALLED)
        made.advance(factor)
        assert made.stalled is stalled
