# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What impacts say of the surface that was hit, as ranges, and as options of `plan`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import TYPE_CHECKING

import numpy as np

from impact_analysis.analyze.comparing.identify import Coefficients, Identified
from impact_robots import Surface
from impact_robots.surface import ANY_STIFFNESS

if TYPE_CHECKING:  # loads slowly
    from impact_predictor.identification.surface_identification import SurfaceFigures

Range = tuple[float, float]
ANY = (0.0, 1.0)  # friction or restitution of which nothing is known [-]


@dataclass(frozen=True)
class IdentifiedSurface:
    """Ranges of the surface's coefficients; None: these impacts do not tell."""

    friction: Range | None  # [-]
    restitution: Range | None  # [-]
    stiffness: Range | None  # of the contact [N/m]

    @property
    def options(self) -> str:
        """Options of `plan` for what is known, rounded outwards."""
        named = {
            "stiffness": self.stiffness and _outwards(self.stiffness),
            "friction": self.friction and _hundredths(self.friction),
            "restitution": self.restitution and _hundredths(self.restitution),
        }
        return " ".join(f"--{name} {text}" for name, text in named.items() if text)

    def surface(self, normal: np.ndarray) -> Surface:
        """Return the surface, with what is not known open.

        Args:
            normal: of it, base axes, shape (3,).
        """
        restitution = self.restitution or ANY
        return Surface(
            None, normal, self.friction or ANY, restitution, self.stiffness or ANY_STIFFNESS
        )


def identified_surface(
    found: Coefficients, contacts: Sequence[SurfaceFigures]
) -> IdentifiedSurface:
    """Return what the impacts of an analysis say of their surface.

    The restitution of all joints' velocities is that of arm and surface together, as joints that
    give way throw the arm back, too; the surface's own lies below it.

    Args:
        found: friction and restitution of the inertia that explains the velocities best.
        contacts: what the force of each impact that was felt says.
    """
    friction, restitution = _range(found.friction, np.inf), _range(found.restitution, 1.0)
    own = [each.restitution for each in contacts]
    if restitution is not None and not found.restitution.assumed:
        restitution = _hull([(0.0, restitution[1])] if not own else [restitution, *own])
    stiffness = _hull([each.stiffness for each in contacts]) if contacts else None
    return IdentifiedSurface(friction, restitution, stiffness)


def _hull(ranges: Sequence[Range]) -> Range:
    low, high = zip(*ranges, strict=True)
    return min(low), max(high)


def _range(found: Identified, most: float) -> Range | None:
    """Return the interval of a coefficient that was identified, none where it was not."""
    known = np.isfinite([found.low, found.high]).all() and (found.assumed or found.is_known)
    if not known:
        return None
    return max(0.0, found.low), min(most, found.high)


def _outwards(bounds: Range) -> str:
    """Return a range in two digits, rounded outwards."""
    low, high = bounds
    unit_low, unit_high = (10.0 ** (floor(log10(value)) - 1) for value in bounds)
    return f"{floor(low / unit_low) * unit_low:.2g},{ceil(high / unit_high) * unit_high:.2g}"


def _hundredths(bounds: Range) -> str:
    low, high = bounds
    return f"{floor(100.0 * low) / 100.0:.2f},{ceil(100.0 * high) / 100.0:.2f}"
