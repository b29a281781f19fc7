# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""A linear spring and damper in place of a contact law, for simulators without other laws.

A mass on a spring and a damper that can only push leaves when the force has vanished. With
:math:`\omega_0 = \sqrt{k/m}` and :math:`\zeta = c/(2 m\omega_0)` its restitution is that of
Schwager and Poeschel (2007), and its compression ends after
:math:`\arccos(\zeta)/(\omega_0\sqrt{1-\zeta^2})`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import acos, acosh, atan2, exp, inf, log, sqrt

import numpy as np

from impact_predictor.contact_force.contact_law import FreeBodyImpact, FreeBodyLaw
from impact_robots.exceptions import OutOfRangeError
from impact_robots.validation import positive

LARGEST_RATIO = 5.0  # zeta, whose restitution is .01: less makes no difference but is stiff


@dataclass(frozen=True)
class LinearContact:
    """Spring and damper between a point and a surface; they only push."""

    stiffness: float  # k [N/m]
    damping: float  # c [N.s/m]


def linear_contact(law: FreeBodyLaw, mass: float, approach_speed: float) -> LinearContact:
    """Return the linear contact of the same restitution and compression time as a law's.

    Args:
        law: of the normal force.
        mass: effective mass along the normal [kg], positive.
        approach_speed: at which they agree [m/s], positive.

    Raises:
        OutOfRangeError: mass or speed is not positive, or the law's compression does not end.
    """
    impact = FreeBodyImpact(positive(mass, "mass"), positive(approach_speed, "approach_speed"))
    end = law.curve(np.zeros(1), impact).compression_end
    if not end < inf:
        raise OutOfRangeError("law", "one whose compression ends", type(law).__name__)
    ratio = damping_ratio(law.free_restitution(approach_speed, mass))
    frequency = _compression_phase(ratio) / end
    return LinearContact(mass * frequency**2, 2.0 * ratio * mass * frequency)


def damping_ratio(restitution: float) -> float:
    """Return zeta of a restitution [-], at most ``LARGEST_RATIO``."""
    from scipy.optimize import brentq  # loads slowly

    if restitution >= 1.0:
        return 0.0
    if restitution <= linear_restitution(LARGEST_RATIO):
        return LARGEST_RATIO
    return float(brentq(lambda ratio: linear_restitution(ratio) - restitution, 0.0, LARGEST_RATIO))


def linear_restitution(ratio: float) -> float:
    """Return the restitution of a damping ratio zeta >= 0 [-] (Schwager, Poeschel 2007)."""
    if abs(ratio - 1.0) < 1e-9:
        return exp(-2.0)
    if ratio < 1.0:
        w = sqrt(1.0 - ratio**2)
        return exp(-ratio / w * atan2(2.0 * ratio * w, 2.0 * ratio**2 - 1.0))
    w = sqrt(ratio**2 - 1.0)
    return exp(-ratio / w * log((ratio + w) / (ratio - w)))


def _compression_phase(ratio: float) -> float:
    """Return omega_0 times the compression time [rad]."""
    if abs(ratio - 1.0) < 1e-9:
        return 1.0
    if ratio < 1.0:
        return acos(ratio) / sqrt(1.0 - ratio**2)
    return acosh(ratio) / sqrt(ratio**2 - 1.0)
