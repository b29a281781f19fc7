# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A humanoid with servos and sensors, cycle by cycle."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from impact_robots.task.palm_task import PERIOD
from impact_sim.exceptions import SimulationError
from impact_sim.humanoid.plant import STEP, HumanoidPlant
from impact_sim.humanoid.senses import HumanoidMeasurement, HumanoidNoise, HumanoidSenses

DELAY = 0.002  # of sensors, assumed [s]


class HumanoidSimulation:
    """Plant, servos and sensors in lockstep.

    Servos follow positions along a line from the last command to the next one, one cycle long.
    """

    def __init__(
        self,
        plant: HumanoidPlant,
        *,
        noise: HumanoidNoise,
        delay: float = DELAY,
        seed: int | Sequence[int] = 0,
        period: float = PERIOD,
        watch: Callable[[HumanoidPlant], None] | None = None,
    ) -> None:
        """Prepare; call ``reset`` before the first ``step``.

        Args:
            plant: the robot and its surroundings.
            noise: of the sensors.
            delay: of the sensors, a multiple of the plant's step [s].
            seed: of the noise.
            period: of a cycle, a multiple of the plant's step [s].
            watch: called with the plant after each of its steps.

        Raises:
            SimulationError: no such period or delay.
        """
        self.plant, self._steps = plant, _steps(period, "period", 1)
        late, self._ahead = divmod(_steps(delay, "delay", 0), self._steps)
        model = plant.layout.robot.model
        self._senses = lambda: HumanoidSenses(model, noise, late, seed)
        self._sensed, self._watch = self._senses(), watch
        self._command = np.zeros(plant.layout.robot.dof)

    def reset(self, q: np.ndarray) -> HumanoidMeasurement:
        """Put the robot at ``q``, shape (7 + n,), at rest, and measure.

        Raises:
            SimulationError: not that many finite numbers; nothing has moved.
        """
        self.plant.reset(q)
        self._sensed, self._command = self._senses(), np.array(q[7:], dtype=float)
        self._now = self._sensed(self._true())
        return self._measure()

    def step(self, positions: np.ndarray) -> HumanoidMeasurement:
        """Command positions to the servos, shape (n,) [rad], for a cycle.

        Raises:
            SimulationError: not n finite numbers; nothing has moved.
        """
        wanted = self._checked(positions, "positions")
        slope = (wanted - self._command) / (self._steps * STEP)
        for k in range(1, self._steps + 1):
            share = k / self._steps
            self.plant.command(self._command + share * (wanted - self._command), slope)
            self._advance(k)
        self._command = wanted
        return self._measure()

    def step_torque(self, torque: np.ndarray) -> HumanoidMeasurement:
        """Command motor torques, shape (n,) [N.m], for a cycle.

        Raises:
            SimulationError: not n finite numbers; nothing has moved.
        """
        self.plant.command_torque(self._checked(torque, "torque"))
        for k in range(1, self._steps + 1):
            self._advance(k)
        self._command = self.plant.q[7:]
        return self._measure()

    def _advance(self, step: int) -> None:
        """Integrate a step of the cycle, counted from 1, and sense if due."""
        self.plant.advance()
        if step == self._steps - self._ahead:
            self._now = self._sensed(self._true())
        if self._watch is not None:
            self._watch(self.plant)

    def _checked(self, numbers: np.ndarray, what: str) -> np.ndarray:
        """Return finite numbers, one a joint.

        Raises:
            SimulationError: wrong count, or not finite.
        """
        array, n = np.array(numbers, dtype=float), self.plant.layout.robot.dof
        if array.shape != (n,) or not np.isfinite(array).all():
            raise SimulationError(f"{what}: expected {n} finite numbers, got shape {array.shape}")
        return array

    def _true(self) -> HumanoidMeasurement:
        plant = self.plant
        return HumanoidMeasurement(plant.time, plant.q, plant.v, plant.palm_forces)

    def _measure(self) -> HumanoidMeasurement:
        """Return the present readings."""
        return self._now._replace(time=self.plant.time)


def _steps(duration: float, what: str, least: int) -> int:
    """Return how many steps of the plant a duration [s] is.

    Raises:
        SimulationError: not a multiple, or too few.
    """
    steps = round(duration / STEP) if np.isfinite(duration) else -1
    if steps < least or abs(steps * STEP - duration) > 1e-9:
        few = f" from {least * STEP:g}"
        raise SimulationError(f"{what}: expected a multiple of {STEP:g} s{few}, got {duration:g}")
    return steps
