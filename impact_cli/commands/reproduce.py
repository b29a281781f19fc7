# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `reproduce`, only in a checkout: ``studies/command.py``."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from impact_bags.exceptions import AnalysisError
from impact_cli.command_names import COMMANDS

_CHECKOUT = Path(__file__).resolve().parents[2]


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the command's parser to what ``ArgumentParser.add_subparsers`` returned."""
    if (_CHECKOUT / "studies").is_dir():
        sys.path.append(str(_CHECKOUT))
        parser: argparse.ArgumentParser = import_module("studies.command").add_parser(subparsers)
        return parser
    # takes any arguments, to refuse them in one line
    options = {"prefix_chars": "\0", "add_help": False}
    parser = subparsers.add_parser("reproduce", help=COMMANDS["reproduce"], **options)
    parser.add_argument("arguments", nargs="*")
    parser.set_defaults(run=_refuse)
    return parser


def _refuse(_arguments: argparse.Namespace) -> NoReturn:
    """Report where the studies are.

    Raises:
        AnalysisError: always.
    """
    raise AnalysisError("reproduce: the studies are in a checkout of the project, not here")
