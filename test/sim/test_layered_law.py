# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A soft skin over a hard core: no jump of the force, no energy out of nothing, compiled or not."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from moving_arms import moving
from thrown_arms import thrown_as_by_mujoco

from impact_predictor import simulate_contact
from impact_predictor.contact_force.contact_law import FreeBodyImpact
from impact_predictor.contact_force.laws import Viscoelastic
from impact_robots import Surface
from impact_robots.exceptions import ImpactError, OutOfRangeError
from impact_sim.layered_law import DRAWN, LayeredLaw, drawn_law, wall_law
from impact_sim.plant.compliant_wall import CompliantWall
from impact_sim.plant.plant import FlexibleJointPlant
from impact_sim.scenarios import load_scenario

MAT = LayeredLaw(2e4, 3e6, 1e-3, 4.0)  # on steel
FIXED = settings(max_examples=200)
NORMAL = np.array([-0.8, 0.0, 0.6])


@FIXED
@given(st.floats(-1e-3, 5e-3), st.floats(-1.0, 1.0))
def test_it_pushes_without_a_jump(depth, rate):
    step = 1e-9
    force, beside = MAT.force(depth, rate), MAT.force(depth + step, rate)
    assert force >= 0.0 and (depth > 0.0 or force == 0.0)
    assert abs(beside - force) <= 1.01 * MAT.core * step * (1.0 + MAT.loss * abs(rate))


@FIXED
@given(st.floats(1e-6, 5e-3), st.floats(-1.0, 1.0))
def test_damping_gives_no_energy_back(depth, rate):
    assert (MAT.force(depth, rate) - MAT.elastic_force(depth)) * rate >= 0.0


@pytest.mark.parametrize("depth", [0.4e-3, 1e-3, 2.5e-3])
def test_the_energy_is_the_work_of_the_force_at_rest(depth):
    way = np.linspace(0.0, depth, 200001)
    work = np.trapezoid([MAT.elastic_force(d) for d in way], way)
    assert MAT.elastic_energy(depth) == pytest.approx(work, rel=1e-6)


@pytest.mark.parametrize("speed", [0.05, 0.3])
def test_a_free_body_loses_energy_and_leaves_with_the_exact_restitution(speed):
    """0.05 m/s stays in the skin, 0.3 m/s reaches the core."""
    profile = simulate_contact(MAT, 3.0, speed)
    assert (profile.penetration.max() > MAT.thickness) == (speed > 0.1)
    assert (np.diff(profile.dissipated) >= -1e-9 * 1.5 * speed**2).all()
    assert profile.restitution == pytest.approx(MAT.free_restitution(speed), rel=1e-4)


def test_as_long_as_the_skin_is_not_pressed_through_it_is_a_wall_of_the_skin():
    skin, impact = Viscoelastic(MAT.skin, MAT.skin * MAT.loss), FreeBodyImpact(3.0, 0.05)
    time = np.linspace(0.0, 0.04, 400)
    alone = skin.curve(time, impact).force
    assert MAT.curve(time, impact).force == pytest.approx(alone, abs=1e-3 * alone.max())


def test_the_wall_takes_energy_from_an_arm_in_compiled_steps_too(panda):
    assert FlexibleJointPlant(panda, CompliantWall(Surface(np.zeros(3), NORMAL), MAT)).compiled
    dq = moving(panda, -0.3 * NORMAL)
    _, steps = thrown_as_by_mujoco(lambda: FlexibleJointPlant(panda), MAT, dq, NORMAL)
    assert (steps.force @ NORMAL).max() > 3.0 * MAT.skin * MAT.thickness  # it reached the core
    assert np.einsum("ij,ij->i", steps.force, steps.velocity).sum() < 0.0  # power, on the arm


def test_a_scenario_may_have_one(panda):
    contact = {"model": "layered", "skin": 2e4, "core": 3e6, "thickness": 1e-3, "loss": 4}
    scenario = replace(load_scenario("qp_panda_demo"), contact=contact)
    assert scenario.wall(panda).law == MAT


@pytest.mark.parametrize(
    ("entries", "line"),
    [
        ({"model": "mat"}, "expected one of .*visco.*, layered, got 'mat'"),
        ({"model": "layered", "skin": 1e4, "loss": 0}, "layered: core, thickness missing"),
    ],
)
def test_bad_entries_are_one_line(entries, line):
    with pytest.raises(ImpactError, match=line):
        wall_law(entries)


def test_bad_figures_are_refused():
    with pytest.raises(OutOfRangeError, match="thickness"):
        LayeredLaw(1e4, 1e6, 0.0, 0.0)
    with pytest.raises(OutOfRangeError, match="loss"):
        LayeredLaw(1e4, 1e6, 1e-3, -1.0)


def test_walls_are_drawn_inside_their_ranges_and_by_seed():
    draws = [drawn_law(np.random.default_rng(seed), 2.0) for seed in range(200)]
    for name in ("skin", "core", "thickness"):
        low, high = getattr(DRAWN, name)
        values = np.array([getattr(each, name) for each in draws])
        assert (values >= low).all() and (values <= high).all()
        half = 0.5 * (low + high) if name == "thickness" else np.sqrt(low * high)
        assert 0.4 < (values < half).mean() < 0.6
    assert drawn_law(np.random.default_rng(3), 2.0) == draws[3]
