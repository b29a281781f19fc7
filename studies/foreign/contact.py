# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A wall that yields plastically, with friction that sticks or slides exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_robots import Surface

_ROUNDS = 50  # of the search for a direction of sliding
_SETTLED = 1e-10  # change of it that ends the search


@dataclass(frozen=True)
class PlasticWall:
    """Walton and Braun (1986): linear loading, stiffer unloading from a dent that stays.

    A free mass leaves with the restitution sqrt(stiffness / unloading stiffness) at any speed.
    """

    surface: Surface  # with one coefficient each; restitution of a free mass, above 0
    stiffness: float  # of loading [N/m]

    @property
    def friction(self) -> float:
        """Coulomb's coefficient [-]."""
        return self.surface.middle[0]

    @property
    def restitution(self) -> float:
        """Of a free mass [-]."""
        return self.surface.middle[1]

    def force(self, depth: float, deepest: float) -> float:
        """Return the normal force [N] at a penetration [m] after the deepest one so far [m]."""
        dent = (1.0 - self.restitution**2) * deepest
        unloading = self.stiffness / self.restitution**2 * (depth - dent)
        return max(0.0, min(self.stiffness * depth, unloading))


def friction_impulse(
    G: np.ndarray, velocity: np.ndarray, normal_impulse: float, friction: float
) -> tuple[np.ndarray, bool]:
    """Return the tangential impulse (2,) [N.s] of one step, and whether the contact slides.

    Coulomb's law in velocities at the end of the step: none is left, or the impulse is at the
    cone's edge against what is left (Moreau 1988).

    Args:
        G: from impulse to velocity of the contact point in contact axes, shape (3, 3) [1/kg].
        velocity: at the end of the step without any impulse, shape (3,) [m/s].
        normal_impulse: of this step [N.s].
        friction: Coulomb's coefficient [-].
    """
    free = velocity[:2] + G[:2, 2] * normal_impulse
    sticking = -np.linalg.solve(G[:2, :2], free)
    limit = friction * normal_impulse
    if np.hypot(*sticking) <= limit:
        return sticking, False
    direction = free / np.hypot(*free)
    for _ in range(_ROUNDS):
        left = free - limit * G[:2, :2] @ direction
        turned = left / np.hypot(*left)
        done = np.abs(turned - direction).max() < _SETTLED
        direction = turned
        if done:
            break
    return -limit * direction, True
