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
from impact_cli.maps.map_report import draw_map, map_document, map_text
from impact_cli.maps.person_map import PersonMap
from impact_cli.maps.surface_map import MapTask, Row, map_surface
from impact_cli.options.grid_options import (
    add_grid_options,
    add_search_options,
    read_axis,
    read_grid,
)
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
from impact_cli.options.number_options import numbers
from impact_cli.plans.person_plan import person_task
from impact_cli.progress import Progress
from impact_robots.exceptions import UsageError
from impact_trials.processes import cores

_EPILOG = """examples:
  impact map --point 0.5,0,0.1 --normal 0,0,1 --size 0.6,0.6 --grid 30,30 --friction 0,0.3 \\
      --restitution 0,0.3 --impact-limits robust --plot map.png
  impact map --point 0.55,0,0.4 --size 0.6,0.4 --grid 12,8 --material wood --json
  impact map --point 0.55,0,0.4 --grid 4,4 --person chest --task near.yaml

Nothing moves. Bounds and margins are those of `plan`. At each point all configurations in which the
tool faces the surface are allowed; the fastest one found is printed (--q of `plan`). The search is
short: `plan --optimize` searches longer, at one point. Width is horizontal along the surface,
height upwards (on a level surface: along x and y of the base).
--person REGION: tool and elbow as of `plan --person`, the slowest of them counts (doc/people.md).
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
    add_grid_options(parser, count=10)
    add_arm_and_surface_options(parser)
    add_limit_options(parser)
    add("--person", metavar="REGION", help="speeds towards a person, as of plan --person")
    add("--task", metavar="FILE", help="of the person: loop and reaction of the arm, see plan")
    add_search_options(parser)
    add("--plot", type=Path, metavar="FILE", help="draw the map")
    add("--json", action="store_true", help="one JSON document on standard output")
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Compute the map and print it; return 1 if no point may be hit."""
    check_limit_options(arguments)
    robot = read_robot(arguments)
    robot.require("map")
    point = sized(arguments.point, 3, "--point")
    surface = read_surface(arguments, point)
    plan = read_plan(arguments, point, surface, robot)
    grid, tilt = read_grid(arguments, point, surface.normal), float(np.radians(arguments.tilt))
    person = _person(arguments)
    task = MapTask(robot, plan, grid, read_axis(arguments), tilt, arguments.seed, person)
    rows = _searched(task, arguments.jobs or cores())
    for hit in [hit for row in rows for hit in row if hit and person is None][:1]:
        warn_of_exact_friction(plan, robot, hit.q)
    if arguments.json:
        print(json_text(map_document(task, surface, rows)))
    else:
        print(map_text(task, surface, rows))
    if arguments.plot is not None:  # after the output: a failed write loses only the picture
        draw_map(task, rows, arguments.plot)
    return 0 if any(hit and hit.bound.speed > 0.0 for row in rows for hit in row) else 1


def _person(arguments: argparse.Namespace) -> PersonMap | None:
    """Return who is at the surface, none without ``--person``.

    Raises:
        UsageError: a task without a person.
        ImpactError: the task or the region is wrong.
    """
    if arguments.person is None:
        if arguments.task is not None:
            raise UsageError(f"--task: expected --person beside it, got {arguments.task} alone")
        return None
    task = person_task(arguments)
    return PersonMap(task, task.contact(arguments.person), arguments.interface)


def _searched(task: MapTask, jobs: int) -> list[Row]:
    progress = Progress("map")
    rows = map_surface(task, jobs, progress.update)
    progress.close("done")
    return rows
