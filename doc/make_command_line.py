# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Returns the page of the command line, from the parsers that the commands themselves use."""

import argparse
import os
import sys
from pathlib import Path

from impact_cli.command_line import make_parser
from impact_cli.command_names import COMMANDS

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from impact_setup.cli import HELP

HEAD = """\
# The command line

`./impact COMMAND` in a checkout, `impact COMMAND` once installed, `ros2 run impact_control impact
COMMAND` with ROS 2 sourced. Generated from the parsers of the commands; `--help` says the same.

Vectors are comma-separated, in SI units, in the joint order of the robot's YAML. `--normal` is in
base axes and points out of the surface towards the robot. Friction and restitution take a number or
`low,high`. Every command that computes has `--json`: one JSON document on standard output and
nothing else there. Exit status: 0 done, 1 the answer is no or the work failed, 2 wrong usage or
input that cannot be read.

A checkout has a few more commands, as `./impact --help` says:

```text
{help}```
"""
COLUMNS = 96


def document() -> str:
    """Return the text of the page, in MyST Markdown."""
    os.environ["COLUMNS"] = str(COLUMNS)  # the width of a usage line must not be the terminal's
    sections = [_section(name, summary) for name, summary in COMMANDS.items()]
    return "\n".join([HEAD.format(help=HELP), *sections])


def _section(name: str, summary: str) -> str:
    """Return the section of one command."""
    parser = _parser_of(name)
    actions = [action for action in parser._actions if action.help != argparse.SUPPRESS]
    formatter = parser._get_formatter()
    parts = [
        f"## `{name}`",
        f"{parser.description or summary}",
        _fenced("text", parser.format_usage()),
        _fenced("{program}", f"impact {name}\n", inline=True),
        *(_option(formatter, action) for action in actions),
    ]
    if parser.epilog:
        parts.append(_fenced("text", parser.epilog.replace("%(prog)s", parser.prog)))
    return "\n\n".join(parts) + "\n"


def _parser_of(name: str) -> argparse.ArgumentParser:
    """Return the parser of one command, which loads that command alone."""
    (subparsers,) = (
        action
        for action in make_parser(name)._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    return subparsers.choices[name]


def _option(formatter: argparse.HelpFormatter, action: argparse.Action) -> str:
    """Return the description of one argument or option."""
    text = formatter._expand_help(action) if action.help else ""
    if action.choices and action.metavar:
        text += f" One of {', '.join(map(str, action.choices))}."
    return f"```{{option}} {formatter._format_action_invocation(action)}\n{text.strip()}\n```"


def _fenced(kind: str, text: str, inline: bool = False) -> str:
    """Return a fenced block; ``inline`` puts the text behind the kind, as its argument."""
    return f"```{kind} {text}```" if inline else f"```{kind}\n{text.rstrip()}\n```"
