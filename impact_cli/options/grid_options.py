# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Options of points on a surface, and of the search at them: shared by `map` and `compare`."""

from __future__ import annotations

import argparse

import numpy as np

from impact_cli.options.cluster_option import add_cluster_option
from impact_cli.options.impact_options import sized
from impact_cli.options.number_options import count as whole_count
from impact_cli.options.number_options import numbers, seed
from impact_qp.exceptions import ControlError
from impact_qp.surface_grid import SurfaceGrid
from impact_robots.exceptions import UsageError

_MOST_POINTS = 1_000_000
_SIZE = "width and height [m] (default: 0.4,0.4)"
_GRID = "points along width and height (default: {0},{0})"
_AXIS = (
    "direction of the tool that points into the surface, axes of the frame that hits"
    " (default: 0,0,1)"
)


def add_grid_options(parser: argparse.ArgumentParser, *, count: int) -> None:
    """Add the options of :func:`read_grid` and :func:`read_axis`; ``count``: default per side."""
    add, side = parser.add_argument, float(count)
    add("--size", type=numbers, default=(0.4, 0.4), metavar="W,H", help=_SIZE)
    add("--grid", type=numbers, default=(side, side), metavar="N,M", help=_GRID.format(count))
    add("--axis", type=numbers, default=(0.0, 0.0, 1.0), metavar="X,Y,Z", help=_AXIS)


def add_search_options(parser: argparse.ArgumentParser) -> None:
    """Add seed and processes of the search."""
    add = parser.add_argument
    add("--seed", type=seed, default=0, metavar="N", help="seed of the search (default: 0)")
    add("--jobs", type=whole_count, metavar="N", help="processes (default: all cores)")
    add_cluster_option(add)


def read_grid(arguments: argparse.Namespace, point: np.ndarray, normal: np.ndarray) -> SurfaceGrid:
    """Return the points.

    Args:
        arguments: of the command line.
        point: middle, base axes, shape (3,) [m].
        normal: outward, base axes, shape (3,), of length 1.

    Raises:
        UsageError: there are no or too many points, or the size is not positive.
    """
    width, height = sized(arguments.size, 2, "--size")
    columns, rows = sized(arguments.grid, 2, "--grid")
    whole = columns == int(columns) and rows == int(rows)
    if not (whole and min(columns, rows) >= 1 and columns * rows <= _MOST_POINTS):
        given = ",".join(f"{value:g}" for value in arguments.grid)
        raise UsageError(
            f"--grid: expected two whole numbers from 1 with at most {_MOST_POINTS} points,"
            f" got {given}"
        )
    try:
        return SurfaceGrid(point, normal, (width, height), (int(columns), int(rows)))
    except ControlError as error:
        raise UsageError(f"--{error}") from None


def read_axis(arguments: argparse.Namespace) -> np.ndarray:
    """Return the direction of the tool as a unit vector, shape (3,).

    Raises:
        UsageError: its length is zero.
    """
    axis = sized(arguments.axis, 3, "--axis")
    length = float(np.linalg.norm(axis))
    if length < 1e-6:
        raise UsageError("--axis: expected a direction, got the zero vector")
    return axis / length
