# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One choice of tool, surface and joints within their ranges."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impact_predictor.contact_force.laws import Viscoelastic
from impact_predictor.joint_load.load import RigidLaw, YieldingLaw
from impact_predictor.joint_load.load_case import normal_law
from impact_predictor.strike.striker import Misalignment
from impact_robots.tools.tool import ToolCase

HARDENING = 0.02  # depth in which a nail's resistance grows by what it was at first [m]


class StopCase(NamedTuple):
    """A wall, or a nail that does not move."""

    stiffness: float  # infinite: rigid [N/m]
    restitution: float  # [-]

    def law(self, speed: float) -> Viscoelastic | RigidLaw:
        """Return the law with this restitution at an approach speed [m/s]."""
        return normal_law(self.stiffness, self.restitution, speed)


class NailCase(NamedTuple):
    """A nail that yields."""

    stiffness: float  # of the contact [N/m]
    resistance: float  # to being driven, at the surface [N]
    depth: float = 0.0  # to which it has been driven [m]

    def law(self, speed: float = 0.0) -> YieldingLaw:
        """Return the law, the same at any speed."""
        growth = self.resistance / HARDENING
        return YieldingLaw(self.stiffness, self.resistance + growth * self.depth, growth)


class StrikeCase(NamedTuple):
    """A strike inside the ranges."""

    tool: ToolCase
    surface: StopCase | NailCase
    off: Misalignment = Misalignment()
    friction: float = 0.0  # Coulomb's coefficient [-]
    scale: np.ndarray | None = None  # of stiffness, damping, inertia of the joints, shape (3, n)


class CriticalStrike(NamedTuple):
    """A case, and the first speed at which it uses all of a limit."""

    case: StrikeCase
    speed: float  # of the head along the axis, infinite: no limit is reached [m/s]
    limit: int  # index of the limit
