# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""Normal contact force laws as functions of penetration and its rate.

``penetration`` is :math:`\delta = -x \ge 0` [m], ``rate`` is :math:`\dot\delta` [m/s], positive
while the robot moves into the surface; the force on the robot along the outward normal is never
negative: contacts push. The laws that remember are in
:mod:`impact_predictor.contact_force.lumped_laws`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from math import exp
from typing import Protocol

from impact_predictor.contact_force.free_contact import rebound
from impact_predictor.exceptions import OutOfRangeError
from impact_predictor.validation import positive
from impact_robots.exceptions import ImpactError


class ContactLaw(Protocol):
    """A normal force law."""

    def force(self, penetration: float, rate: float) -> float:
        """Return the normal force on the robot [N], at least 0."""


@dataclass(frozen=True)
class HuntCrossley:
    r"""Hunt-Crossley law :math:`f = k_c\delta^\eta + d_c\delta^\eta\dot\delta`.

    As published the force is negative, a pull, at rates below :math:`-k_c/d_c`. A free mass never
    separates that fast, but a robot that retracts may. ``force`` is clipped at zero;
    ``unclipped_force`` is the formula as it stands.

    Raises:
        OutOfRangeError: stiffness or exponent not positive, or damping negative.
    """

    stiffness: float  # k_c [N/m^eta]
    damping: float  # d_c [N.s/m^(eta+1)]
    exponent: float = 1.5  # eta; 1.5 for a Hertzian sphere

    def __post_init__(self) -> None:
        """Check the figures."""
        positive(self.stiffness, "stiffness")
        positive(self.exponent, "exponent")
        if not 0.0 <= self.damping < math.inf:
            raise OutOfRangeError("damping", "a finite number, at least 0", self.damping)

    def force(self, penetration: float, rate: float) -> float:
        """Return the normal force on the robot [N]."""
        return max(0.0, self.unclipped_force(penetration, rate))

    def unclipped_force(self, penetration: float, rate: float) -> float:
        """Return the force of the formula [N], a pull where negative."""
        if penetration <= 0.0:
            return 0.0
        return penetration**self.exponent * (self.stiffness + self.damping * rate)

    def elastic_force(self, penetration: float) -> float:
        """Return the force at rest [N]."""
        return self.stiffness * max(penetration, 0.0) ** self.exponent

    def elastic_energy(self, penetration: float) -> float:
        r"""Return :math:`k_c\delta^{\eta+1}/(\eta+1)` [J], the work of the force at rest."""
        power = self.exponent + 1.0
        return self.stiffness * max(penetration, 0.0) ** power / power


@dataclass(frozen=True)
class Viscoelastic(HuntCrossley):
    r"""Nonlinear viscoelastic law :math:`f = k\delta + c\delta\dot\delta` (Wang 2022, eq. 23).

    The Hunt-Crossley law with an exponent of 1: ``stiffness`` is k [N/m], ``damping`` is c
    [N.s/m^2].

    Raises:
        OutOfRangeError: stiffness not positive, or damping negative.
    """

    exponent: float = field(default=1.0, init=False, repr=False)


@dataclass(frozen=True)
class ExtendedHuntCrossley(HuntCrossley):
    r"""Exponentially extended Hunt-Crossley law (Rey Arias 2024, eq. 7).

    :math:`k_c\delta^\eta + d_c\delta^\eta\dot\delta` while compressing,
    :math:`k_c e^{(d_c/k_c)\dot\delta}\delta^\eta` while separating: continuously differentiable at
    zero rate and never adhesive, so there is nothing to clip.

    Raises:
        OutOfRangeError: stiffness or exponent not positive, or damping negative.
    """

    def unclipped_force(self, penetration: float, rate: float) -> float:
        """Return the normal force on the robot [N], never negative."""
        if penetration <= 0.0:
            return 0.0
        elastic = self.stiffness * penetration**self.exponent
        ratio = self.damping / self.stiffness * rate
        return elastic * (1.0 + ratio) if rate >= 0.0 else elastic * exp(ratio)


def hertz_stiffness(
    radius: float, young_1: float, poisson_1: float, young_2: float, poisson_2: float
) -> float:
    r"""Return :math:`k_c = \frac43 E^*\sqrt R` [N/m^1.5] of a sphere on a half-space.

    With :math:`1/E^* = (1-\nu_1^2)/E_1 + (1-\nu_2^2)/E_2` (Hertz). Holds for elastic bodies whose
    contact patch is small against the radius.

    Args:
        radius: of the sphere [m].
        young_1: Young's modulus of the sphere [Pa].
        poisson_1: Poisson's ratio of the sphere, -1 to 0.5.
        young_2: Young's modulus of the half-space [Pa].
        poisson_2: Poisson's ratio of the half-space, -1 to 0.5.

    Raises:
        OutOfRangeError: a figure is outside its range.
    """
    compliance = 0.0
    for name, young, poisson in (("1", young_1, poisson_1), ("2", young_2, poisson_2)):
        if not -1.0 < poisson <= 0.5:
            raise OutOfRangeError(f"poisson_{name}", "a number above -1, at most 0.5", poisson)
        compliance += (1.0 - poisson**2) / positive(young, f"young_{name}")
    return 4.0 / 3.0 / compliance * math.sqrt(positive(radius, "radius"))


def viscoelastic_restitution(law: Viscoelastic, approach_speed: float) -> float:
    r"""Return the exact restitution of a free mass against the viscoelastic law.

    With :math:`s = c|v^-|/k` and Lambert's :math:`W_0`,
    :math:`e = [1 + W_0(-(1+s)e^{-(1+s)})]/s` (specification, section 3; the published
    :math:`1/s` is its limit for large s). Independent of the mass.

    Args:
        law: the contact law.
        approach_speed: :math:`|v_n^-|` [m/s], positive.

    Raises:
        OutOfRangeError: the speed is not positive.
    """
    return rebound(law.damping * positive(approach_speed, "approach_speed") / law.stiffness)


def contact_law(entries: dict) -> ContactLaw:
    """Return the law that a scenario names.

    Only laws of penetration and rate: spring and Maxwell's law remember, which a plant that asks
    for a force at a state cannot serve.

    Args:
        entries: ``{model: visco, k, c}`` or ``{model: hc or ehc, kc, dc, eta}``, SI units.

    Raises:
        ImpactError: unknown model, or a figure that is missing or out of range.
    """
    laws: dict[str, tuple[type[HuntCrossley], tuple[str, ...]]] = {
        "visco": (Viscoelastic, ("k", "c")),
        "hc": (HuntCrossley, ("kc", "dc", "eta")),
        "ehc": (ExtendedHuntCrossley, ("kc", "dc", "eta")),
    }
    name = entries.get("model", "")
    if name not in laws:
        raise ImpactError(f"contact model: expected one of {', '.join(laws)}, got {name!r}")
    law, keys = laws[name]
    missing = [key for key in keys if key not in entries]
    if missing:
        raise ImpactError(f"contact model {name}: {', '.join(missing)} missing")
    return law(*(float(entries[key]) for key in keys))
