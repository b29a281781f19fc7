# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An arm that is let go: it passes the contact at the velocity and the time that were planned."""

import numpy as np
import pytest

from impact_robots import ArmDynamics
from impact_sim import Simulation
from impact_sim.arm.glide import CRUISE, RAMP, RELEASE_BEFORE, Glide
from impact_sim.scenarios import load_scenario

TYPES = [f"flex_exp_type{k}" for k in range(1, 11)]


@pytest.mark.parametrize("name", TYPES)
def test_the_plan_moves_the_contact_point_as_asked(panda, name):
    scenario = load_scenario(name)
    glide = Glide(panda, scenario, np.zeros(3))
    q, dq, ddq = glide.reference(RAMP + CRUISE)
    np.testing.assert_allclose(q, scenario.q_impact, atol=1e-9)
    np.testing.assert_allclose(ddq, 0.0, atol=1e-12)
    velocity = ArmDynamics(panda)(q, dq).velocity
    direction = np.array(scenario.approach["direction"])
    np.testing.assert_allclose(velocity, 0.15 * direction / np.linalg.norm(direction), atol=1e-9)
    assert velocity[2] < 0.0  # onto the plate
    assert not dq[4:].any()  # the wrist rests


def test_the_reference_is_its_own_derivative(panda):
    glide = Glide(panda, load_scenario("flex_exp_type2"), np.array([1e-3, -1e-3, 5e-5]))
    step = 1e-6
    for time in (0.05, 0.2, RAMP - 0.01, RAMP + 0.05):
        before, now, after = (glide.reference(time + k * step) for k in (-1, 0, 1))
        np.testing.assert_allclose((after[0] - before[0]) / (2 * step), now[1], atol=1e-8)
        np.testing.assert_allclose((after[1] - before[1]) / (2 * step), now[2], atol=1e-6)
    assert not glide.reference(0.0)[1].any()
    np.testing.assert_array_equal(glide.start, glide.reference(0.0)[0])


def test_the_shift_moves_the_contact_sideways_and_delays_it(panda):
    scenario, shift = load_scenario("flex_exp_type4"), np.array([2e-3, -1e-3, 1.5e-4])
    glide = Glide(panda, scenario, shift)
    late = shift[2] / scenario.reference_speed
    there = ArmDynamics(panda).position(glide.reference(RAMP + CRUISE + late)[0])
    moved = there - scenario.surface_point(panda)
    assert np.linalg.norm(moved[:2]) == pytest.approx(np.hypot(*shift[:2]), rel=1e-6)
    assert moved[2] == pytest.approx(0.0, abs=1e-9)


def test_it_is_let_go_before_the_contact(panda):
    scenario = load_scenario("flex_exp_type1")
    glide = Glide(panda, scenario, np.zeros(3))
    contact = RAMP + CRUISE
    q, dq, _ = glide.reference(contact)
    assert np.abs(glide.command(contact - RELEASE_BEFORE - 1e-3, q, dq).driver_torque).max() > 0.1
    np.testing.assert_allclose(glide.command(contact - RELEASE_BEFORE, q, dq).driver_torque, 0.0)


def test_the_simulated_arm_arrives_in_time_and_at_speed(panda):
    scenario = load_scenario("flex_exp_type2")
    glide = Glide(panda, scenario, np.zeros(3))
    simulation = Simulation(panda, scenario.wall(panda))
    measurement = simulation.reset(glide.start)
    while not simulation.plant.contact_force.any():
        last = simulation.plant.contact_velocity.copy()
        command = glide.command(measurement.time, measurement.q, measurement.dq)
        measurement = simulation.step(command.driver_torque)
        assert measurement.time < 0.5
    assert measurement.time == pytest.approx(RAMP + CRUISE, abs=2e-3)
    assert np.linalg.norm(last) == pytest.approx(0.15, rel=0.02)
    assert np.degrees(np.arctan2(-last[2], last[0])) == pytest.approx(30.0, abs=1.0)
