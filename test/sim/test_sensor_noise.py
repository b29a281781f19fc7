# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Sensor noise: the numbers of the seed, one after the other."""

import numpy as np
import pytest

from impact_robots.cell import robot_named
from impact_sim.driver.sensors import BLOCK, Noise, NoisySensors
from impact_sim.plant.plant import FlexibleJointPlant

NOISE = Noise(position=1e-3, velocity=2e-2, torque=0.3, force=4.0)


def test_noise_is_that_of_a_generator_that_is_asked_reading_by_reading():
    """Also across blocks, for readings larger than a block, and with seeds of two parts."""
    sensors, random = NoisySensors(NOISE, (5, 1)), np.random.default_rng((5, 1))
    for samples in (25, 25, BLOCK, 1, *[25] * 60):
        noise = sensors.noise(7, 3 * samples)
        expected = random.standard_normal((3, 7)) * [[1e-3], [2e-2], [0.3]]
        np.testing.assert_array_equal(noise[:21], expected.ravel())
        np.testing.assert_array_equal(noise[21:], 4.0 * random.standard_normal(3 * samples))
        noise += 7.0  # what is done with it does not reach the next ones


def test_noise_is_not_overwritten_by_the_next_one():
    sensors = NoisySensors(NOISE, 0)
    noise = sensors.noise(7, 75)
    first = noise.copy()
    for _ in range(100):
        sensors.noise(7, 75)
    np.testing.assert_array_equal(noise, first)


@pytest.mark.parametrize("name", ["panda", "panda_plate"])
def test_readings_are_the_state_of_the_arm_and_the_forces_beside_the_noise(name):
    robot = robot_named(name)
    arm = FlexibleJointPlant(robot)
    arm.reset(0.3 * np.arange(1.0, 1 + robot.dof), np.linspace(-1.0, 1.0, robot.dof))
    forces = np.arange(18.0).reshape(6, 3)[::2]
    noise = np.linspace(1.0, 2.0, 3 * robot.dof + 9)
    readings = noise.copy()
    arm.sense(forces, readings)
    state = np.concatenate((arm.q, arm.dq, arm.joint_torque, forces.ravel()))
    np.testing.assert_array_equal(readings, state + noise)
