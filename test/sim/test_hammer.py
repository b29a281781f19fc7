# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The simulated hammer and nail: against MuJoCo's steps, and the frozen model."""

from math import inf

import numpy as np
import pytest
from struck_nail import HAMMER, NAIL, RIGID, Q, struck
from thrown_arms import thrown_as_by_mujoco

from impact_predictor.joint_load.load import YieldingLaw
from impact_predictor.strike.effect import strike_effect
from impact_predictor.strike.strike_case import StrikeCase
from impact_predictor.strike.strike_loads import StrikeLoads
from impact_robots import ArmDynamics, Surface
from impact_robots.exceptions import RobotError
from impact_robots.tools.hammer import HANDLE, with_hammer
from impact_sim.exceptions import SimulationError
from impact_sim.plant.compliant_wall import CompliantWall
from impact_sim.plant.plant import FlexibleJointPlant


def test_a_nail_in_compiled_steps_is_that_of_the_plain_ones(panda):
    law, dq = YieldingLaw(1e6, 150.0, 7500.0), 0.3 * np.array([0.3, 0.6, 0.2, -0.4, 0.1, 0.5, 0.2])
    plant, steps = thrown_as_by_mujoco(lambda: FlexibleJointPlant(panda), law, dq)
    depth, speed = plant.wall_motion
    assert depth > 1e-4 and speed == 0.0
    normal = np.linalg.norm(steps.force, axis=1) / np.hypot(1.0, 0.3)
    assert normal.max() <= 150.0 + 7500.0 * depth + 1e-6  # it yields, and never bears more


def test_a_nail_stays_as_deep_as_it_was_driven(panda):
    _, simulation, _ = struck(panda, RIGID, 0.14)
    plant = simulation.plant
    depth = plant.wall_motion[0]
    assert depth > 1e-4 and plant.gap > 0.0  # the head has left
    for _ in range(20):
        simulation.step(np.zeros(panda.dof))
    assert plant.wall_motion[0] == depth
    simulation.reset(Q)
    assert plant.wall_motion[0] == 0.0  # a reset is a new nail


def test_nothing_behind_a_nail_moves(panda):
    surface = Surface(np.zeros(3), [0.0, 0.0, 1.0], 0.0)
    with pytest.raises(SimulationError, match="yields: expected no mass behind it"):
        CompliantWall(surface, NAIL.law(), 2.0)


@pytest.mark.parametrize(("tool", "speed"), [(RIGID, 0.14), (HAMMER, 0.7)], ids=["rigid", "handle"])
def test_the_moving_arm_strikes_as_the_frozen_model_says(panda, tool, speed):
    """Contacts below 30 ms: goal 5 %; the joint that is most loaded within a tenth."""
    striker, simulation, force = struck(panda, tool, speed)
    case, loads = StrikeCase(tool.nominal, NAIL), StrikeLoads(striker)
    effect = strike_effect(loads, case, speed)
    assert force.sum() * 4e-5 == pytest.approx(effect.impulse, rel=0.05)
    assert force.max() == pytest.approx(effect.peak_force, rel=0.02)
    assert simulation.plant.wall_motion[0] == pytest.approx(effect.depth, rel=0.05)
    limits = striker.limits(0.3)
    used = limits.used(striker.joints_of(simulation.plant.load)).max()
    assert used == pytest.approx(loads.used(case, speed).max(), rel=0.1)


def test_the_handle_hangs_on_its_spring(panda):
    """At rest the deflection is weight over stiffness, along the strike, which is downwards."""
    hammer = with_hammer(panda, HAMMER, HAMMER.nominal)
    plant = FlexibleJointPlant(hammer)
    plant.reset(np.append(Q, 0.0))
    assert hammer.joint_names[-1] == HANDLE
    spring = plant.joint_torque[-1]
    assert spring == pytest.approx(-0.3 * 9.81, rel=1e-3)
    rigid = ArmDynamics(with_hammer(panda, RIGID, RIGID.nominal))
    np.testing.assert_allclose(ArmDynamics(hammer).position(plant.q), rigid.position(Q), atol=1e-9)
    np.testing.assert_allclose(
        ArmDynamics(hammer)(plant.q, np.zeros(8)).g[:7], rigid(Q, np.zeros(7)).g, atol=1e-9
    )


def test_sensors_see_the_arm_alone(panda):
    _, simulation, _ = struck(panda, HAMMER, 0.2, tail=1)
    measured = simulation.step(np.zeros(7))
    assert [len(each) for each in (measured.q, measured.dq, measured.tau)] == [7, 7, 7]
    assert simulation.plant.robot.dof == 8


def test_a_hammer_on_a_hammer_is_refused(panda):
    with pytest.raises(RobotError, match="expected one without a tool that strikes"):
        with_hammer(with_hammer(panda, RIGID, RIGID.nominal), RIGID, RIGID.nominal)
    assert RIGID.nominal.stiffness == inf
