# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The highest safe speed over a surface, and the configuration that allows it at each point.

The bound depends on the configuration much more than on the point, so points exchange
configurations: those of a few anchors and of neighbours are moved to a point and improved there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from impact_qp.limits import ImpactLimit
from impact_qp.planning import Fastest, HitConfiguration, safe_speed
from impact_qp.reach import Reach
from impact_qp.surface_grid import SurfaceGrid
from impact_robots import ArmDynamics, Robot

_ANCHORS = 3  # per side
_FIRST_STEP, _LAST_STEP = 0.15, 1e-3  # sizes of a step uphill [rad]
_GROW, _SHRINK = 1.6, 0.85


@dataclass(frozen=True)
class Effort:
    """Effort of the search."""

    drawn: int = 200  # configurations, at each anchor
    refined: int = 3  # of these, improved, and borrowed by neighbouring points
    borrowed: int = 6  # configurations of anchors that a point tries
    steps: int = 60  # of the ascents from a point's best two and from a better neighbour's


QUICK = Effort()
SHORT = Effort(steps=12)  # where a bound takes milliseconds: joint_load, existential


class MapSearch:
    """Searches the fastest configurations of one arm at points of a surface.

    Results depend on the seed only, not on the number of processes: each row has its own stream.

    Attributes:
        reach: moves the arm to a point, and defines the allowed configurations.
    """

    def __init__(
        self,
        robot: Robot,
        limit: ImpactLimit,
        grid: SurfaceGrid,
        *,
        axis: np.ndarray,
        tilt: float = 0.5,
        seed: int = 0,
        effort: Effort = QUICK,
    ) -> None:
        """Set up.

        Args:
            robot: the arm.
            limit: of the impact; its contact has the surface's normal.
            grid: where it may be hit.
            axis: direction of the tool that points into the surface, in axes of the contact frame,
                shape (3,), of length 1.
            tilt: largest angle from that direction, >= 0 [rad].
            seed: of the random numbers.
            effort: of the search.
        """
        self._robot, self._final, self._limit = robot, limit, limit.ranking
        self._dynamics, self._rest = ArmDynamics(robot, compiled=True), np.zeros(robot.dof)
        limits = robot.limits
        middle = np.clip(0.0, limits.position_lower, limits.position_upper)
        self.reach = Reach(
            robot, limit.frame, facing=-axis, normal=grid.normal, tilt=tilt, around=middle
        )
        self._points, self._seed, self._effort = grid.points(), seed, effort

    @property
    def anchors(self) -> list[tuple[int, int]]:
        """Rows and columns of the points where configurations are drawn."""
        rows, columns = (
            sorted({round(k) for k in np.linspace(0, count - 1, _ANCHORS)})
            for count in self._points.shape[:2]
        )
        return [(row, column) for row in rows for column in columns]

    def at_anchor(self, row: int, column: int) -> list[np.ndarray]:
        """Return the best configurations drawn and improved there, fastest first; may be empty."""
        point, random = self._points[row, column], self._random(0, row, column)
        reach, effort = self.reach, self._effort
        drawn = random.uniform(reach.low, reach.high, size=(effort.drawn, self._robot.dof))
        found, improved = self._fastest(point, drawn, effort.refined), Fastest(effort.refined)
        for hit in found:
            improved.add(self._uphill(point, hit, 5 * effort.steps, random))
        return [hit.q for hit in improved.hits]

    def row(self, row: int, known: Sequence[np.ndarray]) -> list[HitConfiguration | None]:
        """Return the hit found at each point of a row; None if unreachable.

        Args:
            row: number of the row.
            known: configurations of the anchors.
        """
        points, random = self._points[row], self._random(1, row)
        places = np.array([self.reach.place(q).translation for q in known]).reshape(-1, 3)
        hits = [self._first(point, known, places, random) for point in points]
        return self._exchanged(points, hits, random)

    def column(
        self, column: int, hits: Sequence[HitConfiguration | None]
    ) -> list[HitConfiguration | None]:
        """Return the best hits in a column, after exchange between its points.

        Args:
            column: number of the column.
            hits: results of :meth:`row` in it, lowest first.
        """
        found = self._exchanged(self._points[:, column], list(hits), self._random(2, column))
        if self._final is self._limit:
            return found
        return [hit and safe_speed(self._robot, self._final, hit.q) for hit in found]

    def _exchanged(
        self,
        points: np.ndarray,
        hits: list[HitConfiguration | None],
        random: np.random.Generator,
    ) -> list[HitConfiguration | None]:
        """Exchange configurations along a line of points, forwards and backwards."""
        for k in range(1, len(hits)):
            hits[k] = self._borrow(points[k], hits[k], hits[k - 1], random)
        for k in range(len(hits) - 2, -1, -1):
            hits[k] = self._borrow(points[k], hits[k], hits[k + 1], random)
        return hits

    def _first(
        self,
        point: np.ndarray,
        known: Sequence[np.ndarray],
        places: np.ndarray,
        random: np.random.Generator,
    ) -> HitConfiguration | None:
        """Return the best of the nearest known configurations, improved."""
        near = np.argsort(np.linalg.norm(places - point, axis=1), kind="stable")
        found = self._fastest(point, [known[k] for k in near[: self._effort.borrowed]], 2)
        best = Fastest(1)
        for hit in found:
            best.add(self._uphill(point, hit, self._effort.steps, random))
        return next(iter(best.hits), None)

    def _borrow(
        self,
        point: np.ndarray,
        hit: HitConfiguration | None,
        neighbour: HitConfiguration | None,
        random: np.random.Generator,
    ) -> HitConfiguration | None:
        """Return the better of a point's configuration and its neighbour's, moved there."""
        above = -1.0 if hit is None else hit.bound.speed
        moved = None if neighbour is None else self._bring(point, neighbour.q, above)
        return hit if moved is None else self._uphill(point, moved, self._effort.steps, random)

    def _uphill(
        self, point: np.ndarray, hit: HitConfiguration, steps: int, random: np.random.Generator
    ) -> HitConfiguration:
        """Ascend in random directions."""
        size = _FIRST_STEP
        for _ in range(steps):
            if size < _LAST_STEP:
                break
            step = size * random.normal(size=self._robot.dof)
            reached = self.reach.to(point, self.reach.around(hit.q, step))
            candidate = self._rated(reached, hit.bound.speed)
            if candidate is not None:
                hit, size = candidate, size * _GROW
            else:
                size *= _SHRINK
        return hit

    def _fastest(
        self, point: np.ndarray, tried: Iterable[np.ndarray], count: int
    ) -> list[HitConfiguration]:
        """Return the fastest of some configurations after moving them to a point."""
        found = Fastest(count)
        for q in tried:
            found.add(self._bring(point, q, found.least))
        return found.hits

    def _bring(self, point: np.ndarray, q: np.ndarray, above: float) -> HitConfiguration | None:
        return self._rated(self.reach.bring(point, q), above)

    def _rated(self, q: np.ndarray | None, above: float) -> HitConfiguration | None:
        """Return a configuration that allows more than a speed [m/s], else None."""
        if q is None:
            return None
        state = self._dynamics.state(q, self._rest).at(self._limit.frame)
        bound = self._limit.bound_above(state, above)
        return bound and HitConfiguration(q, bound)

    def _random(self, *place: int) -> np.random.Generator:
        return np.random.default_rng([self._seed, *place])
