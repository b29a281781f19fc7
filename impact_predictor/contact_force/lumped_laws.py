# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Contact laws that remember: the virtual spring and Maxwell's spring and damper in series.

Their force depends on what happened since contact, so they give a free body's motion in closed form
instead of a force at a state. Own derivations of the laws that Wang 2022 cites (doc/theory.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from impact_predictor.contact_force.contact_law import (
    CONTACT_LAWS,
    ContactModel,
    ContactMotion,
    FreeBodyImpact,
    LumpedLaw,
    peak_force,
)
from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import positive


@dataclass(frozen=True)
class VirtualSpring(LumpedLaw):
    r"""A spring whose stiffness switches from k to :math:`k/e^2` at the largest penetration.

    The energetic restitution: of the energy :math:`E` the fraction :math:`e^2` comes back, in the
    time :math:`e\,t_c`, with the impulse :math:`e\,\iota_c`, and a dent :math:`(1-e^2)\delta_c`
    stays. Above 1 the spring creates energy, which no contact does; identification may return such
    a value, and it says that the law does not fit.

    Raises:
        OutOfRangeError: stiffness not positive, or restitution negative.
    """

    stiffness: float  # k while compressing [N/m]
    restitution: float  # e [-]

    def __post_init__(self) -> None:
        """Check the figures."""
        positive(self.stiffness, "stiffness")
        if not 0.0 <= self.restitution < math.inf:
            raise OutOfRangeError("restitution", "a finite number, at least 0", self.restitution)

    def end_times(self, mass: float, approach_speed: float) -> tuple[float, float]:
        """Return the ends of compression and of contact [s], at any speed."""
        compression = math.pi / 2.0 * math.sqrt(mass / self.stiffness)
        return compression, (1.0 + self.restitution) * compression

    def motion(self, time: np.ndarray, mass: float, approach_speed: float) -> ContactMotion:
        """Return the motion at ``time`` since contact [s], shape (n,), up to the end of contact."""
        w, e = math.sqrt(self.stiffness / mass), self.restitution
        compressing = time <= math.pi / 2.0 / w
        out = math.pi / 2.0 + (w * time - math.pi / 2.0) / (e if e > 0.0 else 1.0)
        phase = np.where(compressing, w * time, out)
        back = np.where(compressing, 1.0, e)
        depth = np.where(compressing, 0.0, 1.0 - e**2) + back**2 * np.sin(phase)
        rate = approach_speed * back * np.cos(phase)
        force = approach_speed * math.sqrt(self.stiffness * mass) * np.sin(phase)
        if e == 0.0:
            force = np.where(compressing, force, 0.0)
        energy = 0.5 * mass * approach_speed**2
        return ContactMotion(
            approach_speed / w * depth,
            rate,
            force,
            mass * (approach_speed - rate),
            0.5 * (back * force) ** 2 / self.stiffness,
            np.where(compressing, 0.0, (1.0 - e**2) * energy),
        )

    def free_restitution(self, approach_speed: float, mass: float | None = None) -> float:
        """Return the parameter [-]."""
        return self.restitution

    @classmethod
    def guess(
        cls, model: ContactModel, exponent: float, back: float, peak: float, impact: FreeBodyImpact
    ) -> np.ndarray:
        """Return the figures that give a rebound and a peak, shape (2,)."""
        return np.array([(peak / impact.approach_speed) ** 2 / impact.mass, back])


@dataclass(frozen=True)
class Maxwell(LumpedLaw):
    r"""A spring and a damper in series: :math:`\dot\delta = \dot f/k + f/c`.

    The force of a free body is :math:`f = (k|v|/\omega_d)e^{-\zeta\omega_0 t}\sin\omega_d t` with
    :math:`\omega_0 = \sqrt{k/m}`, :math:`\zeta = \sqrt{km}/(2c)`. From :math:`\zeta = 1` on it
    never returns to zero.

    Raises:
        OutOfRangeError: stiffness or damping not positive.
    """

    stiffness: float  # k [N/m]
    damping: float  # c [N.s/m]

    def __post_init__(self) -> None:
        """Check the figures."""
        positive(self.stiffness, "stiffness")
        positive(self.damping, "damping")

    def damping_ratio(self, mass: float) -> float:
        """Return zeta [-] with a body of ``mass`` [kg]."""
        return math.sqrt(self.stiffness * mass) / (2.0 * self.damping)

    def end_times(self, mass: float, approach_speed: float) -> tuple[float, float]:
        """Return the ends of compression and of contact [s], infinite if never."""
        zeta = self.damping_ratio(mass)
        if zeta >= 1.0:
            return math.inf, math.inf
        damped = math.sqrt(self.stiffness / mass * (1.0 - zeta**2))
        return (math.pi - math.acos(zeta)) / damped, math.pi / damped

    def motion(self, time: np.ndarray, mass: float, approach_speed: float) -> ContactMotion:
        """Return the motion at ``time`` since contact [s], shape (n,), up to the end of contact."""
        slow, fast, gap = self._roots(mass)
        scale = self.stiffness * approach_speed / gap
        force = np.real(scale * (np.exp(slow * time) - np.exp(fast * time)))
        impulse = np.real(scale * (np.expm1(slow * time) / slow - np.expm1(fast * time) / fast))
        rate = approach_speed - impulse / mass
        potential = 0.5 * force**2 / self.stiffness
        # the damper's work, int f^2/c dt, is what is left of the energy
        dissipated = 0.5 * mass * (approach_speed**2 - rate**2) - potential
        penetration = force / self.stiffness + impulse / self.damping
        return ContactMotion(penetration, rate, force, impulse, potential, dissipated)

    def free_restitution(self, approach_speed: float, mass: float | None) -> float:
        """Return the restitution of a free body, the same at every speed [-].

        Raises:
            OutOfRangeError: the mass is not positive, or unknown.
        """
        if mass is None:
            raise OutOfRangeError("mass", "a finite number above 0 with Maxwell's law", mass)
        zeta = self.damping_ratio(positive(mass, "mass"))
        return math.exp(-math.pi * zeta / math.sqrt(1.0 - zeta**2)) if zeta < 1.0 else 0.0

    @classmethod
    def guess(
        cls, model: ContactModel, exponent: float, back: float, peak: float, impact: FreeBodyImpact
    ) -> np.ndarray:
        """Return the figures that give a rebound and a peak, shape (2,)."""
        zeta = -math.log(back) / math.hypot(math.pi, math.log(back))
        unit = cls(1.0, math.sqrt(impact.mass) / (2.0 * zeta))
        stiffness = (peak / peak_force(unit, impact)) ** 2
        return np.array([stiffness, math.sqrt(stiffness * impact.mass) / (2.0 * zeta)])

    def _roots(self, mass: float) -> tuple[complex, complex, complex]:
        """Return the two roots of the characteristic equation and their difference [1/s]."""
        w, zeta = math.sqrt(self.stiffness / mass), self.damping_ratio(mass)
        half_gap = complex(zeta**2 - 1.0) ** 0.5
        if abs(half_gap) < 1e-6:  # critically damped: the limit, to 12 digits
            half_gap = complex(1e-6)
        fast = -w * (zeta + half_gap)
        slow = w**2 / fast
        return slow, fast, slow - fast


CONTACT_LAWS.register(
    ContactModel(
        "spring",
        VirtualSpring,
        {"stiffness": "N/m", "restitution": "-"},
        bounds={"stiffness": (1e3, 1e7), "restitution": (1e-2, 1e1)},
    )
)
CONTACT_LAWS.register(
    ContactModel(
        "maxwell",
        Maxwell,
        {"stiffness": "N/m", "damping": "N.s/m"},
        bounds={"stiffness": (1e3, 1e7), "damping": (1e0, 1e6)},
        ratio_unit="1/s",
    )
)
