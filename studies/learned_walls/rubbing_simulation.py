# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The robot with its driver, with uncompensated friction in its motors."""

from __future__ import annotations

import numpy as np

from impact_robots.robot import Robot
from impact_sim.driver.simulation import Measurement, Simulation
from impact_sim.plant.motor_friction import MotorFriction
from impact_sim.plant.plant import FlexibleJointPlant

SLOW = 0.01  # velocity over which Coulomb's friction changes its sign [rad/s]


class RubbingSimulation(Simulation):
    """A :class:`Simulation` whose motors rub, by their velocity at the beginning of each cycle."""

    def __init__(
        self, robot: Robot, plant: FlexibleJointPlant, friction: MotorFriction, *, seed: int = 0
    ) -> None:
        """Build the robot; ``reset`` before the first ``step``."""
        super().__init__(robot, seed=seed, plant=plant)
        self._friction = friction
        # the torque loop lets this fraction of a desired torque reach the motors
        self._share = robot.reflected_motor_inertia / robot.apparent_motor_inertia

    def _advance(self, desired: np.ndarray) -> Measurement:
        velocity, friction = self.plant.dtheta, self._friction
        rubbing = friction.coulomb * np.tanh(velocity / SLOW) + friction.viscous * velocity
        return super()._advance(desired - rubbing / self._share)
