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
from typing import ClassVar, Protocol

import numpy as np

from impact_predictor.contact_force.contact_law import (
    CONTACT_LAWS,
    ContactModel,
    ForceCurve,
    FreeBodyImpact,
    RateLaw,
    peak_force,
)
from impact_predictor.contact_force.free_contact import free_contact, rebound
from impact_robots.exceptions import ImpactError, OutOfRangeError
from impact_robots.validation import positive


class ContactLaw(Protocol):
    """A normal force law."""

    def force(self, penetration: float, rate: float) -> float:
        """Return the normal force on the robot [N], at least 0."""


@dataclass(frozen=True)
class HuntCrossley(RateLaw):
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
    extended: ClassVar[bool] = False  # exponential in the rate while separating

    def __post_init__(self) -> None:
        """Check the figures."""
        positive(self.stiffness, "stiffness")
        positive(self.exponent, "exponent")
        if not 0.0 <= self.damping < math.inf:
            raise OutOfRangeError("damping", "a finite number, at least 0", self.damping)

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

    def sign_of_force(self, penetration: float, rate: float) -> float:
        """Return the unclipped force at a depth of 1 m: its sign is the same at every depth."""
        return self.unclipped_force(1.0, rate)

    def free_restitution(self, approach_speed: float, mass: float | None = None) -> float:
        """Return the exact restitution of a free body, of any mass [-]."""
        return rebound(self.damping * approach_speed / self.stiffness, self.extended)

    def curve(self, time: np.ndarray, impact: FreeBodyImpact) -> ForceCurve:
        """Return the force at ``time`` since contact, shape (n,) [s]; zero outside the contact."""
        s = self.damping * impact.approach_speed / self.stiffness
        motion = free_contact(s, self.exponent, self.extended)
        energy = impact.mass * impact.approach_speed**2
        length = (energy / self.stiffness) ** (1.0 / (self.exponent + 1.0))
        duration, unit = length / impact.approach_speed, energy / length
        return ForceCurve(
            unit * motion.force(time / duration),
            duration * motion.compression_end,
            duration * float(motion.time[-1]),
        )

    @classmethod
    def guess(
        cls, model: ContactModel, exponent: float, back: float, peak: float, impact: FreeBodyImpact
    ) -> np.ndarray:
        """Return the figures that give a rebound and a peak, shape (2,)."""
        from scipy.optimize import brentq  # as all of its module, a tenth of a second

        def excess(log_s: float) -> float:
            return rebound(math.exp(log_s), cls.extended) - back

        ratio = math.exp(brentq(excess, math.log(1e-3), math.log(1e4))) / impact.approach_speed
        unit = model.make(np.array([1.0, ratio]), exponent)
        power = exponent if model.takes_exponent else 1.0
        stiffness = (peak / peak_force(unit, impact)) ** (power + 1.0)
        return np.array([stiffness, ratio * stiffness])


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

    extended: ClassVar[bool] = True

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
    :math:`e = [1 + W_0(-(1+s)e^{-(1+s)})]/s` (doc/theory.md; the published
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
        entries: ``model`` and that law's ``keys`` in :data:`CONTACT_LAWS`, such as
            ``{model: visco, k, c}``, SI units.

    Raises:
        ImpactError: unknown model, or a figure that is missing or out of range.
    """
    models = {name: model for name, model in CONTACT_LAWS.items() if model.keys}
    name = entries.get("model", "")
    if name not in models:
        raise ImpactError(f"contact model: expected one of {', '.join(models)}, got {name!r}")
    model = models[name]
    missing = [key for key in model.keys if key not in entries]
    if missing:
        raise ImpactError(f"contact model {name}: {', '.join(missing)} missing")
    law = model.law(*(float(entries[key]) for key in model.keys))
    if not isinstance(law, RateLaw):
        raise ImpactError(f"contact model {name}: expected a force of penetration and rate")
    return law


_POWER_UNITS = {"stiffness": "N/m^eta", "damping": "N.s/m^(eta+1)"}
_POWER_BOUNDS = {"stiffness": (1e4, 1e12), "damping": (1e4, 1e14)}
CONTACT_LAWS.register(
    ContactModel(
        "visco",
        Viscoelastic,
        {"stiffness": "N/m", "damping": "N.s/m^2"},
        keys=("k", "c"),
        bounds={"stiffness": (1e4, 1e6), "damping": (1e5, 1e8)},
        ratio_unit="m/s",
    )
)
for _name, _law in (("hc", HuntCrossley), ("ehc", ExtendedHuntCrossley)):
    CONTACT_LAWS.register(
        ContactModel(
            _name,
            _law,
            _POWER_UNITS,
            keys=("kc", "dc", "eta"),
            bounds=_POWER_BOUNDS,
            takes_exponent=True,
            ratio_unit="m/s",
        )
    )
