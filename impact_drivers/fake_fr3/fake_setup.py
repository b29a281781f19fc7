# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Configuration of a fake arm and its scenario."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from impact_drivers.fake_fr3.fake_arm import FakeArm
from impact_drivers.fake_fr3.faults import NO_FAULTS, Faults
from impact_drivers.franka.arm.fr3_model import NAME, load_fr3
from impact_robots.robot import Robot
from impact_sim.arm.watched_plant import WatchedPlant
from impact_sim.driver.simulation import Simulation
from impact_sim.plant.compliant_wall import CompliantWall
from impact_sim.scenarios import Scenario, load_scenario


@dataclass(frozen=True)
class FakeSetup:
    """A fake FR3 before the surface of a scenario; the same set-up gives the same run."""

    scenario: str | Scenario = "qp_panda_demo"  # a Panda's: the FR3 takes the same pose
    seed: int = 0  # of the sensors' noise
    faults: Faults = NO_FAULTS
    lockstep: bool = True
    obstacle: CompliantWall | None = None  # met instead of the surface, which is behind it

    def load_robot(self) -> Robot:
        """Return the arm, as :func:`load_fr3`."""
        return load_fr3()

    def load_scenario(self) -> Scenario:
        """Return the scenario with this arm in it."""
        given = self.scenario
        return replace(given if isinstance(given, Scenario) else load_scenario(given), robot=NAME)

    def start(self, robot: Robot) -> np.ndarray:
        """Return the initial positions, shape (7,) [rad]."""
        return self.load_scenario().start(robot)

    def arm(self, keep: int | None = None) -> FakeArm:
        """Return the arm; ``keep`` as :class:`.FakeArm` has it."""
        robot = self.load_robot()
        plant = WatchedPlant(robot, self.obstacle or self.load_scenario().wall(robot))
        return FakeArm(
            Simulation(robot, seed=self.seed, plant=plant), self.start(robot), self.faults, keep
        )
