# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Output of `map`: table and picture of the highest safe speed over a surface."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from impact_cli.maps.surface_map import MapTask, Row
from impact_cli.reports.predict_report import coefficients
from impact_robots import Surface

_SIZE = (7.0, 5.4)  # of the picture [inch]


def speeds_of(rows: Sequence[Row]) -> np.ndarray:
    """Return the speeds [m/s], nan at points out of reach, shape (rows, columns)."""
    return np.array([[np.nan if hit is None else hit.bound.speed for hit in row] for row in rows])


def map_document(task: MapTask, surface: Surface, rows: Sequence[Row]) -> dict[str, Any]:
    """Return the JSON document; each entry of an array is a row of the surface, lowest first."""
    hits = [[None if hit is None else hit for hit in row] for row in rows]
    return {
        "robot": task.robot.name,
        "impact_limits": task.plan.impact_limits if task.person is None else "person",
        "joint_ranges": task.plan.joint_ranges if _is_load(task) else None,
        "centre_m": task.grid.centre,
        "normal": surface.normal,
        "width_axis": task.grid.axes[0],
        "height_axis": task.grid.axes[1],
        "friction_low": surface.friction[0],
        "friction": surface.friction[1],
        "restitution": surface.restitution,
        "stiffness_npm": surface.stiffness,
        "width_m": task.grid.offsets(0),
        "height_m": task.grid.offsets(1),
        "reached": sum(hit is not None for row in hits for hit in row),
        "speed_bound_mps": [[hit and hit.bound.speed for hit in row] for row in hits],
        "limit": [[hit and (hit.bound.name or None) for hit in row] for row in hits],
        "q_rad": [[hit and hit.q for hit in row] for row in hits],
        **({} if task.person is None else task.person.document(rows)),
    }


def map_text(task: MapTask, surface: Surface, rows: Sequence[Row]) -> str:
    """Return a few lines."""
    speeds = speeds_of(rows)
    x, y, z = task.grid.centre
    lines = [
        f"{task.robot.name}, {speeds.size} points around ({x:.3f}, {y:.3f}, {z:.3f}) m,"
        f" {task.words}",
        *([f"  {coefficients(surface)}"] if task.person is None else []),
    ]
    reached = np.isfinite(speeds) | np.isposinf(speeds)
    if not reached.any():
        return "\n".join([*lines, "  no point is reached with the tool facing the surface"])
    row, column = divmod(int(np.nanargmax(speeds)), speeds.shape[1])
    best, point = rows[row][column], task.grid.points()[row, column]
    assert best is not None  # its speed is a number
    low, middle = np.nanmin(speeds), np.nanmedian(speeds)
    lines += [
        f"  reached: {reached.sum()} of {speeds.size}",
        f"  highest safe speed {low:.4f} to {best.bound.speed:.4f} m/s, median {middle:.4f} m/s",
        f"  fastest at ({point[0]:.3f}, {point[1]:.3f}, {point[2]:.3f}) m, limited by"
        f" {best.bound.name or 'nothing'}",
        f"    --q {','.join(f'{value:.4f}' for value in best.q)}",
        f"  limited by: {_limits(rows)}",
    ]
    if task.person is not None:
        lines += task.person.lines(rows)
    return "\n".join(lines)


def draw_map(task: MapTask, rows: Sequence[Row], path: Path) -> None:
    """Draw the speeds, grey at points out of reach.

    Raises:
        WriteError: the picture cannot be written.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    from impact_analysis.picture import save

    figure, axes = plt.subplots(figsize=_SIZE)
    shown = axes.pcolormesh(
        task.grid.offsets(0), task.grid.offsets(1), speeds_of(rows), shading="nearest"
    )
    axes.set_facecolor("0.8")
    axes.set_aspect("equal")
    axes.set_xlabel(f"along ({_vector(task.grid.axes[0])}) [m]")
    axes.set_ylabel(f"along ({_vector(task.grid.axes[1])}) [m]")
    axes.set_title(
        f"{task.robot.name}: highest safe speed, {task.words}\n"
        f"around ({_vector(task.grid.centre)}) m; grey: not reached",
        fontsize="medium",
    )
    figure.colorbar(shown, label="highest safe speed [m/s]")
    save(figure, path, 150)


def _limits(rows: Sequence[Row]) -> str:
    """Return the number of points at which each limit is active, most frequent first."""
    found = Counter(hit.bound.name or "nothing" for row in rows for hit in row if hit is not None)
    return ", ".join(f"{name} ({count})" for name, count in found.most_common())


def _vector(values: np.ndarray) -> str:
    return ", ".join(f"{value + 0.0:g}" for value in np.round(values, 3))


def _is_load(task: MapTask) -> bool:
    return task.person is None and task.plan.impact_limits == "joint_load"
