# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A prediction is complete, and its parts agree with each other."""

import csv
from dataclasses import replace

import numpy as np
import pytest
from walls import a_wall

from impact_predictor import FRICTION_LAWS, ContactMode, Flag, predict
from impact_predictor.exceptions import UnknownNameError
from impact_predictor.inertia.inverse_inertia import crb, effective_mass, generalized_momentum
from impact_predictor.inertia.jacobian import contact_jacobian
from impact_robots import JointLimits, Surface


@pytest.fixture
def prediction(hitting, panda):
    return predict(hitting, a_wall(0.3, 0.1), panda)


def test_the_parts_agree(prediction, hitting, panda, wall):
    J = contact_jacobian(hitting, wall)
    np.testing.assert_allclose(prediction.velocity_before, [0, 0, -0.2], atol=1e-12)
    np.testing.assert_allclose(prediction.velocity_after, J @ prediction.dq_after, atol=1e-12)
    assert prediction.velocity_after[2] == pytest.approx(0.02)
    assert prediction.joint_names == panda.joint_names
    assert prediction.contact == panda.contact_frame
    assert prediction.mode in (ContactMode.STICK, ContactMode.SLIDE)
    assert prediction.flags == Flag.APPROACHING


def test_a_prediction_has_the_middle_of_the_ranges(prediction, hitting, panda):
    of_ranges = predict(hitting, a_wall((0.2, 0.4), (0.0, 0.2)), panda)
    np.testing.assert_allclose(of_ranges.dq_after, prediction.dq_after)
    assert (of_ranges.friction, of_ranges.restitution) == pytest.approx((0.3, 0.1))


def test_heavier_motors_take_a_larger_impulse(hitting, panda):
    impulses = [
        predict(hitting, a_wall(), panda, inertia=model).impulse[2]
        for model in ("M", "M+B_theta", "M+B_rho")
    ]
    assert impulses == sorted(impulses)
    assert impulses[0] < impulses[2]


def test_the_effective_mass_is_that_of_the_inertia_asked_for(hitting, panda, wall):
    by_crb = predict(hitting, a_wall(), panda)
    by_gm = predict(hitting, a_wall(), panda, inverse_inertia="gm")
    assert by_crb.effective_mass == pytest.approx(effective_mass(crb(hitting, wall)), rel=1e-12)
    assert by_gm.effective_mass == effective_mass(generalized_momentum(hitting, wall))
    assert by_crb.inverse_inertia == "crb"


def test_published_effective_masses_and_ratios(derived_data, panda, panda_dynamics, wall):
    file = derived_data / "chosen_scenario_configurations.csv"
    for row in csv.DictReader(file.open()):
        q = np.array([float(row[f"q{i}_rad"]) for i in range(1, 8)])
        J = panda_dynamics(q, np.zeros(7)).J
        approach = np.append(wall @ [0, 0, -0.1], np.zeros(3))  # without turning the tool
        state = panda_dynamics(q, np.linalg.pinv(J) @ approach)
        prediction = predict(state, a_wall(), panda)
        assert prediction.effective_mass == pytest.approx(float(row["m_crb_kg"]), abs=1e-3)
        assert prediction.approximate_to_exact_ratio == pytest.approx(float(row["e_a"]), abs=1e-3)


def test_an_arm_locked_but_for_its_base_joint_moves_like_its_composite_body(
    panda, panda_dynamics, wall
):
    state = panda_dynamics(panda.stance, np.array([1.0, 0, 0, 0, 0, 0, 0]))
    sideways = Surface(state.position, [0, 1, 0])
    prediction = predict(state, sideways, panda)
    assert prediction.approximate_to_exact_ratio == pytest.approx(1.0)


def test_centroidal_jumps_are_those_of_the_joint_velocities(prediction, hitting):
    jump = hitting.A_G @ (prediction.dq_after - prediction.dq_before)
    np.testing.assert_allclose(prediction.delta_com_velocity * hitting.mass, jump[:3])
    np.testing.assert_allclose(prediction.delta_angular_momentum, jump[3:])
    assert prediction.delta_com_velocity[0] < 0.0  # thrown back from the wall


def test_without_approach_nothing_changes(hitting, panda, panda_dynamics):
    leaving = panda_dynamics(hitting.q, -hitting.dq)
    prediction = predict(leaving, a_wall(0.3), panda)
    np.testing.assert_array_equal(prediction.dq_after, leaving.dq)
    np.testing.assert_array_equal(prediction.delta_com_velocity, np.zeros(3))
    assert prediction.mode is ContactMode.NONE
    assert Flag.APPROACHING not in prediction.flags


def test_at_rest_the_ratio_is_unknown(panda, panda_dynamics):
    at_rest = panda_dynamics(panda.stance, np.zeros(7))
    assert np.isnan(predict(at_rest, a_wall(), panda).approximate_to_exact_ratio)


def test_limits_before_and_after_are_flagged(hitting, panda, panda_dynamics):
    hasty = panda_dynamics(hitting.q, 20 * hitting.dq)
    flags = predict(hasty, a_wall(), panda).flags
    assert Flag.STATE_LIMIT in flags
    assert Flag.VELOCITY_LIMIT in flags
    beyond = panda_dynamics(panda.limits.position_upper + 0.01, hitting.dq)
    assert Flag.STATE_LIMIT in predict(beyond, a_wall(), panda).flags
    limits = {name: getattr(panda.limits, name) for name in JointLimits.__dataclass_fields__}
    strict = replace(panda, limits=JointLimits(**limits | {"velocity": np.abs(hitting.dq) + 1e-3}))
    flags = predict(hitting, a_wall(restitution=1.0), strict, inertia="M").flags
    assert Flag.STATE_LIMIT not in flags
    assert Flag.VELOCITY_LIMIT in flags


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"inertia": "B"}, "model: expected one of M, M+B_theta, M+B_rho, got 'B'"),
        ({"inverse_inertia": "x"}, "inverse inertia: expected one of em, gm, crb, flex, got 'x'"),
        ({"law": "x"}, f"friction law: expected one of {', '.join(FRICTION_LAWS)}, got 'x'"),
    ],
)
def test_unknown_names_list_the_choices(hitting, panda, change, message):
    with pytest.raises(UnknownNameError) as caught:
        predict(hitting, a_wall(), panda, **change)
    assert str(caught.value) == message
