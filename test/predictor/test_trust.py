# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Intervals hold the truth as often as they should, and every doubt has its sentence."""

import numpy as np
import pytest
from walls import a_wall

from impact_predictor import Flag, caveats, impact_map, predict, velocity_interval
from impact_predictor.inertia.jacobian import contact_jacobian
from impact_robots.exceptions import OutOfRangeError

RANGES = {"friction": (0.2, 0.4), "restitution": (0.0, 0.3)}


def test_without_uncertainty_the_interval_is_the_prediction(hitting, panda):
    low, high = velocity_interval(hitting, a_wall(0.3, 0.1), panda, inertia_margin=0.0)
    prediction = predict(hitting, a_wall(0.3, 0.1), panda)
    np.testing.assert_allclose(low, prediction.dq_after, rtol=1e-12)
    np.testing.assert_array_equal(high, low)


def test_more_uncertainty_makes_no_interval_narrower(hitting, panda):
    small = velocity_interval(hitting, a_wall(**RANGES), panda, inertia_margin=0.05)
    large = velocity_interval(hitting, a_wall(**RANGES), panda, inertia_margin=0.1)
    assert np.all(large.low <= small.low)
    assert np.all(large.high >= small.high)
    assert np.all(small.high > small.low)


def random_approach(panda, panda_dynamics, wall, random):
    """Return a random state that approaches the wall."""
    limits = panda.limits
    while True:
        q = random.uniform(limits.position_lower, limits.position_upper)
        state = panda_dynamics(q, random.uniform(-1, 1, 7))
        if contact_jacobian(state, wall)[2] @ state.dq < -0.05:
            return state


def test_parameters_from_the_ranges_stay_in_the_interval(panda, panda_dynamics, wall):
    """Coverage over 40 impacts with 50 draws each; both ends together are rare."""
    random, inside, total = np.random.default_rng(4), 0, 0
    B = panda.apparent_motor_inertia
    for _ in range(40):
        state = random_approach(panda, panda_dynamics, wall, random)
        J = contact_jacobian(state, wall)
        low, high = velocity_interval(state, a_wall(**RANGES), panda)
        slack = 1e-9 + 1e-6 * np.abs(high - low)
        for _ in range(50):
            M = state.M * random.uniform(0.9, 1.1)
            motors = B * random.uniform(0.9, 1.1, 7)
            mu, e = random.uniform(*RANGES["friction"]), random.uniform(*RANGES["restitution"])
            after = impact_map(M, motors, J, state.dq, friction=mu, restitution=e).dq_after
            inside += np.sum((after >= low - slack) & (after <= high + slack))
            total += 7
    assert inside / total > 0.97


def test_a_clean_prediction_has_no_caveat(hitting, panda):
    assert caveats(predict(hitting, a_wall(0.3), panda)) == ()


def test_every_flag_has_its_sentence(hitting, panda):
    prediction = predict(hitting, a_wall(), panda)
    for flag in Flag:
        if flag is Flag.APPROACHING:
            continue
        (sentence,) = caveats(prediction._replace(flags=Flag.APPROACHING | flag))
        assert sentence


def test_leaving_and_bending_arms_are_doubted(hitting, panda, panda_dynamics):
    leaving = predict(panda_dynamics(hitting.q, -hitting.dq), a_wall(), panda)
    assert caveats(leaving) == ("the contact point does not approach: no impact, nothing changes",)
    bending = predict(hitting, a_wall(), panda)._replace(approximate_to_exact_ratio=0.61)
    (sentence,) = caveats(bending)
    assert sentence.startswith("e_a is 0.61, not above 0.85")
    assert caveats(bending._replace(inverse_inertia="gm")) == ()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"inertia_margin": float("nan")}, "inertia_margin: expected a number from 0 to below 1"),
        ({"inertia_margin": 1.0}, "inertia_margin: expected a number from 0 to below 1, got 1.0"),
    ],
)
def test_bad_margins_are_named(hitting, panda, change, message):
    with pytest.raises(OutOfRangeError, match=message):
        velocity_interval(hitting, a_wall(**RANGES), panda, **change)
