# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impact limits of several contacts as rows of a program."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from impact_predictor.sets.feasible_sets import friction_pyramid
from impact_qp.limits import Contact, SpeedBound
from impact_qp.limits.impact_limits.contact import NO_BOUND
from impact_qp.limits.limit import NO_EFFECT
from impact_qp.whole_body.arrival import Arrival, ArrivalsLimit
from impact_qp.whole_body.impact_rows import CentroidalBounds, ImpactRowMaker
from impact_robots import PointState, Robot, RobotState
from impact_robots.compiling.direct_call import direct

_UNKNOWN = SpeedBound(0.0, "joint loads not known")
_pyramid = lru_cache(maxsize=64)(friction_pyramid)  # of the same contacts in each cycle
_NORMAL = np.array([[0.0], [0.0], [1.0]])
SHARED_ROWS = 16  # on several arrivals together


class WorstCaseArrivalsLimit(ArrivalsLimit):
    r"""Every impulse of all arrivals, none included, respects the rows (see ``speed_bounds``).

    With c_ia the load of arrival a on row i at 1 m/s, its ``coupling`` included,
    :math:`\sum_a c_{ia}\max(0, s_a) \le d_i` on the previewed approach speeds: for each set of
    arrivals the rows that smaller sets do not imply. One arrival has one row, a bound on its speed;
    two have one each and one on their common loads, as of the chest. All rows are in m/s.

    By joint loads torques have no rows: each arrival's ``load`` bounds the speeds instead, and one
    whose loads are not known may not approach.
    """

    def __init__(
        self,
        robot: Robot,
        max_arrivals: int = 2,
        *,
        along_normal: bool = False,
        by_load: bool = False,
        margin: float = 0.025,
        preview: float = 0.02,
        generators: int = 8,
        centroidal: CentroidalBounds | None = None,
    ) -> None:
        """Set up.

        Args:
            robot: that arrives.
            max_arrivals: largest number at a time.
            along_normal: the nominal reading: impulses along the normals, at the highest
                restitution; else the robust one.
            by_load: joint loads instead of torques by impulses.
            margin: fraction of every bound kept in reserve: a second arrival, after the first
                impact has passed through the robot, was up to 3 % faster than the rows allow.
            preview: T_p [s].
            generators: number of facets of the friction pyramids, which contain the cones.
            centroidal: bounds on the whole robot's motion after the impact.
        """
        from impact_qp.compiled import arrival_rows  # loads slowly

        super().__init__(robot, preview=preview, margin=margin)
        self._binding_rows = direct(arrival_rows.binding_rows)
        self._common_speed = direct(arrival_rows.common_speed)
        self._unit_impulses = direct(arrival_rows.unit_impulses)
        self._maker = ImpactRowMaker(robot, centroidal, torques=not by_load)
        self._along_normal, self._generators, self._by_load = along_normal, generators, by_load
        self.names = tuple(f"impact {i + 1}" for i in range(max_arrivals + SHARED_ROWS))

    def fill(self, state: RobotState, G: np.ndarray, E: np.ndarray, h: np.ndarray) -> None:
        """Write the rows."""
        G[:], h[:], self.used, self.bound = 0.0, NO_EFFECT, 0, NO_BOUND
        if not self.arrivals:
            return
        contacts = [each.contact for each in self.arrivals]
        points = [state.at(each.frame) for each in self.arrivals]
        unit = np.concatenate(
            [self._unit(state, *each) for each in zip(self.arrivals, points, strict=True)]
        )
        limits = (1.0 - self.margin) * self._maker.limits(state)
        names = self._maker.names
        if np.isfinite(unit).all():
            loads = self._maker.loads(state, points, contacts, unit)
        else:  # friction so high that impulses are unbounded: no approach
            loads, limits = np.eye(len(points)), np.zeros(len(points))
        if self._by_load:
            known = [each.load or _UNKNOWN for each in self.arrivals]
            highest = [(1.0 - self.margin) * each.speed for each in known]
            names = names[: len(limits)] + tuple(each.name for each in known)
            loads = np.vstack([loads, np.eye(len(known))])
            limits = np.append(limits, highest)
        speed, row = self._common_speed(loads, limits)
        self.bound = SpeedBound(speed, names[row] if row >= 0 else "")
        gradients, offsets = self.approach(points, contacts)
        binding = self._binding_rows(loads, limits)
        if len(binding) > len(self.names):  # these imply all of them
            binding = self._common_rows(binding)
        self.used, c = len(binding), binding[:, :-1]
        G[: self.used], h[: self.used] = c @ gradients, binding[:, -1] - c @ offsets

    def _unit(self, state: RobotState, arrival: Arrival, point: PointState) -> np.ndarray:
        """Return the largest impulses at 1 m/s, contact axes, shape (3, N)."""
        contact, frame = arrival.contact, arrival.frame
        mass, com, inertia = state.body(frame, self.robot.composite_of(frame))
        body = point.position - com, inertia, mass
        found: np.ndarray = self._unit_impulses(
            *body, contact.rotation, contact.normal, self._K(contact), contact.restitution[1]
        )
        return arrival.coupling * found

    def _K(self, contact: Contact) -> np.ndarray:
        """Return the directions of the impulses, shape (3, N)."""
        if self._along_normal:
            return _NORMAL
        return _pyramid(contact.friction[1], self._generators, circumscribed=True)

    def _common_rows(self, binding: np.ndarray) -> np.ndarray:
        """Return one row for each arrival: the smaller of its own and the common speed."""
        alone = binding[: len(self.arrivals)].copy()
        alone[:, -1] = np.minimum(alone[:, -1], self.bound.speed)
        return alone
