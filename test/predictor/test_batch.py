# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Many predictions at once are the single ones, row by row."""

import numpy as np
import pytest
from walls import a_wall

from impact_predictor import FRICTION_LAWS, predict, predict_many
from impact_predictor.exceptions import UnknownNameError
from impact_robots import RobotError, Surface
from impact_robots.exceptions import OutOfRangeError


@pytest.fixture(scope="module")
def states(panda):
    random, limits = np.random.default_rng(0), panda.limits
    q = random.uniform(limits.position_lower, limits.position_upper, (200, 7))
    return q, random.uniform(-1.5, 1.5, (200, 7))


@pytest.mark.parametrize("law", FRICTION_LAWS)
@pytest.mark.parametrize("model", ["M", "M+B_theta"])
def test_every_row_is_a_prediction(panda, panda_dynamics, states, law, model):
    case, surface = {"inertia": model, "law": law}, a_wall(0.3, 0.2)
    batch = predict_many(panda_dynamics.many(*states), surface, panda, **case)
    assert len(set(batch.mode.tolist())) >= (2 if law == "path" else 3)  # one in 50 of its sticks
    for i, (q, dq) in enumerate(zip(*states, strict=True)):
        single = predict(panda_dynamics(q, dq), surface, panda, **case)
        for name in batch._fields:
            np.testing.assert_allclose(
                getattr(batch, name)[i],
                getattr(single, name),
                rtol=1e-6,
                atol=1e-8,
                err_msg=name,
            )


def test_every_row_can_have_its_own_surface(panda, panda_dynamics, states):
    random = np.random.default_rng(1)
    surfaces = [
        Surface(None, random.normal(size=3), random.uniform(), random.uniform(0.0, 0.5))
        for _ in states[0]
    ]
    batch = predict_many(panda_dynamics.many(*states), surfaces, panda)
    for i in range(0, 200, 20):
        state = panda_dynamics(states[0][i], states[1][i])
        single = predict(state, surfaces[i], panda)
        np.testing.assert_allclose(batch.impulse[i], single.impulse, atol=1e-9)
        assert batch.effective_mass[i] == pytest.approx(single.effective_mass)


def test_bad_batches_are_named(panda, panda_dynamics, states):
    q, dq = states
    good = panda_dynamics.many(q, dq)
    with pytest.raises(RobotError, match=r"tables of 7 positions and 7 velocities per row"):
        panda_dynamics.many(q[:, :6], dq)
    with pytest.raises(OutOfRangeError, match="states: expected finite"):
        predict_many(panda_dynamics.many(q * np.nan, dq), a_wall(), panda)
    with pytest.raises(OutOfRangeError, match="surfaces: expected one, or 200, got 2"):
        predict_many(good, [a_wall(), a_wall()], panda)
    with pytest.raises(UnknownNameError, match="model: expected one of"):
        predict_many(good, a_wall(), panda, inertia="B")
    with pytest.raises(UnknownNameError, match="friction law: expected one of"):
        predict_many(good, a_wall(), panda, law="x")
