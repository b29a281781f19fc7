# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Speed bounds bind: at the bound one limit is reached, and above it one is broken."""

import math

import numpy as np
import pytest
import yaml

from impact_predictor import existential_speed_bound, robust_speed_bound
from impact_predictor.inertia.impulse_maps import joint_torque_map, mean_force_factor
from impact_predictor.inertia.inverse_inertia import crb
from impact_predictor.inertia.jacobian import contact_jacobian
from impact_predictor.sets.derived_sets import force_set, impulsive_torque_set
from impact_predictor.sets.feasible_sets import friction_pyramid, impulse_set, unit_impulses
from impact_robots.exceptions import OutOfRangeError

FRICTION, RESTITUTION = 0.279, (0.0, 0.3)


@pytest.fixture(scope="session")
def bounds_at(panda, panda_dynamics, wall):
    """Return both bounds at a configuration."""

    def bounds(q, circumscribed=False):
        state = panda_dynamics(np.array(q), np.zeros(7))
        W, rows = crb(state, wall), joint_torque_map(contact_jacobian(state, wall))
        limits = panda.limits.impulsive_torque
        impulses = unit_impulses(W, FRICTION, RESTITUTION, 8, circumscribed)
        K = friction_pyramid(FRICTION, 8, circumscribed)
        robust, _ = robust_speed_bound(rows, limits, impulses)
        return existential_speed_bound(W, K, rows, limits, RESTITUTION), robust

    return bounds


def test_worked_cases(worked_cases, bounds_at):
    for case in worked_cases:
        existential, robust = bounds_at(case["q"])
        assert existential == pytest.approx(case["v_bound_existential_mu0279"], abs=1e-7)
        assert robust == pytest.approx(case["v_bound_robust_mu0279"], abs=1e-9)


def test_the_demo_scenario_has_the_bounds_expected(derived_data, bounds_at):
    file = derived_data / "scenarios.yaml"
    scenario = yaml.safe_load(file.read_text())["scenarios"]["qp_panda_demo"]
    for cone in ("inscribed", "circumscribed"):
        existential, robust = bounds_at(scenario["q_impact"], cone == "circumscribed")
        expected = scenario["expected"]
        assert existential == pytest.approx(expected[f"existential_{cone}"], abs=5e-5)
        assert robust == pytest.approx(expected[f"robust_{cone}"], abs=5e-5)


def test_at_the_robust_bound_the_worst_torque_is_the_limit(hitting, panda, wall):
    J, W, limits = contact_jacobian(hitting, wall), crb(hitting, wall), panda.limits
    impulses = unit_impulses(W, FRICTION, RESTITUTION)
    speed, joint = robust_speed_bound(joint_torque_map(J), limits.impulsive_torque, impulses)
    forces = force_set(impulse_set(W, FRICTION, RESTITUTION, -speed), mean_force_factor())
    torques = impulsive_torque_set(forces, J, panda.joint_names).vertices
    share = np.abs(torques).max(axis=0) / limits.impulsive_torque
    assert share.max() == pytest.approx(1.0)
    assert np.argmax(share) == joint == 5


def test_some_impulse_is_allowed_faster_than_every_impulse(bounds_at, hitting):
    existential, robust = bounds_at(hitting.q)
    assert existential > 2 * robust


def test_the_wider_pyramid_promises_less_and_permits_more(bounds_at, hitting):
    inside, around = bounds_at(hitting.q), bounds_at(hitting.q, circumscribed=True)
    assert around[0] > inside[0]
    assert around[1] < inside[1]


def test_a_point_mass_without_friction():
    impulses = unit_impulses(np.eye(3) / 4.0, 0.0, (0.0, 0.5))  # 4 kg: 6 N.s per m/s
    rows = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -2.0]])
    speed, row = robust_speed_bound(rows, [3.0, 3.0], impulses)
    assert speed == pytest.approx(0.25)
    assert row == 1
    K = friction_pyramid(0.0)
    assert existential_speed_bound(np.eye(3) / 4.0, K, rows, [3.0, 3.0], (0.0, 0.5)) == (
        pytest.approx(0.375)
    )


def test_without_effect_there_is_no_bound():
    W, rows = np.eye(3), np.zeros((2, 3))
    assert robust_speed_bound(rows, [1.0, 1.0], unit_impulses(W, 0.3, (0, 0))) == (math.inf, None)
    assert existential_speed_bound(W, friction_pyramid(0.3), rows, [1.0, 1.0], (0, 0)) == math.inf


def test_a_limit_of_zero_allows_no_speed():
    speed, row = robust_speed_bound(np.eye(3), [1.0, 1.0, 0.0], unit_impulses(np.eye(3), 0, (0, 0)))
    assert (speed, row) == (0.0, 2)


@pytest.mark.parametrize(
    ("rows", "bounds", "message"),
    [
        (np.eye(3), [1.0, 1.0], r"impulse_rows: expected finite numbers of shape \(2, 3\)"),
        (np.eye(3), [1.0, 1.0, -1.0], "bounds: expected finite numbers, at least 0"),
        (np.eye(3), [1.0, 1.0, np.nan], "bounds: expected finite numbers, at least 0"),
    ],
)
def test_bad_limits_are_named(rows, bounds, message):
    with pytest.raises(OutOfRangeError, match=message):
        robust_speed_bound(rows, bounds, unit_impulses(np.eye(3), 0.3, (0.0, 0.3)))
