# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The published impact limit of several contacts: one admissible impulse each."""

from __future__ import annotations

import numpy as np

from impact_qp.limits import SpeedBound
from impact_qp.limits.impact_limits.contact import NO_BOUND
from impact_qp.limits.limit import NO_EFFECT
from impact_qp.whole_body.arrival import ArrivalsLimit, arriving_impulses
from impact_qp.whole_body.impact_rows import CentroidalBounds, ImpactRowMaker
from impact_robots import Robot, RobotState


class ExistentialArrivalsLimit(ArrivalsLimit):
    r"""At least one admissible impulse of each arrival respects the rows, as published.

    Adds weights :math:`\lambda_a \ge 0` of the directions of each arrival,
    :math:`\iota_a = K_a\lambda_a`, and the rows (35) of Wang 2023 for each, with summed effects.
    An arrival slower than ``gate`` [m/s] adds no impulse. Other admissible impulses may exceed
    the rows several times: for reproduction.
    """

    bounded = True
    variable_weight = 1e-4

    def __init__(
        self,
        robot: Robot,
        max_arrivals: int = 2,
        *,
        margin: float = 0.0,
        preview: float = 0.02,
        gate: float = 0.01,
        generators: int = 8,
        circumscribed: bool = True,
        centroidal: CentroidalBounds | None = None,
    ) -> None:
        """Set up.

        Args:
            robot: that arrives.
            max_arrivals: largest number at a time.
            margin: fraction of every bound kept in reserve.
            preview: T_p [s].
            gate: approach speed below which there is no impulse [m/s].
            generators: number of facets of the friction pyramids.
            circumscribed: the pyramids contain the cones.
            centroidal: bounds on the whole robot's motion after the impact.
        """
        super().__init__(robot, preview=preview, margin=margin)
        self.gate, self._generators, self._circumscribed = gate, generators, circumscribed
        self.variables = max_arrivals * generators
        self._maker = ImpactRowMaker(robot, centroidal)
        slabs = [f"impact {i + 1} restitution {end}" for i in range(max_arrivals) for end in "ul"]
        self.names = (*slabs, *(f"impact: {name}" for name in self._maker.names))
        self._near = 0  # arrivals that bring impulses, as of the last ``fill``

    def fill(self, state: RobotState, G: np.ndarray, E: np.ndarray, h: np.ndarray) -> None:
        """Write the rows on (qddot, lambda)."""
        G[:], E[:], h[:], self.used, self._near, self.bound = 0.0, 0.0, NO_EFFECT, 0, 0, NO_BOUND
        if not self.arrivals:
            return
        points = [state.at(each.frame) for each in self.arrivals]
        gradients, offsets = self.approach(points, [each.contact for each in self.arrivals])
        near = np.flatnonzero(offsets > self.gate)
        self._near, first = len(near), 2 * len(near)
        if not self._near:
            return
        self.bound = SpeedBound(np.nan, "")
        impulses = arriving_impulses(
            self.robot,
            state,
            [self.arrivals[a] for a in near],
            lowest_friction=True,
            generators=self._generators,
            circumscribed=self._circumscribed,
        )
        rows = self._maker.rows(state, impulses)
        self.used = first + len(rows.limits)
        h[first : self.used] = (1.0 - self.margin) * rows.limits
        for i, (a, each, D) in enumerate(zip(near, impulses, rows.D, strict=True)):
            low, high = (1.0 + bound for bound in each.arrival.contact.restitution)
            slabs, own = slice(2 * i, 2 * i + 2), self._own(i)
            G[slabs] = np.outer([-high, low], gradients[a])
            E[slabs, own] = np.outer([1.0, -1.0], each.per_force)
            h[slabs] = high * offsets[a], -low * offsets[a]
            E[first : self.used, own] = D @ each.K

    def narrow(self, state: RobotState, ddq: np.ndarray, y: np.ndarray) -> None:
        """Bound the weights of impulses from below, and set those without arrival to zero."""
        y[0] = 0.0
        y[1, self._near * self._generators :] = 0.0

    def _own(self, arrival: int) -> slice:
        return slice(arrival * self._generators, (arrival + 1) * self._generators)
