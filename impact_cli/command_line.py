# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The parser of all commands, and the exit statuses of their errors."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from impact_cli.command_names import COMMANDS, OF_CHECKOUT
from impact_cli.options.cluster_option import given_cluster
from impact_cli.options.outputs import check_outputs
from impact_robots.exceptions import ImpactError, UsageError
from impact_ros.standard_streams import failed, with_output

DONE, FAILED, WRONG_USAGE = 0, 1, 2
_NEGATIVE_VECTOR = re.compile(r"-[\d.][^,]*,")
_BARE_DASHES = re.compile(r"(--[\w-]+(?==)|-\w)=?--")
_OPTION = re.compile(r"--[\w-]+$")


class Parser(argparse.ArgumentParser):
    """A parser whose usage errors are one line; ``--help`` prints the rest."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """Make it; an empty path is an error, not the current folder."""
        super().__init__(*arguments, **options)
        self.register("type", Path, _path)

    def error(self, message: str) -> NoReturn:
        """Print one line and exit with 2."""
        self.exit(WRONG_USAGE, f"{self.prog}: {message}\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print the help; argparse itself ignores a failed write."""
        if message:
            (file or sys.stderr).write(message)


def _path(text: str) -> Path:
    """Return a path.

    Raises:
        ArgumentTypeError: the text is empty.
    """
    if not text:
        raise argparse.ArgumentTypeError("expected a path, got ''")
    return Path(text)


def make_parser(only: str = "") -> argparse.ArgumentParser:
    """Return the parser of all commands, or of ``only`` one of them.

    Each command's module imports what the command needs, which can be slow.
    """
    parser = Parser(
        prog="impact",
        description="Impact-aware robotics: predict, detect and control robots that hit things.",
    )
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in [only] if only else COMMANDS:
        import_module(f"impact_cli.commands.{command.replace('-', '_')}").add_parser(subparsers)
    return parser


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        arguments: command line without the program's name; that of the process by default.

    Returns:
        0 done, 1 negative result or failure, 2 wrong usage or unreadable input, 141 standard
        output was closed by its reader.
    """
    given = sys.argv[1:] if arguments is None else arguments
    try:
        return with_output(lambda: _run(given))
    except ImpactError as error:
        return failed("impact", str(error), WRONG_USAGE if error.is_wrong_input else FAILED)


def _run(given: Sequence[str]) -> int:
    if given and given[0] in OF_CHECKOUT:
        raise UsageError(f"{given[0]}: only in a checkout of the project: ./impact {given[0]}")
    only = given[0] if given and given[0] in COMMANDS else ""
    arguments = with_negative_vectors(without_bare_dashes(given))
    parsed = make_parser(only).parse_args(arguments)
    check_outputs(parsed, arguments)
    with given_cluster(parsed):
        status: int = parsed.run(parsed)
    return status


def without_bare_dashes(arguments: Sequence[str]) -> Sequence[str]:
    """Return the arguments; refuse an option with the value ``--``, which argparse drops.

    Raises:
        UsageError: names the option.
    """
    for argument in arguments:
        option = _BARE_DASHES.fullmatch(argument)
        if option:
            raise UsageError(f"{option[1]}: expected a value, got '--'")
    return arguments


def with_negative_vectors(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with ``--normal -1,0,0`` as ``--normal=-1,0,0``.

    argparse mistakes a vector that begins with a minus sign for an option.
    """
    joined: list[str] = []
    for argument in arguments:
        if joined and _NEGATIVE_VECTOR.match(argument) and _OPTION.match(joined[-1]):
            joined[-1] += f"={argument}"
        else:
            joined.append(argument)
    return joined
