# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The simulated side of a grab: robot, boxes, placing of the next box, and end of the grab."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from impact_robots.description.loader import load_robot
from impact_robots.task.palm_task import PERIOD
from impact_sim.humanoid.grab_scenario import GrabScenario
from impact_sim.humanoid.plant import HumanoidPlant
from impact_sim.humanoid.senses import HumanoidMeasurement, HumanoidNoise
from impact_sim.humanoid.simulation import DELAY, HumanoidSimulation

SETTLING = 1.0  # before the approach, for which the start is held [s]
FALLEN = 0.2  # by which the centre of mass is lower than at the start [m]
LONGEST = 15.0  # of one box [s]
AFTER = 0.8  # the end of the phases, so that boxes come to rest [s]
REST = "rest"  # name of the last phase


class GrabStage:
    """A humanoid in front of its first box; the controller's phases determine the sequence.

    Attributes:
        watch: called with the plant after each of its steps, if set.
        box: number of the current box.
        over: the grab has ended, or the robot has fallen.
        moved: at least one cycle has run since settling.
    """

    def __init__(
        self,
        scenario: GrabScenario,
        *,
        seed: int = 0,
        noise: HumanoidNoise | None = None,
        delay: float = DELAY,
        joint_scale: np.ndarray | None = None,
    ) -> None:
        """Put everything into its place.

        Args:
            scenario: of the grab.
            seed: of noise and variation.
            noise: of the sensors; None: the default.
            delay: of the sensors [s].
            joint_scale: of the flexible joints' stiffness, damping and motor inertia, shape (3, n)
                [-]; None: joints are rigid.

        Raises:
            SimulationError: an impossible plant.
            RobotError: the robot's start is out of its reach.
        """
        self.scenario, self._seed, self.robot = scenario, seed, load_robot(scenario.robot)
        self.start = scenario.task.start(self.robot)
        flexible = joint_scale is not None
        simulated = self.robot if joint_scale is None else self.robot.with_joints(joint_scale)
        self.plant = HumanoidPlant(scenario.layout(simulated, seed, flexible=flexible))
        self.watch: Callable[[HumanoidPlant], None] | None = None
        self._simulation = HumanoidSimulation(
            self.plant, noise=noise or HumanoidNoise(), delay=delay, seed=seed, watch=self._look
        )
        self.box, self.over, self.moved, self._cycles = 0, False, False, 0

    def _look(self, plant: HumanoidPlant) -> None:
        if self.watch is not None:
            self.watch(plant)

    def settle(self) -> HumanoidMeasurement:
        """Hold the start for a while; return the measurement at the end."""
        seen = self._simulation.reset(self.start)
        for _ in range(round(SETTLING / PERIOD)):
            seen = self._simulation.step(self.start[7:])
        self.box, self.over, self.moved = 0, False, False
        self._cycles = round(SETTLING / PERIOD)
        self._height, self._ended = self.plant.com[2] - FALLEN, seen.time
        return seen

    def step(self, positions: np.ndarray, torques: np.ndarray | None = None) -> HumanoidMeasurement:
        """Command the joints for a cycle.

        Args:
            positions: to the servos, shape (n,) [rad].
            torques: of the motors instead, shape (n,) [N.m]; None: servos.

        Raises:
            SimulationError: not n finite numbers; nothing has moved.
        """
        simulation = self._simulation
        seen = simulation.step(positions) if torques is None else simulation.step_torque(torques)
        self.moved, self._cycles = True, self._cycles + 1
        return seen

    @property
    def time_ns(self) -> int:
        """Simulated time, including settling [ns]."""
        return self._cycles * round(PERIOD * 1e9)

    @property
    def fell(self) -> bool:
        """Whether the robot's centre of mass is far below where it was."""
        return bool(self.plant.com[2] <= self._height)

    def follow(self, phase: str, box: int, failure: str) -> bool:
        """Follow the controller's progress after a step; return whether a box was put.

        The simulator puts all boxes but the first onto the pedestal.

        Args:
            phase: of the grab.
            box: number of the controller's current box.
            failure: why the grab failed or was stopped, "" if it was not.
        """
        put = box == self.box + 1
        if put:
            self.box = box
            self.plant.put_box(box, *self.scenario.drawn(self._seed))
        now = self.plant.time
        if phase != REST and not failure and now < LONGEST * (self.box + 1):
            self._ended = now
        self.over = self.fell or now - self._ended >= AFTER
        return put


def sole_wrenches(plant: HumanoidPlant) -> np.ndarray:
    """Return the floor's force on each sole and its moment about the corners' middle, (k, 6)."""
    count = len(plant.layout.soles)
    forces = plant.sole_forces.reshape(count, -1, 3)
    corners = plant.sole_corners.reshape(count, -1, 3)
    levers = corners - corners.mean(axis=1, keepdims=True)
    return np.hstack([forces.sum(axis=1), np.cross(levers, forces).sum(axis=1)])
