# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `fake-fr3`: an FR3 that is not there, for libfranka's programs, until Ctrl-C."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from impact_cli.command_names import COMMANDS
from impact_cli.options.number_options import seed

_EPILOG = """example, in two terminals:
  impact fake-fr3
  impact hit 127.1.0.1

It has the address 127.1.0.1 or, if another one has that, the next that is free. Until its first
motion it stands still without time passing; then its states come each millisecond.
Exit status: 0 ended by Ctrl-C, 1 it cannot have the address, or a package is missing.
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the command's parser to what ``ArgumentParser.add_subparsers`` returned."""
    parser = subparsers.add_parser(
        "fake-fr3",
        help=COMMANDS["fake-fr3"],
        description="A Franka Research 3 that is not there, until Ctrl-C: the arm's network"
        " protocol, collision behaviour and reflexes, a simulated arm and a wall before it."
        " Official libfranka cannot tell it from an arm. Prints its address, and how to go on.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--address", metavar="ADDRESS", help="of this machine, 127.* (default: the first free)")
    add(
        "--realtime",
        action="store_true",
        help="in a motion, too, a cycle is a millisecond by the clock, as with an arm, and a later"
        " command is lost (default: the next cycle waits for the command)",
    )
    add("--seed", type=seed, default=0, metavar="N", help="of the sensors' noise (default: 0)")
    add("--urdf", type=Path, metavar="FILE", help="also write the arm's URDF, for urdf:=FILE")
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Be the arm until Ctrl-C, and return the exit status."""
    from impact_cli.franka.fake_arm import serve  # needs what its help does not

    serve(arguments)
    return 0
