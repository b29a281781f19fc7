# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The compiled small steps against the plain ones, which serve laws that are not compiled."""

from dataclasses import dataclass

import numpy as np
import pytest
from moving_arms import moving
from thrown_arms import thrown, thrown_as_by_mujoco

from impact_predictor.contact_force.laws import ExtendedHuntCrossley, HuntCrossley, Viscoelastic
from impact_robots import ArmDynamics, Surface
from impact_sim.driver.driver_cycle import integrate_cycle
from impact_sim.exceptions import SimulationError
from impact_sim.plant.compliant_wall import CompliantWall
from impact_sim.plant.plant import FlexibleJointPlant
from impact_sim.plant.torque_loop import TorqueLoop
from impact_sim.plant.wall_numbers import plane_of

NORMAL = np.array([-0.8, 0.0, 0.6])
LAWS = {
    "viscoelastic": Viscoelastic(1.2e5, 8e6),
    "Hunt and Crossley": HuntCrossley(2e6, 4e6),
    "extended": ExtendedHuntCrossley(2e6, 4e6),
}


@dataclass(frozen=True)
class Own(HuntCrossley):
    """A law that somebody else wrote."""


def wall(panda, law, gap=1e-4):
    point = ArmDynamics(panda).position(panda.stance) - gap * NORMAL
    return CompliantWall(Surface(point, NORMAL, 0.3), law)


@pytest.fixture(scope="module")
def dq(panda):
    """The tool comes at the wall aslant, and turns."""
    return moving(panda, [0.15, 0.1, 0.05], [0.2, 0.0, 0.0])


@pytest.mark.parametrize("mass", [np.inf, 2.0])
@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_compiled_steps_are_those_of_mujoco(panda, dq, law, mass):
    plant, _ = thrown_as_by_mujoco(lambda: FlexibleJointPlant(panda), law, dq, NORMAL, mass=mass)
    assert (plant.wall_motion[0] > 0.0) == (mass < np.inf)


def test_without_a_wall_nothing_pushes(panda, dq):
    plant = FlexibleJointPlant(panda)
    assert not thrown(plant, None, dq).force.any() and not plant.contact_force.any()


def test_a_law_of_another_class_is_integrated_plainly(panda, dq):
    """A subclass may say something else, even if it has the same figures."""
    assert plane_of(wall(panda, Own(2e6, 4e6))) is None
    expected, got = (
        thrown(FlexibleJointPlant(panda), law(2e6, 4e6), dq, NORMAL).force
        for law in (HuntCrossley, Own)
    )
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def test_a_wall_that_is_replaced_is_the_one_that_pushes(panda, dq):
    plant = FlexibleJointPlant(panda)
    thrown(plant, None, dq)
    assert thrown(plant, LAWS["viscoelastic"], dq, NORMAL).force.any()


def test_one_step_at_a_time_is_the_same(panda, dq):
    one, many = (FlexibleJointPlant(panda, wall(panda, LAWS["extended"], 1e-6)) for _ in range(2))
    for plant in (one, many):
        plant.reset(panda.stance, dq)
    forces = many.advance_contact(200).force
    np.testing.assert_array_equal([one.advance_contact().force[0] for _ in range(200)], forces)
    np.testing.assert_array_equal(one.q, many.q)
    np.testing.assert_array_equal(one.contact_force, forces[-1])


@pytest.mark.parametrize("near", [False, True])
def test_a_compiled_cycle_is_the_plain_one(panda, near):
    """Torque loop, flight and small steps, under a torque that moves the arm."""
    compiled, plain = (FlexibleJointPlant(panda, wall(panda, LAWS["viscoelastic"])) for _ in "12")
    loops = [TorqueLoop(panda) for _ in "12"]
    desired = ArmDynamics(panda)(panda.stance, np.zeros(7)).g + np.array([3.0, -8, 2, 4, 1, 1, 0.5])
    for plant, loop in zip((compiled, plain), loops, strict=True):
        plant.reset(panda.stance, np.full(7, 0.1))
        loop.reset(plant.joint_torque)
    for _ in range(30):
        forces = [np.empty((0, 3))]

        def steps(count, forces=forces):
            forces.append(plain.advance_contact(count).force)

        drives = [(plain, loops[1], desired)]
        integrate_cycle(plain, drives, is_near=lambda: near, contact_steps=steps)
        found = compiled.advance_cycle(loops[0], desired, near=near)
        assert compiled.time == plain.time
        np.testing.assert_allclose(compiled.q, plain.q, rtol=0, atol=1e-13)
        np.testing.assert_allclose(compiled.dtheta, plain.dtheta, rtol=0, atol=1e-12)
        if near:
            expected = np.concatenate(forces)
            np.testing.assert_allclose(found.force, expected, rtol=1e-9, atol=1e-9)


def test_a_law_of_another_class_has_no_compiled_cycle(panda):
    plant = FlexibleJointPlant(panda, wall(panda, Own(2e6, 4e6)))
    plant.reset(panda.stance)
    assert not plant.compiled
    with pytest.raises(SimulationError, match="the wall's law is not one that is compiled"):
        plant.advance_cycle(TorqueLoop(panda), np.zeros(7), near=True)
