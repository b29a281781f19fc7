# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The friction that made impacts is found again, and what cannot be found is said."""

import numpy as np
import pytest

from impact_predictor import identify_friction, impact_map
from impact_predictor.identification.friction_identification import MeasuredImpact, prediction_error
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
