# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impact limits that consist of one row: a bound on the approach speed."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

from impact_qp.limits.impact_limits.contact import SpeedBound
from impact_qp.limits.impact_limits.impact_limit import ImpactLimit
from impact_qp.limits.limit import NO_EFFECT
from impact_robots.state.state import PointState, RobotState

if TYPE_CHECKING:
    from impact_robots.state.packed_state import PackedState

VELOCITY_MARGIN = 0.02  # an arm follows velocities within 1 %, and then 1 %


class ApproachSpeedLimit(ImpactLimit):
    """Base of the limits that bound the approach speed and nothing else."""

    names = ("impact: ",)
    everywhere = False  # bounds the speed of the contact point in every direction, too

    def towards(self, point: PointState, direction: np.ndarray) -> float:
        """Return the bound in a unit direction, (3,) [m/s]; infinite: there is none everywhere."""
        return inf

    def present_bound(self, point: PointState) -> SpeedBound:
        """Return the bound of this cycle; :meth:`speed_bound` unless overridden."""
        return self.speed_bound(point)

    def packed_bound(self, state: PackedState) -> SpeedBound:
        """Return the same of a packed state, which a limit may leave packed until the command."""
        return self.present_bound(state.point)

    def fill(self, state: RobotState, G: np.ndarray, E: np.ndarray, h: np.ndarray) -> None:
        """Write the one row: approach speed at most the bound."""
        point = state.at(self.frame)
        allowed = self.allowed(point)
        if allowed == inf:
            G[0], h[0] = 0.0, NO_EFFECT
            return
        gradient, offset = self.approach(point)
        np.negative(gradient, out=G[0])
        h[0] = allowed + offset

    def allowed(self, point: PointState) -> float:
        """Take the bound of this cycle; return the speed at the end of the preview [m/s]."""
        before = self.bound.speed
        self.take(self.present_bound(point))
        change = self.bound.speed - before
        return self.bound.speed + float(self._fall(change, self.period, self.preview))

    def take(self, bound: SpeedBound) -> None:
        """Take the bound of this cycle."""
        if bound.name != self.bound.name and bound.speed != inf:
            self.names = (f"impact: {bound.name}",)
        self.bound = bound
