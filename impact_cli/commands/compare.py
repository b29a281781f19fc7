# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `compare`: arms at the points of a surface that all reach."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from impact_analysis.present.plain import json_text
from impact_cli.command_names import COMMANDS
from impact_cli.maps.compare_report import compare_document, compare_text, draw_comparison
from impact_cli.maps.compared_arms import compare
from impact_cli.maps.surface_map import MapTask
from impact_cli.options.grid_options import (
    add_grid_options,
    add_search_options,
    read_axis,
    read_grid,
)
from impact_cli.options.impact_options import (
    add_surface_options,
    named_robot,
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
from impact_cli.progress import Progress
from impact_robots import Robot
from impact_robots.exceptions import UsageError
from impact_trials.processes import cores

_SURFACES = {  # a point and the normal, base axes
    "wall": ((0.55, 0.0, 0.4), (-1.0, 0.0, 0.0)),
    "table": ((0.45, 0.0, 0.1), (0.0, 0.0, 1.0)),
}
_EPILOG = """examples:
  impact compare panda fr3
  impact compare panda panda_plate --surface table --impact-limits robust --figure arms.png
  impact compare panda --turn 0,45 --tilt 10 --json
  impact compare panda my_arm.yaml --point 0.5,0,0.3 --normal 0,0,1 --size 0.3,0.3 --grid 6,6

Nothing moves. Each arm stands at the origin of its own base axes. Speeds and configurations are
those of `map`, with the margins of `plan`; only points that all arms reach count. The impact at
that speed is that of the impact map M+B_theta of `predict`: effective mass m of links and motors,
impulse (1 + e) m v without friction, and rotation, the angular speed of the body that hits right
after the impact; friction and restitution are in the middle of their ranges.
With joint_load results depend on --seed: try several before you conclude (doc/speed_map.md).
fr3: with its maker's URDF, of the package franky-sim. Tool mounts: a YAML each (`like: panda`).
Exit status: 0 done, 1 no point is reached by all, 2 wrong usage.
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the command's parser to what ``ArgumentParser.add_subparsers`` returned."""
    parser = subparsers.add_parser(
        "compare",
        help=COMMANDS["compare"],
        description="Compare arms where all of them reach: highest safe speed, impulse, effective "
        "mass, rotation after the impact, critical joint.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("robots", nargs="+", metavar="ROBOT", help="name of a robot, or its YAML")
    add("--turn", type=numbers, default=(0.0,), metavar="DEG,..", help=_TURN)
    add("--surface", choices=_SURFACES, default="wall", help=_SURFACE)
    add("--point", type=numbers, metavar="X,Y,Z", help="middle, base axes [m]")
    add_grid_options(parser, count=5)
    add_surface_options(parser)
    add_limit_options(parser)
    add_search_options(parser)
    add("--figure", type=Path, metavar="FILE", help="draw the values at the points")
    add("--json", action="store_true", help="one JSON document on standard output")
    parser.set_defaults(run=run, normal=None)
    return parser


_TURN = (
    "wrist turned by these angles from --axis, about y of the frame that hits; each arm with each"
    " of them (default: 0)"
)
_SURFACE = "default of --point and --normal: wall 0.55,0,0.4 and -1,0,0; table 0.45,0,0.1 and 0,0,1"


def run(arguments: argparse.Namespace) -> int:
    """Compare the arms and print the comparison."""
    check_limit_options(arguments)
    arms = _arms(arguments)
    centre, normal = _SURFACES[arguments.surface]
    arguments.normal = arguments.normal or normal
    point = sized(arguments.point or centre, 3, "--point")
    surface = read_surface(arguments, point)
    grid, tilt = read_grid(arguments, point, surface.normal), float(np.radians(arguments.tilt))
    axis, tasks = read_axis(arguments), {}
    for name, (robot, turn) in arms.items():
        plan = read_plan(arguments, point, surface, robot)
        turned = _about_y(turn) @ axis
        tasks[name] = MapTask(robot, plan, grid, turned, tilt, arguments.seed)
        tasks[name].search()  # refuses limits that the arm does not have, before any is searched
    turns = {name: turn for name, (_, turn) in arms.items()}
    progress = Progress("compare")
    comparison = compare(tasks, turns, surface, arguments.jobs or cores(), progress.update)
    progress.close("done")
    for arm in comparison.arms.values():
        warn_of_exact_friction(arm.task.plan, arm.task.robot, arm.hits[0].q)
    if arguments.json:
        print(json_text(compare_document(comparison)))
    else:
        print(compare_text(comparison))
    if arguments.figure is not None:  # after the output: a failed write loses only the picture
        draw_comparison(comparison, arguments.figure)
    return 0


def _arms(arguments: argparse.Namespace) -> dict[str, tuple[Robot, float]]:
    """Return robots and turns of the wrist [rad] by what they are called.

    Raises:
        RobotError: a robot cannot be loaded, or lacks what a map needs.
        UsageError: fewer than two arms, one of them twice, or a turn out of its range.
    """
    names, turns = arguments.robots, sized(arguments.turn, len(arguments.turn), "--turn")
    if np.any(np.abs(turns) > 180.0):
        given = ",".join(f"{turn:g}" for turn in turns)
        raise UsageError(f"--turn: expected angles from -180 to 180 degrees, got {given}")
    arms = [(name, float(turn)) for name in names for turn in turns]
    twice = next((arm for k, arm in enumerate(arms) if arm in arms[:k]), None)
    if twice is not None:
        raise UsageError(f"ROBOT: expected different arms, got {_called(*twice)} twice")
    if len(arms) < 2:
        raise UsageError(
            f"ROBOT: expected at least two arms, got {names[0]} alone; --turn 0,45 compares it with"
            " its wrist turned"
        )
    robots = {name: named_robot(name) for name in names}
    for robot in robots.values():
        robot.require("map")
    return {_called(*arm): (robots[arm[0]], float(np.radians(arm[1]))) for arm in arms}


def _called(name: str, turn: float) -> str:
    return name if turn == 0.0 else f"{name} turned {turn:g}"


def _about_y(angle: float) -> np.ndarray:
    """Return the rotation about y by an angle [rad], shape (3, 3)."""
    sine, cosine = np.sin(angle), np.cos(angle)
    return np.array([[cosine, 0.0, sine], [0.0, 1.0, 0.0], [-sine, 0.0, cosine]])
