# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A compliant wall with a contact law and Coulomb friction, fixed or on a free body."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, tanh

import numpy as np

from impact_predictor.contact_force.laws import ContactLaw
from impact_predictor.joint_load.load import YieldingLaw
from impact_robots.surface import Surface
from impact_sim.exceptions import SimulationError

SLIP_SPEED = 1e-3  # regularisation of Coulomb friction [m/s]


@dataclass(frozen=True)
class CompliantWall:
    """A surface in front of the contact point; its law determines the restitution.

    With a finite mass it is the face of a body that is free to move along the normal, at rest at
    first, as a region of a person's body that is not clamped. The face has no mass of its own.
    """

    surface: Surface
    law: ContactLaw
    mass: float = inf  # of the body behind it; infinite: it is fixed [kg]
    friction: float = field(init=False)  # Coulomb coefficient, of the surface [-]

    def __post_init__(self) -> None:
        """Take the friction from the surface.

        Raises:
            SimulationError: the surface leaves its friction open, or the mass is not positive.
        """
        low, high = self.surface.friction
        if low < high:
            raise SimulationError(f"friction of a wall: expected one number, got {low:g},{high:g}")
        if not self.mass > 0.0:
            raise SimulationError(f"mass of a wall: expected above 0 kg, got {self.mass:g}")
        if self.mass < inf and isinstance(self.law, YieldingLaw):
            raise SimulationError("a wall that yields: expected no mass behind it")
        object.__setattr__(self, "friction", high)

    def growth(self, penetration: float, depth: float) -> float:
        """Return how far it yields to a penetration above 0, after it yielded by a depth [m]."""
        law = self.law
        return law.growth(penetration, depth) if isinstance(law, YieldingLaw) else 0.0

    def force(self, position: np.ndarray, velocity: np.ndarray) -> np.ndarray:
        """Return the force on the robot, base axes, shape (3,) [N].

        Args:
            position: of the contact point in base axes, shape (3,) [m].
            velocity: of the contact point in base axes, shape (3,) [m/s].
        """
        penetration = -self.surface.gap(position)
        return np.zeros(3) if penetration <= 0.0 else self.force_within(penetration, velocity)

    def force_within(
        self, penetration: float, velocity: np.ndarray, back: float = 0.0
    ) -> np.ndarray:
        """Return the force on the robot, base axes, shape (3,) [N].

        Args:
            penetration: of the contact point, above 0 [m].
            velocity: of the contact point in base axes, shape (3,) [m/s].
            back: speed at which the face moves away from the robot [m/s].
        """
        normal, approach = self.surface.normal, self.surface.approach_speed(velocity)
        normal_force = self.law.force(penetration, approach - back)
        slip = velocity + approach * normal
        speed = float(np.sqrt(slip @ slip))
        if speed < 1e-12:
            return normal_force * normal
        share = self.friction * tanh(speed / SLIP_SPEED) / speed
        return normal_force * (normal - share * slip)
