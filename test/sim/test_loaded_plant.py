# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What a plant remembers of its joints' load is their true load, and changes nothing."""

import numpy as np
import pytest
from moving_arms import moving

from impact_predictor.contact_force.laws import Viscoelastic
from impact_predictor.joint_load.load import DURATION
from impact_robots import ArmDynamics, Surface
from impact_sim import SimulationError
from impact_sim.arm.direct_run import direct_run
from impact_sim.arm.loaded_plant import LoadedPlant
from impact_sim.arm.passive_impact import gravity_compensation
from impact_sim.arm.watched_plant import WatchedPlant
from impact_sim.plant.compliant_wall import CompliantWall

NORMAL, SPEED = np.array([-1.0, 0.0, 0.0]), 0.12


@pytest.fixture(scope="module")
def runs(panda):
    """The same impact, watched by a plant that remembers loads and by one that does not."""
    dq, point = moving(panda, -SPEED * NORMAL), ArmDynamics(panda).position(panda.stance)
    wall = CompliantWall(Surface(point, NORMAL, 0.1).moved(-1e-6), Viscoelastic(1e6, 5e6))
    plants = LoadedPlant(panda, wall), WatchedPlant(panda, wall)
    for plant in plants:
        plant.reset(np.array(panda.stance), dq)
    after = 2.0 * DURATION
    return [(each, direct_run(each, gravity_compensation, after_contact=after)) for each in plants]


def test_it_moves_as_one_that_does_not_look(runs):
    (_, first), (_, second) = runs
    assert np.array_equal(first.q, second.q)
    assert np.array_equal(first.contact_force, second.contact_force)


def test_the_load_holds_every_torque_that_was_there(runs):
    plant, run = runs[0]
    since = run.t - run.contact_start.time
    change = (run.tau - plant.torque_before)[(since >= 0.0) & (since <= DURATION)]
    assert np.all(plant.load.highest >= change.max(axis=0) - 1e-9)
    assert np.all(plant.load.lowest <= change.min(axis=0) + 1e-9)
    sampled, worst = np.abs(change).max(axis=0), int(plant.load.change.argmax())
    assert plant.load.change[worst] == pytest.approx(sampled[worst], rel=0.05)
    assert plant.load.change[worst] > 1.0
    assert np.all(plant.load.time <= DURATION)


def test_before_it_the_springs_bear_gravity(runs):
    plant, run = runs[0]
    gravity = ArmDynamics(plant.robot)(run.contact_start.q, np.zeros(7)).g
    assert plant.torque_before == pytest.approx(gravity, abs=0.05)


def test_impulse_and_force_are_those_of_the_wall(runs):
    plant, run = runs[0]
    normal = run.contact_force @ run.normal
    assert plant.load.peak_force[0] == pytest.approx(normal.max())
    assert plant.load.impulse[0, 2] == pytest.approx(plant.impulse @ NORMAL)


def test_without_a_touch_there_is_no_load(runs):
    plant = LoadedPlant(runs[0][0].robot)
    plant.reset(np.array(plant.robot.stance))
    with pytest.raises(SimulationError, match="there was no contact"):
        plant.load  # noqa: B018
