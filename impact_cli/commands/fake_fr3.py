# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `fake-fr3`: serves a simulated FR3 to libfranka programs until Ctrl-C."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from impact_cli.command_names import COMMANDS
from impact_cli.options.number_options import seed

_EPILOG = """example, in two terminals:
  impact fake-fr3
  impact hit 127.1.0.1

It uses the address 127.1.0.1 or, if that is taken, the next free one. Before the first motion the
simulated time stands still; then it sends one state per millisecond.
Exit status: 0 ended by Ctrl-C, 1 the address cannot be used, or a package is missing.
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the command's parser to what ``ArgumentParser.add_subparsers`` returned."""
    parser = subparsers.add_parser(
        "fake-fr3",
        help=COMMANDS["fake-fr3"],
        description="Serve a simulated Franka Research 3 until Ctrl-C: the arm's network protocol,"
        " collision behaviour and reflexes, a simulated arm and a wall in front of it. Official"
        " libfranka connects to it as to an arm. Prints its address and the next command.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--address", metavar="ADDRESS", help="local address, 127.* (default: the first free)")
    add(
        "--realtime",
        action="store_true",
        help="run motions in real time: a cycle takes 1 ms, and a late command is lost, as with a"
        " real arm (default: the next cycle waits for the command)",
    )
    add("--seed", type=seed, default=0, metavar="N", help="seed of the sensor noise (default: 0)")
    add("--urdf", type=Path, metavar="FILE", help="also write the arm's URDF, for urdf:=FILE")
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Serve the arm until Ctrl-C, and return the exit status."""
    from impact_cli.franka.fake_arm import serve  # not needed for --help

    serve(arguments)
    return 0
