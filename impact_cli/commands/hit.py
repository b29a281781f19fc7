# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `hit`: an FR3 at an address hits a surface, through libfranka without ROS."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from impact_cli.command_names import COMMANDS
from impact_cli.franka.hit_questions import SLOWEST_FIRST, SPEED_CAP
from impact_cli.options.number_options import number
from impact_drivers.franka.arm.fr3_model import NAME
from impact_robots.exceptions import UsageError

_EPILOG = """examples:
  impact hit
  impact hit --tool hammer.yaml --target nail.yaml
  impact hit 172.16.0.2 --dry-run
  impact hit 172.16.0.2 --speed 0.02 --impact-limits robust
  impact hit 127.1.0.1 --distance 0.1 --unattended --raise-thresholds

A local address (127.*) is that of impact fake-fr3, which needs no real-time kernel.
Without an address nothing real moves: the fake arm hits foam gently, then faster, with collision
thresholds from the gentle hit, and stops itself at an obstacle in front of the foam. With --tool it
strikes instead, at the highest speed at which its thresholds still protect each joint.
Exit status: 0 hit, 1 nothing was hit or the arm stopped, 2 wrong usage.
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the command's parser to what ``ArgumentParser.add_subparsers`` returned."""
    parser = subparsers.add_parser(
        "hit",
        help=COMMANDS["hit"],
        description="MOVES THE ARM. A Franka Research 3, real or fake, hits a surface in front of"
        " its tool, through libfranka without ROS: under robust limits, then under joint_load, at"
        " 0.1 m/s at most. Asks for the distance of the surface, whether the workspace is clear,"
        " and before each hit for confirmation; any reply but yes means no. Prints a table; writes"
        " it and one recording per hit into a folder.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "address",
        metavar="ADDRESS",
        nargs="?",
        help="name or IP address of the arm's control unit (default: a fake arm on this machine,"
        " with collision thresholds from a gentle hit, and an obstacle in front of the surface)",
    )
    add("--out", type=Path, metavar="DIR", help="folder to make (default: impact_output/hit_TIME)")
    add("--robot", default=NAME, metavar="FILE", help="YAML of the arm with your own tool")
    add("--arm", type=Path, metavar="FILE", help="YAML of the arm's load and collision behaviour")
    add("--distance", type=number, metavar="M", help="distance from tool tip to surface [m]")
    add(
        "--speed",
        type=number,
        default=SPEED_CAP,
        metavar="V",
        help="approach speed [m/s] (default: the maximum, 0.1)",
    )
    add(
        "--impact-limits",
        choices=SLOWEST_FIRST,
        help="hit once, under these limits (default: once under each, in this order)",
    )
    add("--unattended", action="store_true", help="ask no questions; needs --distance")
    add("--dry-run", action="store_true", help="compute a hit, send zeros, keep low thresholds")
    add(
        "--raise-thresholds",
        action="store_true",
        help="raise the arm's collision thresholds as far as each hit needs, without asking",
    )
    add(
        "--tool",
        type=Path,
        metavar="FILE",
        help="YAML of a tool that strikes (doc/hitting_hardest.md); with the fake arm only",
    )
    add("--target", type=Path, metavar="FILE", help="of what it strikes (default: the same)")
    add("--json", action="store_true", help="print one JSON document instead of the table")
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Hit after confirmation, and return the exit status."""
    if arguments.target is not None and arguments.tool is None:
        raise UsageError("--target: expected --tool FILE beside it")
    if arguments.dry_run and arguments.raise_thresholds:
        raise UsageError("--raise-thresholds: expected no --dry-run, which keeps them low")
    if arguments.address is not None and arguments.tool is not None:
        raise UsageError("--tool: expected no ADDRESS: only the fake arm strikes with a tool")
    if arguments.tool is not None:
        from impact_cli.franka.fake_strikes import strike_with_the_fake_arm

        _refuse_without_an_address(arguments)
        return strike_with_the_fake_arm(arguments.tool, arguments.target, as_json=arguments.json)
    if arguments.address is None:
        from impact_cli.franka.fake_hits import hit_with_the_fake_arm

        _refuse_without_an_address(arguments)
        return hit_with_the_fake_arm(as_json=arguments.json)
    from impact_cli.franka.hit_arm import hit_with_an_arm  # not needed for --help
    from impact_cli.new_folder import new_folder

    return hit_with_an_arm(arguments, lambda: new_folder(arguments.out, "hit"))


def _refuse_without_an_address(arguments: argparse.Namespace) -> None:
    """Refuse options of an arm at an address.

    Raises:
        UsageError: one is given.
    """
    given = {
        "--out": arguments.out is not None,
        "--robot": arguments.robot != NAME,
        "--arm": arguments.arm is not None,
        "--distance": arguments.distance is not None,
        "--speed": arguments.speed != SPEED_CAP,
        "--impact-limits": arguments.impact_limits is not None,
        "--unattended": arguments.unattended,
        "--dry-run": arguments.dry_run,
        "--raise-thresholds": arguments.raise_thresholds,
    }
    for option in (name for name, is_given in given.items() if is_given):
        raise UsageError(f"{option}: expected an ADDRESS too")
