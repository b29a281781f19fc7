# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impact limits that come down to one row: a bound on the approach speed."""

from __future__ import annotations

from math import inf

import numpy as np

from impact_qp.limits.contact import SpeedBound
from impact_qp.limits.impact import ImpactLimit
from impact_qp.limits.limit import NO_EFFECT
from impact_robots.state import PointState, RobotState

VELOCITY_MARGIN = 0.02  # an arm follows velocities within 1 %, and then 1 %
STEEPEST = 2.0  # fall of a bound; what is faster is a jump, as after a pause [m/s^2]


class ApproachSpeedLimit(ImpactLimit):
    """Base of the limits that bound the approach speed and nothing else."""

    names = ("impact: ",)

    def present_bound(self, point: PointState) -> SpeedBound:
        """Return the bound that this cycle is to keep; :meth:`speed_bound` unless overridden."""
        return self.speed_bound(point)

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
        before, last_name = self.bound
        self.bound = self.present_bound(point)
        speed, name = self.bound
        if speed == inf:
            return inf
        if name != last_name:
            self.names = (f"impact: {name}",)
        return speed + self._fall(speed - before)

    def _fall(self, change: float) -> float:
        """Return by how much the bound will have fallen when the preview is over, at most 0 [m/s].

        As it fell since the last cycle, by which its ``change`` is. Without that the speed lags a
        falling bound by the preview.
        """
        fallen = change / self.period if self.period else 0.0
        return self.preview * fallen if -STEEPEST < fallen < 0.0 else 0.0  # NaN: none
