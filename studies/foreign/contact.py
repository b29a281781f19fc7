# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A wall that yields plastically, and friction: exact, or by bristles that bend before they slide.

Bristles: Canudas de Wit, Olsson, Astrom, Lischinsky, IEEE TAC 1995 (LuGre); at the contact with the
normal force as factor (Canudas de Wit, Tsiotras 1999), without a falling part. They are stepped
implicitly, their forces explicitly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_robots import Surface

_ROUNDS = 50  # of the search for a direction of sliding
_SETTLED = 1e-10  # change that ends the search
_BENT = 1e-3  # deflection of a joint's bristles when they slide [rad]
_STRIBECK = 0.02  # joint speed at which the breakaway torque is gone [rad/s]
_SETTLING = 5e-4  # damping over stiffness of bristles [s]
_SLIDES = 0.9  # of the largest deflection, from which bristles slide


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


@dataclass(frozen=True)
class JointRub:
    """Friction in the motors of n joints, arrays of shape (n,)."""

    coulomb: np.ndarray  # [N.m]
    breakaway: np.ndarray  # at rest [N.m]
    viscous: np.ndarray  # [N.m.s/rad]

    def __call__(self, bent: np.ndarray, dq: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray]:
        """Return bristles after ``h`` [s], shape (n,) [rad], and the torque against the motion.

        Args:
            bent: bristles before, shape (n,) [rad].
            dq: joint velocities, shape (n,) [rad/s].
            h: time that goes by [s].
        """
        falling = (self.breakaway - self.coulomb) * np.exp(-((dq / _STRIBECK) ** 2))
        most = (self.coulomb + falling) / self.coulomb * _BENT
        after = (bent + h * dq) / (1.0 + h * np.abs(dq) / most)
        stiffness = self.coulomb / _BENT
        torque = stiffness * (after + _SETTLING * (after - bent) / h) + self.viscous * dq
        return after, torque


@dataclass(frozen=True)
class Bristles:
    """Between the contact point and a wall."""

    most: float  # deflection when they slide [m]

    def __call__(
        self, bent: np.ndarray, slip: np.ndarray, normal: float, friction: float, h: float
    ) -> tuple[np.ndarray, np.ndarray, bool]:
        """Return bristles after ``h`` [s], (2,) [m], the impulse on the arm, and if it slides.

        Args:
            bent: bristles before, shape (2,) [m].
            slip: velocity of the contact point in contact axes, shape (2,) [m/s].
            normal: impulse of this step [N.s].
            friction: coefficient [-].
            h: time that goes by [s].
        """
        after = (bent + h * slip) / (1.0 + h * np.hypot(*slip) / self.most)
        push = after / self.most + _SETTLING * (after - bent) / (h * self.most)
        size = max(1.0, float(np.hypot(*push)))
        slides = bool(np.hypot(*after) > _SLIDES * self.most)
        return after, -friction * normal * push / size, slides
