# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Sensor noise: the numbers of the seed, one after the other."""

import numpy as np

from impact_sim.driver.sensors import BLOCK, Noise, NoisySensors

NOISE = Noise(position=1e-3, velocity=2e-2, torque=0.3, force=4.0)


def test_noise_is_that_of_a_generator_that_is_asked_reading_by_reading():
    """Also across blocks, for readings larger than a block, and with seeds of two parts."""
    sensors, random = NoisySensors(NOISE, (5, 1)), np.random.default_rng((5, 1))
    joints = np.arange(21.0).reshape(3, 7)
    for samples in (25, 25, BLOCK, 1, *[25] * 60):
        force = np.full((samples, 3), 7.0)
        *seen, forces = sensors.measured(*joints, force)
        expected = joints + random.standard_normal((3, 7)) * [[1e-3], [2e-2], [0.3]]
        np.testing.assert_array_equal(seen, expected)
        expected = force + 4.0 * random.standard_normal((samples, 3))
        np.testing.assert_array_equal(forces, expected)
        assert (force == 7.0).all()


def test_readings_are_not_overwritten_by_the_next_ones():
    sensors = NoisySensors(NOISE, 0)
    nothing = *np.zeros((3, 7)), np.zeros((25, 3))
    readings = sensors.measured(*nothing)
    first = [each.copy() for each in readings]
    for _ in range(100):
        sensors.measured(*nothing)
    for one, other in zip(readings, first, strict=True):
        np.testing.assert_array_equal(one, other)
