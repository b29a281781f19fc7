# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Arms of a cell: momentum closes, and arms that touch nothing are single arms."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from cells import (
    CATFOOD,
    GRAB,
    ONE,
    PUSH,
    TWO,
    away,
    grab_cell,
    joint_velocity,
    plate_robot,
    push_cell,
)

from impact_robots import ArmDynamics
from impact_sim.cell.cell_plant import CONTACT_STEP, CellPlant
from impact_sim.cell.cell_simulation import CellSimulation
from impact_sim.cell.layout import BoxObject, CellLayout, PairContact, Support
from impact_sim.driver.driver_cycle import integrate_cycle
from impact_sim.driver.sensors import NO_NOISE
from impact_sim.driver.simulation import Simulation
from impact_sim.exceptions import SimulationError
from impact_sim.plant.plant import FlexibleJointPlant
from impact_sim.plant.torque_loop import TorqueLoop

DOWN = np.array([0.0, -0.7, 0.0])


class Closure:
    """What forces did to the plate by J (M + B)^-1, and what its velocity did."""

    def __init__(self, plant, inertias):
        self.plant, self.arm, self.robot = plant, plant.arms[0], plate_robot()
        self._dynamics, self._data = ArmDynamics(self.robot), self.robot.model.createData()
        self.loop, self.inertias = TorqueLoop(self.robot), inertias
        self.loop.reset(self.arm.joint_torque)
        self.before = self._dynamics(self.arm.q, self.arm.dq).velocity
        self.sums = {name: np.zeros(3) for name in inertias}

    def run(self, cycles):
        """Move under gravity compensation."""
        for _ in range(cycles):
            self.desired = self._dynamics(self.arm.q, self.arm.dq).g
            drives = [(self.arm, self.loop, self.desired)]
            integrate_cycle(self.plant, drives, is_near=lambda: True, contact_steps=self._steps)

    def _steps(self, steps):
        for _ in range(steps):
            self._step()

    def _step(self):
        state = self._dynamics(self.arm.q, self.arm.dq)
        model, data = self.robot.model, self._data
        pin.forwardKinematics(model, data, state.q, state.dq, np.zeros(7))
        pin.updateFramePlacements(model, data)
        frame, axes = model.getFrameId(self.robot.contact_frame), pin.LOCAL_WORLD_ALIGNED
        drift = pin.getFrameClassicalAcceleration(model, data, frame, axes).linear
        self.plant.advance_contact()
        torque = self.desired - state.h + self.arm.contact_torque
        for name, inertia in self.inertias.items():
            change = state.J[:3] @ np.linalg.solve(state.M + np.diag(inertia), torque)
            self.sums[name] += CONTACT_STEP * (change + drift)

    def misses(self):
        """Difference of the two changes of velocity, by inertia [m/s]."""
        change = self._dynamics(self.arm.q, self.arm.dq).velocity - self.before
        return {name: np.linalg.norm(total - change) for name, total in self.sums.items()}


def test_momentum_of_a_push_closes_with_the_motors_apparent_inertia_alone():
    plant = push_cell()
    plant.reset([away(PUSH, DOWN, 0.003)], [joint_velocity(PUSH, DOWN)])
    closure = Closure(plant, plate_robot().motor_inertias)
    closure.run(150)
    misses = closure.misses()
    assert np.linalg.norm(closure.before) == pytest.approx(0.7, abs=0.01)
    assert misses["M+B_theta"] < 1e-3
    assert misses["M"] > 0.01 and misses["M+B_rho"] > 0.01


@pytest.mark.parametrize("mass", [0.6, 1.3, 2.2])
def test_the_box_gets_the_impulses_of_plate_and_table(mass):
    plant = push_cell(replace(CATFOOD, mass=mass))
    plant.reset([away(PUSH, DOWN, 0.003)], [joint_velocity(PUSH, DOWN)])
    impulse = np.zeros(3)
    for _ in range(600):
        plant.advance_contact()
        impulse -= CONTACT_STEP * (plant.arms[0].plate_force + plant.support_force)
    impulse[2] -= mass * 9.81 * 600 * CONTACT_STEP
    np.testing.assert_allclose(mass * plant.box.velocity, impulse, atol=1e-3)
    assert plant.box.velocity[1] < -0.3


@pytest.mark.parametrize("mass", [0.6, 1.3, 2.2])
def test_compression_ends_with_the_impulse_of_two_masses(mass):
    box, robot = replace(CATFOOD, mass=mass), plate_robot()
    smooth = PairContact(0.0, frequency=20.0)  # so slow that motors move with their links
    plant = push_cell(box, plate_contact=smooth, support_contact=smooth)
    plant.reset([away(PUSH, DOWN, 0.002)], [joint_velocity(PUSH, DOWN)])
    arm, dynamics, loop = plant.arms[0], ArmDynamics(robot), TorqueLoop(robot)
    loop.reset(arm.joint_torque)
    impulse = np.zeros(3)
    while dynamics(arm.q, arm.dq).velocity[1] < plant.box.velocity[1]:
        drives = [(arm, loop, dynamics(arm.q, arm.dq).g)]
        forces = []

        def step(steps, forces=forces):
            for _ in range(steps):
                plant.advance_contact()
                forces.append(arm.plate_force)

        integrate_cycle(plant, drives, is_near=lambda: True, contact_steps=step)
        impulse += CONTACT_STEP * np.sum(forces, axis=0)

    expected = flat_impulse(robot, box, robot.apparent_motor_inertia, 0.7)
    assert impulse[1] == pytest.approx(expected, rel=0.02)


