# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The inertia that an arm really has explains the impulses of its sliding impacts best."""

import numpy as np
import pytest
from struck_arm import POSE, Hit, simulate, write

from impact_analysis.analyze import analyze
from impact_predictor import impact_map
from impact_predictor.exceptions import NoImpulseError, UnknownNameError
from impact_predictor.laws.impact_map import contact_impulse
from impact_robots import ArmDynamics, load_robot


@pytest.mark.usefixtures("without_contact_laws")
@pytest.mark.parametrize("truth", ["M+B_theta", "M+B_rho"])
def test_the_true_inertia_comes_first_in_spite_of_friction(tmp_path, truth):
    random = np.random.default_rng(3)
    for k in range(4):
        pose = POSE + random.uniform(-0.3, 0.3, 7)
        velocity = (*random.uniform(-0.25, 0.25, 2), -random.uniform(0.2, 0.5))
        write(tmp_path / f"hit_{k}", simulate(Hit(velocity, pose, motors=truth, seed=k)))
    ratios = analyze(tmp_path, normal=(0, 0, 1)).impulse_ratios
    assert next(iter(ratios)) == truth
    assert ratios[truth].value == pytest.approx(1.0, abs=0.05)
    assert all(abs(np.log(ratios[name].value)) > 0.2 for name in {"M+B_theta", "M+B_rho"} - {truth})


@pytest.mark.parametrize("law", ["coulomb", "sliding"])
def test_the_impulse_by_an_inverse_inertia_is_that_of_the_map(law):
    robot = load_robot("panda")
    state = ArmDynamics(robot)(POSE, np.array([0.1, 0.5, -0.2, 0.3, 0.1, -0.6, 0.0]))
    J = state.J[:3]
    W, given = J @ np.linalg.solve(state.M, J.T), {"friction": 0.3, "law": law}
    assert state.velocity[2] < 0.0
    mapped = impact_map(state.M, None, J, state.dq, restitution=0.2, **given)
    impulse = contact_impulse(W, state.velocity, restitution=0.2, **given)
    np.testing.assert_allclose(impulse, mapped.impulse, rtol=1e-9)
    bounced = W @ contact_impulse(W, state.velocity, restitution=1.3, **given)  # was measured
    assert bounced[2] == pytest.approx(-2.3 * state.velocity[2])


def test_a_law_that_is_none_and_a_contact_that_cannot_give_way_are_refused():
    down = np.array([0.1, 0.0, -0.3])
    with pytest.raises(UnknownNameError):
        contact_impulse(np.eye(3), down, friction=0.3, restitution=0.0, law="stokes")
    with pytest.raises(NoImpulseError):
        contact_impulse(-np.eye(3), down, friction=0.0, restitution=0.0, law="coulomb")
