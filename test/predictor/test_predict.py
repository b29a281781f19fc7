# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A prediction is complete, and its parts agree with each other."""

import csv
from dataclasses import replace

import numpy as np
import pytest

from impact_predictor import (
    FRICTION_LAWS,
    ContactMode,
    Flag,
    UnknownNameError,
    contact_jacobian,
    crb,
    effective_mass,
    generalized_momentum,
    predict,
)
from impact_robots import JointLimits


@pytest.fixture
def prediction(hitting, panda, wall):
    return predict(hitting, panda, wall, friction=0.3, restitution=0.1)


def test_the_parts_agree(prediction, hitting, panda, wall):
    J = contact_jacobian(hitting, wall)
    np.testing.assert_allclose(prediction.velocity_before, [0, 0, -0.2], atol=1e-12)
    np.testing.assert_allclose(prediction.velocity_after, J @ prediction.dq_after, atol=1e-12)
    assert prediction.velocity_after[2] == pytest.approx(0.02)
    assert prediction.joint_names == panda.joint_names
    assert prediction.contact == panda.contact_frame
    assert prediction.mode in (ContactMode.STICK, ContactMode.SLIDE)
    assert prediction.flags == Flag.APPROACHING


def test_heavier_motors_take_a_larger_impulse(hitting, panda, wall):
    impulses = [
        predict(hitting, panda, wall, model=model).impulse[2]
        for model in ("M", "M+B_theta", "M+B_rho")
    ]
    assert impulses == sorted(impulses)
    assert impulses[0] < impulses[2]


def test_the_effective_mass_is_that_of_the_inertia_asked_for(hitting, panda, wall):
    by_crb = predict(hitting, panda, wall)
    by_gm = predict(hitting, panda, wall, inverse_inertia="gm")
    assert by_crb.effective_mass == pytest.approx(effective_mass(crb(hitting, wall)), rel=1e-12)
    assert by_gm.effective_mass == effective_mass(generalized_momentum(hitting, wall))
    assert by_crb.inverse_inertia == "crb"


def test_published_effective_masses_and_ratios(shared_data, panda, panda_dynamics, wall):
    file = shared_data / "derived" / "chosen_scenario_configurations.csv"
    if not file.is_file():
        pytest.skip(f"{file.name} is not there")
    for row in csv.DictReader(file.open()):
        q = np.array([float(row[f"q{i}_rad"]) for i in range(1, 8)])
        J = panda_dynamics(q, np.zeros(7)).J
        approach = np.append(wall @ [0, 0, -0.1], np.zeros(3))  # without turning the tool
        state = panda_dynamics(q, np.linalg.pinv(J) @ approach)
        prediction = predict(state, panda, wall)
        assert prediction.effective_mass == pytest.approx(float(row["m_crb_kg"]), abs=1e-3)
        assert prediction.approximate_to_exact_ratio == pytest.approx(float(row["e_a"]), abs=1e-3)


def test_an_arm_locked_but_for_its_base_joint_moves_like_its_composite_body(
    panda, panda_dynamics, wall
):
    state = panda_dynamics(panda.stance, np.array([1.0, 0, 0, 0, 0, 0, 0]))
    sideways = np.column_stack([[0, 0, 1], [1, 0, 0], [0, 1, 0]])
    prediction = predict(state, panda, sideways)
    assert prediction.approximate_to_exact_ratio == pytest.approx(1.0)


def test_centroidal_jumps_are_those_of_the_joint_velocities(prediction, hitting, panda):
    jump = hitting.A_G @ (prediction.dq_after - prediction.dq_before)
    np.testing.assert_allclose(prediction.delta_com_velocity * hitting.mass, jump[:3])
    np.testing.assert_allclose(prediction.delta_angular_momentum, jump[3:])
    assert prediction.delta_com_velocity[0] < 0.0  # thrown back from the wall


def test_without_approach_nothing_changes(hitting, panda, panda_dynamics, wall):
    leaving = panda_dynamics(hitting.q, -hitting.dq)
    prediction = predict(leaving, panda, wall, friction=0.3)
    np.testing.assert_array_equal(prediction.dq_after, leaving.dq)
    np.testing.assert_array_equal(prediction.delta_com_velocity, np.zeros(3))
    assert prediction.mode is ContactMode.NONE
    assert Flag.APPROACHING not in prediction.flags


def test_at_rest_the_ratio_is_unknown(panda, panda_dynamics, wall):
    at_rest = panda_dynamics(panda.stance, np.zeros(7))
    assert np.isnan(predict(at_rest, panda, wall).approximate_to_exact_ratio)


def test_limits_before_and_after_are_flagged(hitting, panda, panda_dynamics, wall):
    hasty = panda_dynamics(hitting.q, 20 * hitting.dq)
    flags = predict(hasty, panda, wall).flags
    assert Flag.STATE_LIMIT in flags
    assert Flag.VELOCITY_LIMIT in flags
    beyond = panda_dynamics(panda.limits.position_upper + 0.01, hitting.dq)
    assert Flag.STATE_LIMIT in predict(beyond, panda, wall).flags
    limits = {name: getattr(panda.limits, name) for name in JointLimits.__dataclass_fields__}
    strict = replace(panda, limits=JointLimits(**limits | {"velocity": np.abs(hitting.dq) + 1e-3}))
    flags = predict(hitting, strict, wall, model="M", restitution=1.0).flags
    assert Flag.STATE_LIMIT not in flags
    assert Flag.VELOCITY_LIMIT in flags


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": "B"}, "model: expected one of M, M+B_theta, M+B_rho, got 'B'"),
        ({"inverse_inertia": "x"}, "inverse inertia: expected one of em, gm, crb, flex, got 'x'"),
        ({"law": "x"}, f"friction law: expected one of {', '.join(FRICTION_LAWS)}, got 'x'"),
    ],
)
def test_unknown_names_list_the_choices(hitting, panda, wall, change, message):
    with pytest.raises(UnknownNameError) as caught:
        predict(hitting, panda, wall, **change)
    assert str(caught.value) == message
