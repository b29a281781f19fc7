# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Interface of contact force laws, and their registry.

A law is of one of two kinds: a force of penetration and rate (``RateLaw``), or one that remembers
what happened since contact and gives a free body's motion in closed form (``LumpedLaw``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from impact_predictor.contact_force.integration import free_profile
from impact_predictor.exceptions import UnknownNameError
from impact_robots.exceptions import OutOfRangeError
from impact_robots.registry import Registry
from impact_robots.validation import positive

_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(16)


class FreeBodyImpact(NamedTuple):
    """A free body that hits a surface."""

    mass: float  # [kg]
    approach_speed: float  # [m/s]


class ForceCurve(NamedTuple):
    """The force of a law on a free body, after contact."""

    force: np.ndarray  # at the given times, shape (n,) [N]
    compression_end: float  # [s], infinite if it never ends
    contact_end: float  # [s], infinite if it never ends


class ContactMotion(NamedTuple):
    """A free body in contact at given instants; each of shape (n,)."""

    penetration: np.ndarray  # [m]
    rate: np.ndarray  # [m/s]
    force: np.ndarray  # on the robot, out of the surface [N]
    impulse: np.ndarray  # since contact [N.s]
    potential: np.ndarray  # [J]
    dissipated: np.ndarray  # [J]


class FreeBodyLaw(ABC):
    """Methods of both kinds of law for a free body."""

    @abstractmethod
    def free_restitution(self, approach_speed: float, mass: float | None) -> float:
        """Return the restitution of a free body [-].

        Args:
            approach_speed: |v_n^-| [m/s], positive.
            mass: [kg]; None: unknown.

        Raises:
            OutOfRangeError: it depends on the mass, and that is unknown.
        """

    @abstractmethod
    def curve(self, time: np.ndarray, impact: FreeBodyImpact) -> ForceCurve:
        """Return the force at ``time`` since contact, shape (n,) [s]; zero outside the contact."""

    @classmethod
    def guess(
        cls, model: ContactModel, exponent: float, back: float, peak: float, impact: FreeBodyImpact
    ) -> np.ndarray:
        """Return figures (p,) from which an identification starts: the middle of their bounds.

        Args:
            model: whose ``make`` gives the law.
            exponent: of a model that takes one [-].
            back: speed of separation over speed of approach, 0.02 to 0.98 [-].
            peak: force [N].
            impact: the body.
        """
        return np.array([np.sqrt(low * high) for low, high in model.bounds.values()])


class RateLaw(FreeBodyLaw):
    """A force of penetration and rate; integrated where there is no closed form."""

    @abstractmethod
    def unclipped_force(self, penetration: float, rate: float) -> float:
        """Return the force of the formula [N], a pull where negative.

        Args:
            penetration: into the surface, without contact at most 0 [m].
            rate: of the penetration [m/s].
        """

    def force(self, penetration: float, rate: float) -> float:
        """Return the normal force on the robot [N]: contacts push."""
        return max(0.0, self.unclipped_force(penetration, rate))

    def elastic_force(self, penetration: float) -> float:
        """Return the force at rest [N]."""
        return self.force(penetration, 0.0)

    def elastic_energy(self, penetration: float) -> float:
        """Return the work of the force at rest [J], by Gauss's quadrature."""
        depth = max(penetration, 0.0)
        pairs = zip(_POINTS.tolist(), _WEIGHTS.tolist(), strict=True)
        return depth / 2 * sum(w * self.elastic_force(depth / 2 * (1 + x)) for x, w in pairs)

    def sign_of_force(self, penetration: float, rate: float) -> float:
        """Return a number with the sign of the unclipped force in contact, at depth 0 too."""
        return self.unclipped_force(penetration, rate)

    def free_restitution(self, approach_speed: float, mass: float | None) -> float:
        """Return the restitution of a free body, integrated [-]; 0 where it stays for a second."""
        if mass is None:
            raise OutOfRangeError("mass", "a finite number above 0 with this law", mass)
        return free_profile(self, positive(mass, "mass"), approach_speed).restitution or 0.0

    def curve(self, time: np.ndarray, impact: FreeBodyImpact) -> ForceCurve:
        """Return the force at ``time`` since contact, integrated, shape (n,) [s]."""
        profile = free_profile(self, *impact)
        force = np.interp(time, profile.time, profile.force, left=0.0, right=0.0)
        never = float("inf")
        return ForceCurve(force, profile.compression_end or never, profile.contact_end or never)


class LumpedLaw(FreeBodyLaw):
    """A law with memory, with the motion of a free body in closed form."""

    @abstractmethod
    def end_times(self, mass: float, approach_speed: float) -> tuple[float, float]:
        """Return the ends of compression and of contact [s], infinite if never."""

    @abstractmethod
    def motion(self, time: np.ndarray, mass: float, approach_speed: float) -> ContactMotion:
        """Return the motion at ``time`` since contact [s], shape (n,), up to the end of contact."""

    def curve(self, time: np.ndarray, impact: FreeBodyImpact) -> ForceCurve:
        """Return the force at ``time`` since contact, shape (n,) [s]; zero outside the contact."""
        compression, contact = self.end_times(*impact)
        touching = (time >= 0.0) & (time <= contact)
        force = self.motion(np.where(touching, time, 0.0), *impact).force
        return ForceCurve(np.where(touching, force, 0.0), compression, contact)


@dataclass(frozen=True)
class ContactModel:
    """A contact law by name, with free figures."""

    name: str
    law: type[FreeBodyLaw]  # made of the figures, in the order of ``units``
    units: Mapping[str, str]  # of the figures
    keys: tuple[str, ...] = ()  # of the law's arguments in a scenario; none: it has no force there
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # of identification
    takes_exponent: bool = False  # an exponent follows the figures
    ratio_unit: str = ""  # of stiffness over damping; empty: there is no such ratio

    def make(self, values: np.ndarray, exponent: float) -> FreeBodyLaw:
        """Return the law with ``values`` (p,) of its figures."""
        figures = [float(value) for value in values]
        return self.law(*figures, *([exponent] if self.takes_exponent else []))


CONTACT_LAWS: Registry[ContactModel] = Registry("contact model", UnknownNameError)


def peak_force(law: FreeBodyLaw, impact: FreeBodyImpact) -> float:
    """Return the largest force on a free body [N], of 200 instants."""
    end = law.curve(np.zeros(1), impact).contact_end
    return float(law.curve(np.linspace(0.0, end, 200), impact).force.max())
