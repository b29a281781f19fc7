# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The simulated driver: commands in, measurements out, the same every time."""

import numpy as np
import pytest
from moving_arms import moving
from tiny_robot import tiny_robot

from impact_predictor.contact_force.laws import Viscoelastic
from impact_robots import ArmDynamics, Surface
from impact_sim import (
    NO_NOISE,
    PANDA_NOISE,
    Interface,
    ScenarioError,
    Simulation,
    SimulationError,
    load_scenario,
    scenario_names,
)
from impact_sim.driver.arm_driver import SERVO_RATE
from impact_sim.plant.compliant_wall import CompliantWall
from impact_sim.scenarios import scenario_of


def test_zero_command_holds_the_arm_because_the_driver_adds_gravity(panda):
    simulation = Simulation(panda, noise=NO_NOISE)
    simulation.reset(panda.stance)
    for _ in range(200):
        measurement = simulation.step(np.zeros(7))
    np.testing.assert_allclose(measurement.q, panda.stance, atol=1e-8)
    assert measurement.time_ns == 200_000_000


@pytest.mark.parametrize(("torque_loop", "inertia"), [(True, 2.0 + 0.2), (False, 2.0 + 0.6)])
def test_the_torque_loop_makes_the_motor_appear_lighter(tmp_path, torque_loop, inertia):
    robot = tiny_robot(tmp_path, mass=2.0, reflected=0.6, apparent=0.2, damping=20.0)
    simulation = Simulation(robot, noise=NO_NOISE, torque_loop=torque_loop)
    simulation.reset(np.zeros(1))
    for _ in range(200):
        measurement = simulation.step(np.array([1.0]))
    assert measurement.dq[0] == pytest.approx(0.2 / inertia, rel=0.01)


def test_the_velocity_interface_follows(panda):
    simulation = Simulation(panda, noise=NO_NOISE, interface=Interface.VELOCITY)
    simulation.reset(panda.stance)
    wanted = np.array([0.1, -0.1, 0.1, 0.1, -0.1, 0.2, 0.1])
    for _ in range(300):
        measurement = simulation.step(wanted)
    np.testing.assert_allclose(measurement.dq, wanted, atol=2e-3)


def test_the_driver_brakes_the_arm(panda):
    simulation = Simulation(panda, noise=NO_NOISE)
    simulation.reset(panda.stance)
    for _ in range(20):
        moving = simulation.step(np.array([2.0, 0, 0, 2.0, 0, 1.0, 0]))
    for _ in range(300):
        braked = simulation.brake()
    assert np.abs(moving.dq).max() > 0.02
    assert np.abs(braked.dq).max() < 1e-3


def test_the_same_seed_gives_the_same_numbers_and_another_does_not(panda):
    def run(seed):
        simulation = Simulation(panda, noise=PANDA_NOISE, seed=seed)
        simulation.reset(panda.stance)
        return np.array([simulation.step(np.zeros(7)).tau for _ in range(50)])

    np.testing.assert_array_equal(run(3), run(3))
    assert not np.array_equal(run(3), run(4))


def test_noise_is_as_large_as_it_says(panda):
    simulation = Simulation(panda, noise=PANDA_NOISE)
    simulation.reset(panda.stance)
    samples = [simulation.step(np.zeros(7)) for _ in range(2000)]
    for field, expected in (("q", 1e-5), ("dq", 4e-3), ("tau", 0.08)):
        values = np.array([getattr(sample, field) for sample in samples])
        assert values.std(axis=0) == pytest.approx(expected, rel=0.1)
    assert np.std([sample.forces for sample in samples]) == pytest.approx(0.5, rel=0.02)


def test_a_wall_is_felt_at_25_kilohertz_and_force_is_on_the_robot(panda):
    point = ArmDynamics(panda).position(panda.stance) + np.array([2e-3, 0, 0])
    wall = CompliantWall(Surface(point, [-1, 0, 0], 0.3), Viscoelastic(1.2e5, 5e6))
    simulation = Simulation(panda, wall, noise=NO_NOISE, interface=Interface.VELOCITY)
    simulation.reset(panda.stance)
    wanted = moving(panda, [0.1, 0.0, 0.0])
    forces = [simulation.step(wanted).forces for _ in range(100)]
    assert {sample.shape for sample in forces} == {(25, 3)}
    assert np.concatenate(forces)[:, 0].min() < -10.0
    assert np.concatenate(forces)[:, 0].max() <= 0.0


@pytest.mark.parametrize("command", [np.full(7, np.nan), np.zeros(6), np.zeros((7, 1))])
def test_a_bad_command_moves_nothing(panda, command):
    simulation = Simulation(panda, noise=NO_NOISE)
    simulation.reset(panda.stance)
    with pytest.raises(SimulationError, match="expected 7 finite numbers"):
        simulation.step(command)
    assert simulation.time_ns == 0
    np.testing.assert_array_equal(simulation.plant.time, 0.0)


def test_scenarios_start_where_they_say(panda):
    for name in scenario_names():
        scenario = load_scenario(name)
        surface = scenario.surface(panda)
        tip = ArmDynamics(panda).position(scenario.start(panda))
        offset = tip - scenario.surface_point(panda)
        np.testing.assert_allclose(offset, scenario.run_up * surface.normal, atol=1e-8)


def test_an_unknown_scenario_lists_the_choices():
    with pytest.raises(ScenarioError, match=r"expected one of qp_panda_demo, .*, got 'nonsense'"):
        load_scenario("nonsense")


def test_a_number_that_no_float_can_be_is_refused():
    with pytest.raises(
        ScenarioError, match=r"^mine: speeds: expected a list, each a finite number"
    ):
        scenario_of("mine", {"like": "iim_wall_cfg1", "speeds": [10**400]}, "mine")


def test_scenarios_carry_the_published_figures(derived_data):
    import yaml

    source = yaml.safe_load((derived_data / "scenarios.yaml").read_text())["scenarios"]
    for name in scenario_names():
        ours, theirs = load_scenario(name), source[name]
        assert list(ours.q_impact) == theirs["q_impact"]
        assert ours.friction == theirs["mu"]
        assert list(ours.restitution) == theirs["c_r"]
        assert (ours.peak_factor, ours.impact_duration) == (theirs["a"], theirs["delta_t"])
        assert ours.reference_speed == theirs["v_ref"][0]
        assert ours.detection_threshold == theirs.get("tau0", 2.5)


def test_the_velocity_loop_is_computed_torque(panda):
    simulation = Simulation(panda, noise=NO_NOISE, interface=Interface.VELOCITY)
    simulation.reset(panda.stance, 0.2 * np.ones(7))
    arm, driver, velocity = simulation.plant, simulation._driver, np.linspace(-1.0, 1.0, 7)
    state = ArmDynamics(panda).state(arm.q, arm.dq)
    wanted = SERVO_RATE * (velocity - arm.dtheta)
    torque = state.inertia(panda.apparent_motor_inertia) @ wanted + state.h
    np.testing.assert_allclose(driver.servo_torque(velocity), torque, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(driver.gravity(), state.g, rtol=1e-12, atol=1e-12)
