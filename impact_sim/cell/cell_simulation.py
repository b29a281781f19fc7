# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The arms of a robot cell with their drivers, in lockstep."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from impact_sim.cell.cell_plant import CellPlant
from impact_sim.driver.arm_driver import CYCLE_NS, ArmDriver
from impact_sim.driver.driver_cycle import integrate_cycle
from impact_sim.driver.sensors import PANDA_NOISE, Noise, NoisySensors
from impact_sim.driver.simulation import Measurement
from impact_sim.exceptions import SimulationError

STREAM = 2  # of the random numbers of a seed, from the second arm on; the first has the seed itself
REACH = 0.01  # distance below which the force of a plate is computed [m]


class CellSimulation:
    """Plant, torque loops, drivers and sensors of one or two arms, which take torques.

    The plates' forces are measured once a step of the plant, at 20 kHz.
    """

    def __init__(self, plant: CellPlant, *, noise: Noise = PANDA_NOISE, seed: int = 0) -> None:
        """Build the drivers; call ``reset`` before the first ``step``.

        Args:
            plant: the cell.
            noise: of the sensors.
            seed: of that noise.

        Raises:
            RobotError: the robot's YAML lacks fields that a simulation needs.
        """
        for arm in plant.arms:
            arm.robot.require("impact_sim")
        self.plant = plant
        self._samples = round(CYCLE_NS * 1e-9 / plant.contact_step)
        self._drivers = [
            ArmDriver(arm.robot, arm, NoisySensors(noise, seed if number == 0 else [seed, STREAM]))
            for number, arm in enumerate(plant.arms)
        ]
        self.time_ns = 0

    def reset(
        self, q: Sequence[np.ndarray], dq: Sequence[np.ndarray] | None = None
    ) -> tuple[Measurement, ...]:
        """Put the arms at ``q`` (n,) [rad] each, moving with ``dq`` (n,) [rad/s], and measure.

        Args:
            q: link positions, one array per arm.
            dq: velocities of links and motors; None: at rest.

        Raises:
            SimulationError: another number of arms or joints; nothing has moved.
        """
        self.plant.reset(q, dq)
        for driver in self._drivers:
            driver.reset()
        self.time_ns = 0
        return self._measure(None)

    def step(self, commands: Sequence[np.ndarray]) -> tuple[Measurement, ...]:
        """Apply the arms' commands for one cycle.

        Args:
            commands: joint torques [N.m], without gravity if the robot's driver adds it; (n,) each.

        Raises:
            SimulationError: wrong number or shape, or not finite; nothing has moved.
        """
        if len(commands) != len(self._drivers):
            raise SimulationError(f"commands: expected {len(self._drivers)}, got {len(commands)}")
        checked = [each.checked(given) for each, given in zip(self._drivers, commands, strict=True)]
        drives = [
            (driver.arm, driver.loop, driver.desired_torque(command))
            for driver, command in zip(self._drivers, checked, strict=True)
        ]
        near, forces = self.plant.gap < REACH, list[list[np.ndarray]]()

        def contact_steps(steps: int) -> None:
            for _ in range(steps):
                self.plant.advance_contact()
                forces.append([arm.plate_force for arm in self.plant.arms])

        integrate_cycle(self.plant, drives, is_near=lambda: near, contact_steps=contact_steps)
        self.time_ns += CYCLE_NS
        return self._measure(np.array(forces) if near else None)

    def _measure(self, forces: np.ndarray | None) -> tuple[Measurement, ...]:
        """Return the present sensor readings, forces in axes of the bases.

        Args:
            forces: by sample and arm, world axes, (samples, arms, 3) [N]; none: zero.
        """
        if forces is None:
            forces = np.zeros((self._samples, len(self._drivers), 3))
        return tuple(
            Measurement(self.time_ns, *each.measured(arm.placed.in_base(forces[:, number])))
            for number, (each, arm) in enumerate(zip(self._drivers, self.plant.arms, strict=True))
        )
