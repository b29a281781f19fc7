# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Balance under a push, against closed forms, statics, energy, and an integrated pendulum."""

import numpy as np
import pytest

from impact_predictor.balance.push_limit import (
    GRAVITY,
    SLIDE,
    StandingBody,
    carrying,
    footing_of,
    impulse_limit,
    push_limit,
    stance_margin,
)
from impact_predictor.balance.rocking import largest_impulse, largest_moment
from impact_robots import ArmDynamics, load_robot
from impact_robots.task.find import find_palm_task

X, Y, UP = np.eye(3)
HALF = np.array([0.1, 0.2])  # of the support [m]
CORNERS = np.array([[x, y, 0.0] for x in (-0.1, 0.1) for y in (-0.2, 0.2)])
MASS, HEIGHT, INERTIA = 40.0, 0.8, np.diag([5.0, 6.0, 1.0])


def block(give=0.0, friction=10.0):
    com = np.array([0.0, 0.0, HEIGHT])
    return StandingBody(MASS, com, INERTIA, CORNERS, (give, give), friction)


def tips(moment, duration, give, step=2e-5):
    """Whether the pendulum, integrated, goes beyond where it comes back; moment over m g d."""
    angle = rate = time = 0.0
    while time < duration + 8.0:
        load = moment if time < duration else 0.0
        rate += step * (load + angle - min(angle / give, 1.0))
        angle += step * rate
        time += step
        if angle < 0.0 or (time > duration and angle + rate > 1.5):
            return angle > 0.0
    return False


@pytest.mark.parametrize("duration", [0.02, 0.5, 3.0])
def test_on_a_stiff_support_the_moment_saturates_at_once(duration):
    assert largest_moment(duration, 0.0) == pytest.approx(1.0 / (1.0 - np.exp(-duration)))
    assert largest_moment(duration, 1e-7) == pytest.approx(largest_moment(duration, 0.0), rel=1e-3)


@pytest.mark.parametrize("give", [0.0, 0.05, 0.1, 0.3])
def test_short_and_sustained_pushes_are_limits_of_the_same(give):
    short = 1e-4
    assert largest_moment(short, give) * short == pytest.approx(largest_impulse(give), rel=1e-3)
    sustained = largest_moment(np.inf, give)
    assert sustained == pytest.approx(1.0 - np.sqrt(give))
    assert largest_moment(30.0, give) == pytest.approx(sustained, rel=1e-6)


@pytest.mark.parametrize("give", [0.05, 0.15])
@pytest.mark.parametrize("duration", [0.05, 0.4, 1.5])
def test_an_integrated_pendulum_falls_beyond_the_limit(give, duration):
    limit = largest_moment(duration, give)
    assert not tips(0.995 * limit, duration, give)
    assert tips(1.005 * limit, duration, give)


def test_longer_pushes_and_softer_supports_bear_less():
    limits = [[largest_moment(T, give) for T in (0.01, 0.1, 1, 10)] for give in (0, 0.1, 0.2)]
    assert (np.diff(limits, axis=0) < 0.0).all() and (np.diff(limits, axis=1) < 0.0).all()


def test_a_sustained_push_is_statics():
    """F h = m g d about the edge; at a point ahead of it, a force down tips too."""
    at = np.array([0.0, 0.0, 1.1])
    assert push_limit(block(), at, X) == pytest.approx(MASS * GRAVITY * HALF[0] / 1.1)
    assert push_limit(block(), at, -Y) == pytest.approx(MASS * GRAVITY * HALF[1] / 1.1)
    ahead = np.array([0.4, 0.0, 0.9])
    assert push_limit(block(), ahead, -UP) == pytest.approx(MASS * GRAVITY * HALF[0] / 0.3)


def test_a_blow_is_energy():
    """The blow turns the body about the edge, and lifts its weight to above the edge."""
    about = MASS * (HEIGHT**2 + HALF[0] ** 2) + INERTIA[1, 1]
    raised = HALF[0] ** 2 / (2.0 * HEIGHT)  # of the centre of mass, to second order [m]
    spin = np.sqrt(2.0 * MASS * GRAVITY * raised / about)
    blow = impulse_limit(block(), np.array([0.0, 0.0, 1.1]), X)
    assert blow == pytest.approx(about * spin / 1.1)
    assert push_limit(block(), np.array([0.0, 0.0, 1.1]), X, 1e-4) * 1e-4 == pytest.approx(
        blow, rel=1e-3
    )


def test_towards_a_corner_both_edges_give():
    way = np.array([*HALF, 0.0]) / np.linalg.norm(HALF)
    one = MASS * GRAVITY * HALF[0] / (HEIGHT * way[0])
    assert push_limit(block(), block().com, way) == pytest.approx(one * 2.0 ** (-1.0 / 8.0))


def test_soles_slide_before_a_low_push_tips():
    low, footing = np.array([0.0, 0.0, 0.05]), block(friction=0.5)
    assert push_limit(footing, low, X) == pytest.approx(0.5 * MASS * GRAVITY)
    speed = impulse_limit(footing, low, X) / MASS
    assert speed**2 / (2.0 * 0.5 * GRAVITY) == pytest.approx(SLIDE)
    duration = 0.1
    force = push_limit(footing, low, X, duration)
    rate = force / MASS - 0.5 * GRAVITY
    way = 0.5 * rate * duration**2 + (rate * duration) ** 2 / (2.0 * 0.5 * GRAVITY)
    assert way == pytest.approx(SLIDE)


def test_a_load_held_ahead_moves_the_centre_of_mass():
    held = carrying(block(), 2.0, np.array([0.42, 0.0, 0.8]))
    assert held.mass == 42.0 and held.com[0] == pytest.approx(0.02)
    lever = 40.0 * 2.0 / 42.0 * 0.42**2  # reduced mass
    assert held.inertia[1, 1] == pytest.approx(INERTIA[1, 1] + lever)
    beyond = carrying(block(), 30.0, np.array([0.42, 0.0, 0.8]))
    assert stance_margin(beyond).sustained == 0.0


def test_hrp4_stands_on_its_soles():
    robot, task = load_robot("hrp4"), find_palm_task("qp_hrp4_grab")
    state = ArmDynamics(robot, "all").state(task.start(robot), np.zeros(robot.nv))
    footing = footing_of(robot, state)
    x, y = task.sole
    assert footing.mass == pytest.approx(38.055, abs=1e-3)
    np.testing.assert_allclose(footing.corners.max(axis=0), [x + 0.115, y + 0.065, 0.0], atol=1e-6)
    raised = np.array(task.start(robot))
    raised[7 + robot.joint_names.index("L_KNEE_P")] += 0.5
    assert footing_of(robot, ArmDynamics(robot, "all").state(raised, np.zeros(robot.nv))) is None
    assert footing_of(load_robot("panda"), state) is None
