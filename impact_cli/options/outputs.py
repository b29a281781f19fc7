# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""No command writes over a file that it reads."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

from impact_robots.exceptions import UsageError

_FILES = ("yaml", "output", "plot")  # options of files to write; --out is a folder, mostly


def check_outputs(arguments: argparse.Namespace, given: Sequence[str]) -> None:
    """Refuse a file to write that the command line names twice: it is an input, too.

    Args:
        arguments: the parsed command line.
        given: the same as it was typed.

    Raises:
        UsageError: names the option.
    """
    values = [_value(each) for each in given]
    for name in _FILES:
        path = getattr(arguments, name, None)
        if sum(_is_same(each, path) for each in values) > 1:
            raise _refused(f"--{name}", path)


def refuse_inputs(
    option: str, path: str | Path | None, inputs: Iterable[str | Path | None]
) -> None:
    """Refuse a file to write that is one of these inputs.

    Args:
        option: that names the file.
        path: of the file; None: nothing is written.
        inputs: names or paths; None: there is none.

    Raises:
        UsageError: it is one; names the option.
    """
    if any(_is_same(each, path) for each in inputs):
        raise _refused(option, path)


def _refused(option: str, path: str | Path | None) -> UsageError:
    return UsageError(f"{option}: expected another file than the inputs, got {path}")


def _is_same(text: str | Path | None, path: str | Path | None) -> bool:
    """Whether a text is the path of the same existing file."""
    if not text or path is None:
        return False
    try:
        return Path(path).is_file() and Path(text).samefile(path)
    except (OSError, ValueError):  # it is no path, or there is no such file
        return False


def _value(argument: str) -> str:
    """Return an argument, of ``--option=value`` and ``-ovalue`` the value."""
    if argument.startswith("--"):
        return argument.partition("=")[2]
    return argument[2:] if argument.startswith("-") else argument
