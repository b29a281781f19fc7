# SPDX-License-Identifier: Apache-2.0
"""All commands: what they are called, and what their errors mean."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from impact_robots.exceptions import ImpactError, RobotError
from impact_sim.exceptions import ScenarioError

COMMANDS = {
    "demo": "demo",
    "scenarios": "scenarios_command",
    "detect": "detect",
}
DONE, FAILED, WRONG_USAGE = 0, 1, 2


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line; ``--help`` says the rest."""

    def error(self, message: str) -> NoReturn:
        """Print one line and exit with 2."""
        self.exit(WRONG_USAGE, f"{self.prog}: {message}\n")


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = Parser(
        prog="impact",
        description="Impact-aware robotics: predict, detect and control robots that hit things.",
    )
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for module in COMMANDS.values():
        import_module(f"impact_analysis.{module}").add_parser(subparsers)
    return parser


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        arguments: command line without the program's name; that of the process by default.

    Returns:
        0 done, 1 the answer is no or work failed, 2 wrong usage.
    """
    try:
        parsed = make_parser().parse_args(arguments)
        return parsed.run(parsed)
    except (RobotError, ScenarioError) as error:
        return _fail(str(error), WRONG_USAGE)
    except ImpactError as error:
        return _fail(str(error), FAILED)
    except BrokenPipeError:  # the reader, such as head, has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED


def _fail(message: str, status: int) -> int:
    print(f"impact: {' '.join(message.split())}", file=sys.stderr)
    return status
