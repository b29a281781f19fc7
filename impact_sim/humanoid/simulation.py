# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A humanoid as its controller sees it, cycle by cycle."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from impact_sim.exceptions import SimulationError
from impact_sim.humanoid.plant import STEP, HumanoidPlant
from impact_sim.humanoid.senses import HumanoidMeasurement, HumanoidNoise, HumanoidSenses

PERIOD = 0.005  # of HRP-4's control (Wang et al. 2023, 6.2.1) [s]


class HumanoidSimulation:
    """Plant, servos and sensors in lockstep.

    Servos follow positions along a line from the last command to the next one, one cycle long.
    """

    def __init__(
        self,
        plant: HumanoidPlant,
        *,
        noise: HumanoidNoise,
        delay: int = 1,
        seed: int | Sequence[int] = 0,
        period: float = PERIOD,
        watch: Callable[[HumanoidPlant], None] | None = None,
    ) -> None:
        """Prepare; call ``reset`` before the first ``step``.

        Args:
            plant: the robot and what is about it.
            noise: of the sensors.
            delay: of the sensors, in cycles.
            seed: of the noise.
            period: of a cycle, a multiple of the plant's step [s].
            watch: looks at the plant after each step of it.

        Raises:
            SimulationError: no such period or delay.
        """
        self.plant, self._steps = plant, round(period / STEP)
        if self._steps < 1 or abs(self._steps * STEP - period) > 1e-9:
            raise SimulationError(f"period: expected a multiple of {STEP:g} s, got {period:g}")
        if delay < 0:
            raise SimulationError(f"delay: expected a number of cycles from 0, got {delay}")
        model = plant.layout.robot.model
        self._senses = lambda: HumanoidSenses(model, noise, delay, seed)
        self._sensed, self._watch = self._senses(), watch
        self._command = np.zeros(plant.layout.robot.dof)

    def reset(self, q: np.ndarray) -> HumanoidMeasurement:
        """Put the robot at ``q``, shape (7 + n,), at rest, and measure.

        Raises:
            SimulationError: not that many finite numbers; nothing has moved.
        """
        self.plant.reset(q)
        self._sensed, self._command = self._senses(), np.array(q[7:], dtype=float)
        return self._measure()

    def step(self, positions: np.ndarray) -> HumanoidMeasurement:
        """Let the servos follow positions, shape (n,) [rad], for a cycle.

        Raises:
            SimulationError: not n finite numbers; nothing has moved.
        """
        wanted = self._checked(positions, "positions")
        slope = (wanted - self._command) / (self._steps * STEP)
        for k in range(1, self._steps + 1):
            share = k / self._steps
            self.plant.command(self._command + share * (wanted - self._command), slope)
            self._advance()
        self._command = wanted
        return self._measure()

    def step_torque(self, torque: np.ndarray) -> HumanoidMeasurement:
        """Let the motors give torques, shape (n,) [N.m], for a cycle.

        Raises:
            SimulationError: not n finite numbers; nothing has moved.
        """
        self.plant.command_torque(self._checked(torque, "torque"))
        for _ in range(self._steps):
            self._advance()
        self._command = self.plant.q[7:]
        return self._measure()

    def _advance(self) -> None:
        self.plant.advance()
        if self._watch is not None:
            self._watch(self.plant)

    def _checked(self, numbers: np.ndarray, what: str) -> np.ndarray:
        """Return finite numbers, one a joint.

        Raises:
            SimulationError: they are others.
        """
        array, n = np.array(numbers, dtype=float), self.plant.layout.robot.dof
        if array.shape != (n,) or not np.isfinite(array).all():
            raise SimulationError(f"{what}: expected {n} finite numbers, got shape {array.shape}")
        return array

    def _measure(self) -> HumanoidMeasurement:
        plant = self.plant
        true = HumanoidMeasurement(plant.time, plant.q, plant.v, plant.palm_forces)
        return self._sensed(true)
