# SPDX-License-Identifier: Apache-2.0
r"""Normal contact force laws as functions of penetration and its rate.

``penetration`` is :math:`\delta = -x \ge 0` [m], ``rate`` is :math:`\dot\delta` [m/s], positive
while the robot moves into the surface; the force on the robot along the outward normal is never
negative: contacts push.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import Protocol

import numpy as np
from scipy.special import lambertw

from impact_robots.exceptions import ImpactError


class ContactLaw(Protocol):
    """A normal force law."""

    def force(self, penetration: float, rate: float) -> float:
        """Return the normal force on the robot [N], at least 0."""


@dataclass(frozen=True)
class Viscoelastic:
    r"""Nonlinear viscoelastic law :math:`f = k\delta + c\delta\dot\delta` (Wang 2022, eq. 23)."""

    stiffness: float  # k [N/m]
    damping: float  # c [N.s/m^2]

    def force(self, penetration: float, rate: float) -> float:
        """Return the normal force on the robot [N]."""
        if penetration <= 0.0:
            return 0.0
        return max(0.0, penetration * (self.stiffness + self.damping * rate))


@dataclass(frozen=True)
class ExtendedHuntCrossley:
    r"""Exponentially extended Hunt-Crossley law (Rey Arias 2024, eq. 7).

    :math:`k_c\delta^\eta + d_c\delta^\eta\dot\delta` while compressing,
    :math:`k_c e^{(d_c/k_c)\dot\delta}\delta^\eta` while separating: continuously differentiable at
    zero rate and never adhesive.
    """

    stiffness: float  # k_c [N/m^eta]
    damping: float  # d_c [N.s/m^(eta+1)]
    exponent: float = 1.5  # eta; 1.5 for a Hertzian sphere

    def force(self, penetration: float, rate: float) -> float:
        """Return the normal force on the robot [N]."""
        if penetration <= 0.0:
            return 0.0
        elastic = self.stiffness * penetration**self.exponent
        ratio = self.damping / self.stiffness * rate
        return elastic * (1.0 + ratio) if rate >= 0.0 else elastic * exp(ratio)


def viscoelastic_restitution(law: Viscoelastic, approach_speed: float) -> float:
    r"""Return the exact restitution of a free mass against the viscoelastic law.

    With :math:`s = c|v^-|/k` and Lambert's :math:`W_0`,
    :math:`e = [1 + W_0(-(1+s)e^{-(1+s)})]/s` (specification, section 3; the published
    :math:`1/s` is its limit for large s). Independent of the mass.

    Args:
        law: the contact law.
        approach_speed: |v_n^-| [m/s], positive.

    Raises:
        ImpactError: the speed is not positive.
    """
    if not approach_speed > 0.0:
        raise ImpactError(f"approach_speed: expected positive [m/s], got {approach_speed}")
    s = law.damping * approach_speed / law.stiffness
    if s < 1e-6:
        return 1.0 - 2.0 * s / 3.0
    return float((1.0 + np.real(lambertw(-(1.0 + s) * np.exp(-(1.0 + s))))) / s)


def contact_law(entries: dict) -> ContactLaw:
    """Return the law that a scenario names.

    Args:
        entries: ``{model: visco, k, c}`` or ``{model: ehc, kc, dc, eta}``, SI units.

    Raises:
        ImpactError: unknown model or missing figure.
    """
    laws = {"visco": (Viscoelastic, ("k", "c")), "ehc": (ExtendedHuntCrossley, ("kc", "dc", "eta"))}
    name = entries.get("model")
    if name not in laws:
        raise ImpactError(f"contact model: expected one of {', '.join(laws)}, got {name!r}")
    law, keys = laws[name]
    missing = [key for key in keys if key not in entries]
    if missing:
        raise ImpactError(f"contact model {name}: {', '.join(missing)} missing")
    return law(*(float(entries[key]) for key in keys))
