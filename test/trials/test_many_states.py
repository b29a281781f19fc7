# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Many states at once are single states, whoever works on them."""

import numpy as np
import pytest

from impact_predictor import predict
from impact_predictor.joint_load.elastic_arm import elastic_arm
from impact_predictor.joint_load.load import RigidLaw, joint_load, load_contact
from impact_predictor.joint_load.load_case import viscoelastic
from impact_robots import ArmDynamics, Surface
from impact_robots.exceptions import OutOfRangeError
from impact_trials import many_states
from impact_trials.many_states import loads_of_states, predict_states

SURFACE = Surface(None, [-1.0, 0.0, 0.0], (0.2, 0.4), (0.0, 0.2))
COUNT = 12


@pytest.fixture
def states(panda):
    random, limits = np.random.default_rng(3), panda.limits
    q = random.uniform(limits.position_lower, limits.position_upper, (COUNT, 7))
    return q, random.uniform(-1.0, 1.0, (COUNT, 7))


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(many_states, "PART", 5)
    monkeypatch.setattr(many_states, "FEW", 5)


def test_predictions_are_those_of_single_states(panda, states):
    found, dynamics = predict_states(panda, SURFACE, *states, jobs=1), ArmDynamics(panda)
    assert found.impulse.shape == (COUNT, 3)
    for k, (q, dq) in enumerate(zip(*states, strict=True)):
        single = predict(dynamics(q, dq), SURFACE, panda)
        assert found.dq_after[k] == pytest.approx(single.dq_after, rel=1e-9, abs=1e-12)
        assert found.impulse[k] == pytest.approx(single.impulse, rel=1e-9, abs=1e-12)
        assert found.mode[k] == single.mode


@pytest.mark.parametrize("stiffness", [1e5, np.inf])
def test_loads_are_those_of_single_states(panda, states, stiffness):
    found = loads_of_states(panda, SURFACE, *states, stiffness=stiffness, jobs=1)
    dynamics, hits, (friction, restitution) = ArmDynamics(panda), 0, SURFACE.middle
    for k, (q, dq) in enumerate(zip(*states, strict=True)):
        point = dynamics(q, dq)
        speed = -float((SURFACE.rotation.T @ point.velocity)[2])
        if speed <= 0.0:
            assert not found.change[k].any() and found.peak_force[k] == 0.0
            continue
        law = (
            RigidLaw(restitution)
            if stiffness == np.inf
            else viscoelastic(stiffness, restitution, speed)
        )
        contact = load_contact(point, SURFACE.rotation, law, friction)
        single = joint_load(elastic_arm(panda, point.robot_state), [contact])
        assert np.array_equal(found.change[k], single.change)
        assert np.array_equal(found.impulse[k], single.impulse[0])
        assert found.peak_force[k] == single.peak_force[0]
        hits += 1
    assert 0 < hits < COUNT


def test_processes_change_nothing(panda, states):
    for work in (predict_states, loads_of_states):
        one, two = (work(panda, SURFACE, *states, jobs=jobs) for jobs in (1, 2))
        for here, there in zip(one, two, strict=True):
            assert np.array_equal(here, there, equal_nan=True)


def test_no_state_is_an_empty_table(panda):
    none = np.empty((0, 7))
    assert predict_states(panda, SURFACE, none, none, jobs=1).impulse.shape == (0, 3)
    assert loads_of_states(panda, SURFACE, none, none, jobs=1).change.shape == (0, 7)


@pytest.mark.parametrize("shape", [(7,), (3, 7), (2, 6)])
def test_wrong_shapes_are_one_line(panda, shape):
    with pytest.raises(OutOfRangeError, match="states: expected two tables of one shape, got"):
        predict_states(panda, SURFACE, np.zeros((2, 7)), np.zeros(shape))


def test_loads_need_a_stiffness(panda, states):
    with pytest.raises(OutOfRangeError, match="stiffness"):
        loads_of_states(panda, SURFACE, *states, stiffness=0.0)
