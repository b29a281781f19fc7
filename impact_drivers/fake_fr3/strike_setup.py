# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Configuration of a fake arm with a tool, in front of what it strikes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_drivers.fake_fr3.fake_arm import FakeArm
from impact_drivers.franka.arm.fr3_model import load_fr3
from impact_predictor.strike.strike_case import StrikeCase
from impact_robots.surface import Surface
from impact_robots.tools.tool import Tool
from impact_sim.arm.hammer_simulation import HammerSimulation, struck_wall


@dataclass(frozen=True)
class StrikeSetup:
    """A fake FR3 with a tool, in lockstep; the same set-up gives the same run."""

    tool: Tool  # as announced
    truth: StrikeCase  # what tool and surface truly are; joints nominal, no errors
    start: tuple[float, ...]  # joint positions, shape (7,) [rad]
    point: tuple[float, ...]  # of the surface, base axes, shape (3,) [m]
    normal: tuple[float, ...]  # outward, unit, shape (3,)
    speed: float  # at which a stop has its restitution [m/s]
    seed: int = 0  # of the sensors' noise
    lockstep: bool = True

    def arm(self, keep: int | None = None) -> FakeArm:
        """Return the arm; ``keep`` as :class:`.FakeArm` has it."""
        case = self.truth
        surface = Surface(np.array(self.point), np.array(self.normal), case.friction)
        wall = struck_wall(surface, case.surface, self.speed)
        simulation = HammerSimulation(load_fr3(), self.tool, case.tool, wall, seed=self.seed)
        return FakeArm(simulation, np.array(self.start), keep=keep)
