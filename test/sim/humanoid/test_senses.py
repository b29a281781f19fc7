# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What HRP-4's controller measures."""

import numpy as np
import pytest
from hrp4_on_its_feet import grabbing, hrp4, standing

from impact_sim.exceptions import SimulationError
from impact_sim.humanoid.plant import STEP
from impact_sim.humanoid.senses import QUIET, HumanoidNoise
from impact_sim.humanoid.simulation import PERIOD, HumanoidSimulation

CYCLES = 8


def run(**settings):
    simulation = HumanoidSimulation(standing(), **settings)
    measured, true = [simulation.reset(grabbing())], [simulation.plant.q]
    for k in range(CYCLES):
        measured.append(simulation.step(grabbing()[7:] + 0.01 * k))
        true.append(simulation.plant.q)
    return measured, true


def test_without_noise_and_delay_it_is_told_the_truth():
    measured, true = run(noise=QUIET, delay=0)
    np.testing.assert_allclose([each.q for each in measured], true, atol=1e-12)
    np.testing.assert_allclose([each.time for each in measured], PERIOD * np.arange(CYCLES + 1))


def test_what_it_is_told_is_late_by_the_delay():
    measured, true = run(noise=QUIET, delay=2 * PERIOD)
    np.testing.assert_allclose(measured[-1].q, true[-3], atol=1e-12)
    assert measured[-1].time == pytest.approx(PERIOD * CYCLES)


def test_a_delay_may_be_a_part_of_a_cycle():
    noted = []
    measured, _ = run(noise=QUIET, delay=0.007, watch=lambda plant: noted.append(plant.q))
    late = len(noted) - round(0.007 / STEP)
    np.testing.assert_allclose(measured[-1].q, noted[late - 1], atol=1e-12)


def test_noise_is_as_large_as_it_says_and_comes_from_the_seed():
    noise = HumanoidNoise()
    measured, true = run(noise=noise, delay=0, seed=4)
    again, _ = run(noise=noise, delay=0, seed=4)
    other, _ = run(noise=noise, delay=0, seed=5)
    np.testing.assert_array_equal(measured[-1].v, again[-1].v)
    assert np.abs(measured[-1].q - other[-1].q).max() > 0.0
    off = np.array([each.q[:3] for each in measured]) - np.array(true)[:, :3]
    assert 0.5 * noise.base_position < off.std() < 2.0 * noise.base_position
    for each in measured:
        assert np.linalg.norm(each.q[3:7]) == pytest.approx(1.0)


def test_servos_follow_a_line_from_command_to_command():
    """A joint that is commanded to move evenly moves evenly, with the lag of a servo."""
    simulation = HumanoidSimulation(standing(), noise=QUIET, delay=0)
    joint = 7 + hrp4().joint_names.index("NECK_Y")
    q = simulation.reset(grabbing()).q
    rate = 0.2
    for k in range(60):
        command = grabbing()[7:].copy()
        command[joint - 7] += rate * PERIOD * (k + 1)
        measured = simulation.step(command)
    assert measured.v[joint - 1] == pytest.approx(rate, rel=0.03)
    assert measured.q[joint] - q[joint] == pytest.approx(60 * rate * PERIOD, rel=0.05)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"period": 1.1e-4}, "period: expected a multiple of 0.00025 s from 0.00025, got 0.00011"),
        ({"delay": -0.001}, "delay: expected a multiple of 0.00025 s from 0, got -0.001"),
        ({"delay": float("nan")}, "delay: expected a multiple of 0.00025 s from 0, got nan"),
    ],
)
def test_wrong_numbers_are_refused(settings, message):
    with pytest.raises(SimulationError, match=message):
        HumanoidSimulation(standing(), noise=QUIET, **settings)


def test_wrong_commands_move_nothing():
    simulation = HumanoidSimulation(standing(), noise=QUIET)
    simulation.reset(grabbing())
    for step in (simulation.step, simulation.step_torque):
        with pytest.raises(SimulationError, match="expected 34 finite numbers"):
            step(np.full(34, np.inf))
    assert simulation.plant.time == 0.0
