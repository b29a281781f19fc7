# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A map of safe speeds: points per minute, and the difference from a long search at one point."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from impact_cli.maps.surface_map import MapTask, map_surface
from impact_qp.control.plan import Plan
from impact_qp.limits import Contact
from impact_qp.planning import Search
from impact_qp.surface_grid import SurfaceGrid
from impact_robots import load_robot
from impact_trials.processes import cores

POINT, NORMAL = np.array([0.5, 0.0, 0.1]), np.array([0.0, 0.0, 1.0])
TOOL = np.array([0.0, 0.0, 1.0])
TILT = np.radians(30.0)
SIZE = (0.6, 0.6)
GRIDS = {"robust": (50, 50), "joint_load": (12, 12)}
COMPARED = 20  # points


def measure(quick: bool = False) -> dict[str, float]:
    """Return points a minute on all cores, and shares of the speed that a long search finds."""
    robot, figures = load_robot("panda"), {}
    for limits, count in GRIDS.items():
        count = (6, 6) if quick else count
        plan = Plan(Contact(POINT, NORMAL, 0.3, (0.0, 0.3)), limits)
        task = MapTask(robot, plan, SurfaceGrid(POINT, NORMAL, SIZE, count), TOOL, TILT, 0)
        start = perf_counter()
        rows = map_surface(task, cores(), lambda share: None)
        figures[f"{limits} points per minute"] = np.prod(count) / (perf_counter() - start) * 60.0
        if limits == "robust":
            shares = _shares(task, [hit for row in rows for hit in row if hit is not None])
            figures["robust share of a long search, median"] = float(np.median(shares))
            figures["robust share of a long search, lowest"] = float(np.min(shares))
    return figures


def _shares(task: MapTask, hits: list) -> np.ndarray:
    """Return the speeds of some points over what :class:`Search` finds for them."""
    chosen = np.random.default_rng(0).choice(len(hits), min(COMPARED, len(hits)), replace=False)
    limit = task.plan.impact_limit(task.robot, period=0.0)
    reach = task.search().reach  # away from the normal, not from where the map's search ended
    shares = []
    for k in chosen:
        search = Search(task.robot, limit, hits[k].q, reach=reach)
        shares.append(hits[k].bound.speed / search.best().bound.speed)
    return np.array(shares)
