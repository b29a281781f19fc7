# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A person's region in the plant: momentum, energy, the two-mass formula, loops and reactions."""

from math import sqrt

import mujoco
import numpy as np
import pytest

from impact_predictor.contact_force.laws import HuntCrossley
from impact_predictor.people.aim import aim
from impact_predictor.people.loop import Reaction, coasting, impedance, servo
from impact_predictor.people.person_speed import PersonContact
from impact_predictor.people.regions import BUILT_IN
from impact_robots import Surface
from impact_sim.exceptions import SimulationError
from impact_sim.plant.compliant_wall import CompliantWall
from impact_sim.plant.plant import FlexibleJointPlant
from studies.people.contact_run import PersonRun, person_contact, person_wall

Q = (0.2, -0.01, 0.56, -1.59, -1.76, 2.57, -2.02)  # rad
Q_ELBOW = (-0.5512, 0.4186, -2.1824, -1.8413, -0.5241, 2.4935, 2.3124)  # rad
U_ELBOW = (-0.56919, -0.21185, 0.79445)
GAINS = (600.0,) * 4 + (250.0, 150.0, 50.0), (50.0,) * 4 + (30.0, 25.0, 15.0)
REACTION = Reaction(20.0, 0.01, 0.02, 5.0)
SPEED = 0.3  # m/s
STEP = 25e-6  # s


@pytest.fixture(scope="module")
def tool(panda):
    return aim(panda, Q, (1.0, 0.0, 0.0))


def region(name, clamped=False):
    return PersonContact(BUILT_IN[name], clamped)


def thrown(robot, wall, to, step=STEP):
    """Return a plant that moves into a wall, under the constant torque that holds it."""
    plant = FlexibleJointPlant(robot, wall, contact_step=step)
    plant.reset(to.state.q, SPEED * to.way)
    plant.apply_motor_torque(to.state.g)
    return plant


def test_a_free_mass_takes_the_impulse_and_the_work_of_the_force(panda, tool):
    wall = person_wall(tool, region("hand"))
    plant = thrown(panda, wall, tool)
    impulse = work = 0.0
    for _ in range(400):
        force = float(plant.advance_contact().force[0] @ wall.surface.normal)
        impulse += STEP * force
        work += STEP * force * plant.wall_motion[1]
    _, speed = plant.wall_motion
    assert plant.contact_force == pytest.approx(np.zeros(3)) and impulse > 0.1  # it is over
    assert 0.6 * speed == pytest.approx(impulse, rel=1e-9)
    assert 0.5 * 0.6 * speed**2 == pytest.approx(work, rel=0.01)


def energy(plant, to):
    """Return that of arm, region and mass, less the work of the motors' constant torque [J]."""
    mujoco.mj_forward(plant.model, plant.data)
    mujoco.mj_energyPos(plant.model, plant.data)
    mujoco.mj_energyVel(plant.model, plant.data)
    penetration, mass = max(0.0, -plant.gap), plant.wall.mass
    region_ = 0.5 * plant.wall.law.stiffness * penetration**2
    body = 0.5 * mass * plant.wall_motion[1] ** 2 if mass < np.inf else 0.0
    return float(plant.data.energy.sum()) - to.state.g @ plant.theta + region_ + body


@pytest.mark.parametrize("clamped", [False, True])
@pytest.mark.parametrize("damped", [False, True])
def test_energy_is_conserved_and_only_the_joints_dampers_take_some(panda, tool, clamped, damped):
    """The energies are those of MuJoCo; the steps are compiled by the suite."""
    robot = panda.with_joints(np.array([np.ones(7), np.full(7, float(damped)), np.ones(7)]))
    plant = thrown(robot, person_wall(tool, region("chest", clamped)), tool, 0.4 * STEP)
    energies = [energy(plant, tool)]
    for _ in range(30):
        plant.advance_contact(100)
        energies.append(energy(plant, tool))
    change = (np.array(energies) - energies[0]) / (0.5 * 2.07 * SPEED**2)  # of the links' alone
    if damped:
        assert change[-1] < -0.001 and np.all(np.diff(change) < 1e-3)
    else:
        assert np.abs(change).max() < 2e-3


@pytest.mark.parametrize("clamped", [False, True])
@pytest.mark.parametrize("where", [(Q, (1.0, 0.0, 0.0)), (Q_ELBOW, U_ELBOW, "elbow")])
def test_peak_of_a_coasting_arm_is_that_of_the_two_mass_formula(panda, clamped, where):
    """M + B_theta; a prototype found 0.91 to 1.00 of it, at the elbow 0.98 to 1.00."""
    to, contact = aim(panda, *where), region("chest", clamped)
    mu = 1.0 / (1.0 / to.mass(panda.apparent_motor_inertia) + 1.0 / contact.mass)
    run = person_contact(to, contact, coasting(to), None, SPEED)
    assert run.peak == pytest.approx(SPEED * sqrt(mu * contact.stiffness), rel=0.09)


def test_without_the_torque_loop_the_motors_mass_counts_in_full(panda, tool):
    """Independent of the loop: the motors' own inertia behind a constant torque."""
    wall = person_wall(tool, region("chest", clamped=True))
    plant = thrown(panda, wall, tool)
    peak = (plant.advance_contact(1600).force @ wall.surface.normal).max()
    mass = tool.mass(panda.reflected_motor_inertia)
    assert peak == pytest.approx(SPEED * sqrt(mass * 25000.0), rel=0.09)


@pytest.mark.parametrize("kind", ["impedance", "servo"])
def test_an_arm_that_reacts_soon_holds_less_and_ends_at_its_springs_force(panda, tool, kind):
    loop = impedance(tool, *GAINS) if kind == "impedance" else servo(tool, 30.0, 200.0)
    soon, late = (
        person_contact(
            tool, region("hand", True), loop, REACTION._replace(delay=delay), 0.5 * SPEED
        )
        for delay in (0.005, 0.1)
    )
    assert soon.detected == late.detected and 0.0 < soon.detected < 0.02
    assert 0.0 < soon.held < late.held
    stiffness = 1.0 / (1.0 / 75000.0 + 1.0 / loop.stiffness_along(tool))
    speed, end = 0.5 * SPEED, late.detected + 0.1 + loop.lag
    held = stiffness * (speed * end + speed**2 / (2.0 * REACTION.brake))
    assert late.force[-1] == pytest.approx(held, rel=0.03)


def test_force_of_a_later_contact_is_no_held_one():
    times = STEP * np.arange(40000)  # 1 s
    force = np.where(times < 0.05, 100.0, np.where(times > 0.8, 80.0, 0.0))
    assert PersonRun(times, force, None).held == 0.0
    force = np.where((times > 0.05) & (times < 0.1), 0.0, 50.0)  # a bounce
    assert PersonRun(times, force, None).held == 50.0


def test_a_wall_is_at_rest_again_after_a_reset_and_another_wall_too(panda, tool):
    wall = person_wall(tool, region("hand"))
    plant = thrown(panda, wall, tool)
    plant.advance_contact(400)
    assert plant.wall_motion[1] > 0.1
    plant.wall = person_wall(tool, region("hand"))
    assert plant.wall_motion == (0.0, 0.0)
    plant.advance_contact(400)
    plant.reset(tool.state.q)
    assert plant.wall_motion == (0.0, 0.0)


def test_a_wall_without_a_positive_mass_is_refused():
    floor = Surface(np.zeros(3), [0, 0, 1], 0.0)
    with pytest.raises(SimulationError, match="mass of a wall: expected above 0 kg, got 0"):
        CompliantWall(floor, HuntCrossley(1e5, 0.0, 1.0), 0.0)
