# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Computes a map of safe speeds in parallel; the result does not depend on the processes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from impact_cli.maps.person_map import PersonMap
from impact_cli.options.limit_options import limit_of, words_of
from impact_qp.control.plan import Plan
from impact_qp.limits import ImpactLimit, RobustImpactLimit
from impact_qp.planning import HitConfiguration
from impact_qp.speed_map import QUICK, SHORT, MapSearch
from impact_qp.surface_grid import SurfaceGrid
from impact_robots import Robot
from impact_trials.processes import Workers, check_stopped

Row = list[HitConfiguration | None]  # one row of points; None: out of reach


@dataclass(frozen=True)
class MapTask:
    """Settings of a map; sent to the worker processes."""

    robot: Robot
    plan: Plan
    grid: SurfaceGrid
    axis: np.ndarray  # direction of the tool into the surface, axes of its frame, shape (3,)
    tilt: float  # largest angle between tool and surface normal [rad]
    seed: int
    person: PersonMap | None = None  # who is at every point of the surface

    @property
    def words(self) -> str:
        """What limits the speed, as a short text."""
        return words_of(self.plan) if self.person is None else self.person.words

    def search(self) -> MapSearch:
        """Return the search at single points."""
        limit: ImpactLimit
        if self.person is None:
            limit = limit_of(self.plan, self.robot)
        else:
            limit = self.person.ranking(self.robot, self.plan.contact)
        effort = QUICK if isinstance(limit, RobustImpactLimit) else SHORT
        return MapSearch(
            self.robot,
            limit,
            self.grid,
            axis=self.axis,
            tilt=self.tilt,
            seed=self.seed,
            effort=effort,
        )


def map_surface(task: MapTask, jobs: int, progress: Callable[[float], None]) -> list[Row]:
    """Return the best configuration at each point, lowest row first.

    Args:
        task: settings of the map.
        jobs: number of processes, at least 1; 1: only this process.
        progress: called with the fraction done.

    Raises:
        AnalysisError: a process died.
    """
    anchors = task.search().anchors
    columns, rows = task.grid.count
    total, done = len(anchors) + rows + columns, 0
    with Workers(jobs, "map") as workers:

        def results(work: Callable[..., Any], arguments: list[tuple[Any, ...]]) -> list[Any]:
            nonlocal done
            found = []
            for result in workers.in_order(work, [(task, *each) for each in arguments]):
                found.append(result)
                done += 1
                progress(done / total)
            return found

        known = [q for each in results(_anchor, anchors) for q in each]
        found = results(_row, [(row, known) for row in range(rows)])
        lines = results(_column, [(k, [row[k] for row in found]) for k in range(columns)])
    return [list(row) for row in zip(*lines, strict=True)]


def _anchor(task: MapTask, row: int, column: int) -> list[np.ndarray]:
    check_stopped()
    return task.search().at_anchor(row, column)


def _row(task: MapTask, row: int, known: list[np.ndarray]) -> Row:
    check_stopped()
    return task.search().row(row, known)


def _column(task: MapTask, column: int, hits: Row) -> Row:
    check_stopped()
    found, person = task.search().column(column, hits), task.person
    if person is None:
        return found
    rated: Row = []
    for hit in found:
        check_stopped()
        rated.append(hit and person.hit(task.robot, task.grid.normal, hit.q))
    return rated
