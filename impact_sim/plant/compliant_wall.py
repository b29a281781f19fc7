# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A compliant wall with a contact law and Coulomb friction."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import tanh

import numpy as np

from impact_predictor.contact_force.laws import ContactLaw
from impact_robots.surface import Surface
from impact_sim.exceptions import SimulationError

SLIP_SPEED = 1e-3  # regularisation of Coulomb friction [m/s]


@dataclass(frozen=True)
class CompliantWall:
    """A surface in front of the contact point; its law determines the restitution."""

    surface: Surface
    law: ContactLaw
    friction: float = field(init=False)  # Coulomb coefficient, of the surface [-]

    def __post_init__(self) -> None:
        """Take the friction from the surface.

        Raises:
            SimulationError: the surface leaves its friction open.
        """
        low, high = self.surface.friction
        if low < high:
            raise SimulationError(f"friction of a wall: expected one number, got {low:g},{high:g}")
        object.__setattr__(self, "friction", high)

    def force(self, position: np.ndarray, velocity: np.ndarray) -> np.ndarray:
        """Return the force on the robot, base axes, shape (3,) [N].

        Args:
            position: of the contact point in base axes, shape (3,) [m].
            velocity: of the contact point in base axes, shape (3,) [m/s].
        """
        penetration = -self.surface.gap(position)
        return np.zeros(3) if penetration <= 0.0 else self.force_within(penetration, velocity)

    def force_within(self, penetration: float, velocity: np.ndarray) -> np.ndarray:
        """Return the force on the robot, base axes, shape (3,) [N].

        Args:
            penetration: of the contact point, above 0 [m].
            velocity: of the contact point in base axes, shape (3,) [m/s].
        """
        normal, approach = self.surface.normal, self.surface.approach_speed(velocity)
        normal_force = self.law.force(penetration, approach)
        slip = velocity + approach * normal
        speed = float(np.sqrt(slip @ slip))
        if speed < 1e-12:
            return normal_force * normal
        share = self.friction * tanh(speed / SLIP_SPEED) / speed
        return normal_force * (normal - share * slip)
