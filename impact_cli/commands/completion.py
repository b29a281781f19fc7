# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `completion`: prints what lets a shell complete the commands."""

from __future__ import annotations

import argparse
from shlex import quote
from typing import Any

from impact_cli.command_names import COMMANDS, OF_CHECKOUT
from impact_cli.commands.bench import benchmark_names

_EPILOG = """examples:
  impact completion > ~/.local/share/bash-completion/completions/impact
  eval "$(impact completion)"

The file is for bash, in new shells; zsh needs the second line after this one:
  autoload -U compinit bashcompinit; compinit; bashcompinit
Commands, options, their choices, and names of scenarios and robots are completed, else files.
"""
_SCRIPT = """\
# Completes impact and ./impact; made by: impact completion
_impact() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} words
    if [ "$COMP_CWORD" -eq 1 ]; then
        words={commands}
        if [ "${{COMP_WORDS[0]}}" = ./impact ]; then words+={of_checkout}; fi
    else
        case "${{COMP_WORDS[1]}} $before" in
{values}
        *)
            case "${{COMP_WORDS[1]}} $word" in
{options}
            esac ;;
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _impact impact
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the command's parser to what ``ArgumentParser.add_subparsers`` returned."""
    parser = subparsers.add_parser(
        "completion",
        help=COMMANDS["completion"],
        description="Print a script that lets bash or zsh complete commands, options and names.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    from impact_cli.command_line import make_parser

    (commands,) = (
        action
        for action in make_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    values, options, names = list[str](), list[str](), _names()
    for command, parser in commands.choices.items():
        own, plain = list[str](), list[str]()
        for action in parser._actions:
            if action.help == argparse.SUPPRESS:
                continue
            own += action.option_strings
            choices = [*map(str, action.choices or ()), *names.get(_kind(action), ())]
            if command == "bench" and action.dest == "name":
                choices = benchmark_names()
            if not action.option_strings:
                plain += choices
            elif choices:
                before = "|".join(quote(f"{command} {each}") for each in action.option_strings)
                values.append(_case(before, choices))
        options.append(_case(quote(f"{command} -") + "*", own))
        if plain:
            options.append(_case(quote(f"{command} ") + "*", plain))
    script = _SCRIPT.format(
        commands=quote(" ".join(COMMANDS)),
        of_checkout=quote(" ".join(["", *OF_CHECKOUT])),
        values="\n".join(values),
        options="\n".join(options),
    )
    print(script, end="")
    return 0


def _case(pattern: str, words: list[str]) -> str:
    """Return a line of a case."""
    return f"        {pattern}) words={quote(' '.join(words))} ;;"


def _kind(action: argparse.Action) -> str:
    """Return what an argument names, by its option or metavar."""
    shown = " ".join([action.dest, *action.option_strings, str(action.metavar or "")]).lower()
    return next((kind for kind in ("scenario", "robot") if kind in shown), "")


def _names() -> dict[str, list[str]]:
    """Return the names of scenarios and robots."""
    from impact_robots import available_robots
    from impact_sim.humanoid.grab_file import grab_names
    from impact_sim.scenario_choice import simulated_names

    return {"scenario": [*simulated_names(), *grab_names()], "robot": [*available_robots()]}
