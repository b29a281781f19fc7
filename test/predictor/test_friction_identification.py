# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The friction that made impacts is found again, and what cannot be found is said."""

import numpy as np
import pytest

from impact_predictor import identify_friction, impact_map
from impact_predictor.identification.friction_identification import MeasuredImpact, prediction_error
from impact_predictor.impact_result import ContactMode
from impact_predictor.inertia.jacobian import contact_jacobian
from impact_robots.exceptions import OutOfRangeError


@pytest.fixture(scope="module")
def impacts(panda, panda_dynamics, wall):
    """Return impacts with 0.3, of random states that slide, with 0.3 deg/s of noise."""

    def make(friction, law="coulomb", noise=5e-3):
        random, found = np.random.default_rng(8), []
        while len(found) < 30:
            q = panda.stance + random.uniform(-0.4, 0.4, 7)
            state = panda_dynamics(q, random.uniform(-0.6, 0.6, 7))
            J = contact_jacobian(state, wall)
            if (J @ state.dq)[2] < -0.1:
                after = impact_map(
                    state.M, panda.apparent_motor_inertia, J, state.dq, friction=friction, law=law
                ).dq_after
                found.append(MeasuredImpact(state, wall, after + noise * random.normal(size=7)))
        return found

    return make


@pytest.mark.parametrize("law", ["coulomb", "sliding"])
@pytest.mark.parametrize("friction", [0.1, 0.3])
def test_the_friction_is_inside_its_interval(panda, impacts, law, friction):
    found = identify_friction(impacts(friction, law), panda.apparent_motor_inertia, law=law)
    assert found.low <= friction <= found.high
    assert found.high - found.low < 0.1
    assert found.rms == pytest.approx(5e-3, rel=0.15)
    assert not found.at_bound


def test_of_one_impact_the_interval_is_as_wide_as_few_measurements_require(panda, impacts):
    """Of seven velocities: Student's distribution, not the normal one (which covers 90 %)."""
    random, B = np.random.default_rng(0), panda.apparent_motor_inertia
    clean = next(each for each in impacts(0.3, noise=0.0) if slides(each, B))
    covered = 0
    for _ in range(300):
        measured = clean._replace(dq_after=clean.dq_after + 5e-3 * random.normal(size=7))
        found = identify_friction([measured], B)
        covered += found.low <= 0.3 <= found.high
    assert 0.93 * 300 <= covered <= 0.98 * 300


def slides(impact, motor_inertia):
    """Tell whether the contact point slides as long as it touches."""
    J = contact_jacobian(impact.state, impact.rotation)
    found = impact_map(impact.state.M, motor_inertia, J, impact.state.dq, friction=0.3)
    return found.mode is ContactMode.SLIDE


def test_without_friction_the_bound_is_reported(panda, impacts):
    found = identify_friction(impacts(0.0, noise=0.0), panda.apparent_motor_inertia)
    assert found.friction == pytest.approx(0.0, abs=1e-3)
    assert found.at_bound


def test_the_error_vanishes_for_what_made_the_impacts(panda, impacts):
    error = prediction_error(impacts(0.3, noise=0.0), panda.apparent_motor_inertia, 0.3)
    np.testing.assert_allclose(error, 0.0, atol=1e-9)


def test_no_impacts_are_refused(panda):
    with pytest.raises(OutOfRangeError, match="at least one"):
        identify_friction([], panda.apparent_motor_inertia)
