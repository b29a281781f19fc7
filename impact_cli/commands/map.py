# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `map`: the highest safe speed at many points of a surface."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from impact_analysis.present.plain import json_text
from impact_cli.command_names import COMMANDS
from impact_cli.options.impact_options import (
    add_arm_and_surface_options,
    read_robot,
    read_surface,
    sized,
)
from impact_cli.options.limit_options import (
    add_limit_options,
    check_limit_options,
    read_plan,
    warn_of_exact_friction,
)
from impact_cli.options.number_options import count, numbers, seed
from impact_cli.plans.map_report import draw_map, map_document, map_text
from impact_cli.plans.surface_map import MapTask, Row, map_surface
from impact_cli.progress import Progress
from impact_qp.exceptions import ControlError
from impact_qp.surface_grid import SurfaceGrid
from impact_robots.exceptions import UsageError
from impact_trials.processes import cores

_MOST_POINTS = 1_000_000
_EPILOG = """examples:
  impact map --point 0.5,0,0.1 --normal 0,0,1 --size 0.6,0.6 --grid 30,30 --friction 0,0.3 \\
      --restitution 0,0.3 --impact-limits robust --plot map.png
  impact map --point 0.55,0,0.4 --size 0.6,0.4 --grid 12,8 --material wood --json

Nothing moves. Bounds and margins are those of `plan`. At each point all configurations in which the
tool faces the surface are allowed; the fastest one found is printed (--q of `plan`). The search is
short: `plan --optimize` searches longer, at one point. Width is horizontal along the surface,
height upwards (on a level surface: along x and y of the base).
Exit status: 0 done, 1 no point may be hit, 2 wrong usage.
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the command's parser to what ``ArgumentParser.add_subparsers`` returned."""
    parser = subparsers.add_parser(
        "map",
        help=COMMANDS["map"],
        description="Compute the highest safe approach speed at points of a plane surface, and "
        "the configuration that allows it.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--point", type=numbers, required=True, metavar="X,Y,Z", help="middle, base axes [m]")
    add("--size", type=numbers, default=(0.4, 0.4), metavar="W,H", help=_SIZE)
    add("--grid", type=numbers, default=(10.0, 10.0), metavar="N,M", help=_GRID)
    add("--axis", type=numbers, default=(0.0, 0.0, 1.0), metavar="X,Y,Z", help=_AXIS)
    add_arm_and_surface_options(parser)
    add_limit_options(parser)
    add("--seed", type=seed, default=0, metavar="N", help="seed of the search (default: 0)")
    add("--jobs", type=count, default=None, metavar="N", help="processes (default: all cores)")
    add("--plot", type=Path, metavar="FILE", help="draw the map")
    add("--json", action="store_true", help="one JSON document on standard output")
    parser.set_defaults(run=run)
    return parser


_SIZE = "width and height [m] (default: 0.4,0.4)"
_GRID = "points along width and height (default: 10,10)"
_AXIS = (
    "direction of the tool that points into the surface, axes of the frame that hits"
    " (default: 0,0,1)"
)


def run(arguments: argparse.Namespace) -> int:
    """Compute the map and print it; return 1 if no point may be hit."""
    check_limit_options(arguments)
    robot = read_robot(arguments)
    robot.require("map")
    point = sized(arguments.point, 3, "--point")
    surface = read_surface(arguments, point)
    plan = read_plan(arguments, point, surface, robot)
    grid, tilt = _grid(arguments, point, surface.normal), float(np.radians(arguments.tilt))
    task = MapTask(robot, plan, grid, _axis(arguments), tilt, arguments.seed)
    rows = _searched(task, arguments.jobs or cores())
    for hit in [hit for row in rows for hit in row if hit][:1]:
        warn_of_exact_friction(plan, robot, hit.q)
    if arguments.json:
        print(json_text(map_document(task, surface, rows)))
    else:
        print(map_text(task, surface, rows))
    if arguments.plot is not None:  # after the output: a failed write loses only the picture
        draw_map(task, rows, arguments.plot)
    return 0 if any(hit and hit.bound.speed > 0.0 for row in rows for hit in row) else 1


def _searched(task: MapTask, jobs: int) -> list[Row]:
    progress = Progress("map")
    rows = map_surface(task, jobs, progress.update)
    progress.close("done")
    return rows


def _grid(arguments: argparse.Namespace, point: np.ndarray, normal: np.ndarray) -> SurfaceGrid:
    """Return the points.

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


def _axis(arguments: argparse.Namespace) -> np.ndarray:
    """Return the direction of the tool as a unit vector.

    Raises:
        UsageError: its length is zero.
    """
    axis = sized(arguments.axis, 3, "--axis")
    length = float(np.linalg.norm(axis))
    if length < 1e-6:
        raise UsageError("--axis: expected a direction, got the zero vector")
    return axis / length