def flat_impulse(robot, box, motor_inertia, speed):
    """Normal impulse of two flat, smooth faces that end with one velocity and do not tilt [N.s]."""
    state = ArmDynamics(robot)(PUSH, np.zeros(7))
    rows = state.J[[1, 3, 5]]  # along y, about x and z
    arm = rows @ np.linalg.solve(state.M + np.diag(motor_inertia), rows.T)
    squares = np.square(box.size)
    turning = box.mass / 12.0 * (squares.sum() - squares[[0, 2]])
    return np.linalg.solve(arm + np.diag([1.0 / box.mass, *1.0 / turning]), [speed, 0.0, 0.0])[0]


def test_an_arm_of_a_cell_is_a_single_arm_as_long_as_it_touches_nothing():
    robot = plate_robot()
    single, pair = FlexibleJointPlant(robot), CellPlant(CellLayout(TWO))
    single.reset(PUSH, 0.5 * PUSH)
    pair.reset([PUSH, GRAB[1]], [0.5 * PUSH, np.zeros(7)])
    loops = [TorqueLoop(robot) for _ in range(3)]
    for arm, loop in zip((single, *pair.arms), loops, strict=True):
        loop.reset(arm.joint_torque)
    torque = ArmDynamics(robot)(PUSH, np.zeros(7)).g
    for _ in range(100):
        integrate_cycle(single, [(single, loops[0], torque)], is_near=bool, contact_steps=range)
        drives = [(pair.arms[0], loops[1], torque), (pair.arms[1], loops[2], 0.9 * torque)]
        integrate_cycle(pair, drives, is_near=bool, contact_steps=range)
    assert np.abs(single.q - PUSH).max() > 0.05
    np.testing.assert_allclose(pair.arms[0].q, single.q, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(pair.arms[0].dq, single.dq, rtol=0.0, atol=1e-11)


def test_measurements_of_one_arm_are_those_of_the_single_arm():
    robot = plate_robot()
    single = Simulation(robot, noise=NO_NOISE)
    cell = CellSimulation(CellPlant(CellLayout(ONE)), noise=NO_NOISE)
    found, (other,) = single.reset(PUSH), cell.reset([PUSH])
    for _ in range(20):
        np.testing.assert_allclose(found.tau, other.tau, rtol=0.0, atol=1e-9)
        np.testing.assert_allclose(found.q, other.q, rtol=0.0, atol=1e-12)
        command = np.full(7, 0.2)
        found = single.step(command)
        other = cell.step([command])[0]


def test_the_second_arm_does_not_move_the_first():
    reached = []
    for torque in (0.0, 3.0):
        simulation = CellSimulation(grab_cell())
        start = [away(q, (0.0, side, 0.0), 0.1) for q, side in zip(GRAB, (-1, 1), strict=True)]
        simulation.reset(start)
        for _ in range(50):
            first, second = simulation.step([np.zeros(7), np.full(7, torque)])
        reached.append((first, second))
    np.testing.assert_array_equal(reached[0][0].q, reached[1][0].q)
    assert np.abs(reached[0][1].q - reached[1][1].q).max() > 1e-3


def test_two_arms_grab_in_a_mirror():
    plant = grab_cell()
    ways = np.array([[0.0, -0.3, 0.0], [0.0, 0.3, 0.0]])
    start = [away(q, way, 0.003) for q, way in zip(GRAB, ways, strict=True)]
    speeds = [joint_velocity(q, way) for q, way in zip(GRAB, ways, strict=True)]
    simulation = CellSimulation(plant, noise=NO_NOISE)
    simulation.reset(start, speeds)
    impulses = np.zeros((2, 3))
    for _ in range(40):
        found = simulation.step([np.zeros(7)] * 2)
        impulses += [CONTACT_STEP * each.forces.sum(axis=0) for each in found]
    assert impulses[0, 1] == pytest.approx(-impulses[1, 1], rel=0.02)  # links are not in a mirror
    assert impulses[0, 1] > 1.0
    assert abs(plant.box.position[1]) < 1e-4


@pytest.mark.parametrize("seed", [0, 5])
def test_the_same_seed_gives_the_same_numbers(seed):
    runs = []
    for _ in range(2):
        simulation = CellSimulation(grab_cell(), seed=seed)
        simulation.reset(list(GRAB))
        for _ in range(5):
            found = simulation.step([np.zeros(7)] * 2)
        runs.append(found)
    for one, other in zip(*runs, strict=True):
        np.testing.assert_array_equal(one.tau, other.tau)
        np.testing.assert_array_equal(one.forces, other.forces)
    assert np.abs(runs[0][0].q - GRAB[0] - (runs[0][1].q - GRAB[1])).max() > 1e-6  # own noise each


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BoxObject((0.1, 0.0, 0.1), 1.0, (0, 0, 0)), "box size: expected three numbers a"),
        (
            lambda: BoxObject((0.1, 0.1, 0.1), -1.0, (0, 0, 0)),
            "box mass: expected a number above 0",
        ),
        (lambda: push_cell().reset([]), "q: expected 1 arms, got 0"),
        (lambda: push_cell().reset([np.zeros(6)]), "q: expected 7 finite numbers"),
        (lambda: CellPlant(CellLayout(ONE)).box, "cell: there is no box"),
        (lambda: Support(np.nan), "support height: expected a finite number, got nan"),
    ],
)
def test_what_no_cell_has_is_refused(make, message):
    with pytest.raises(SimulationError, match=message):
        make()
