# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`plan --reflex`: collision thresholds for a hit, and what still stops the arm."""

from __future__ import annotations

import argparse
from pathlib import Path

from impact_analysis.present.plain import json_text
from impact_cli.options.impact_options import read_robot
from impact_cli.plans.case_file import read_cases
from impact_cli.plans.reflex_case import LISTED, reflex_cases
from impact_robots.exceptions import UsageError

EPILOG = """\
--reflex --case FILE computes collision thresholds of given hits again (doc/franka.md).
"""


def add_reflex_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of :func:`reflex_plan`; the epilog describes them."""
    parser.add_argument("--reflex", type=Path, nargs="*", metavar="BAG", help=argparse.SUPPRESS)


def reflex_plan(arguments: argparse.Namespace) -> int:
    """Print collision thresholds; return the exit status.

    Raises:
        UsageError: options that do not go together.
        ImpactError: a case that does not fit, or an unsuitable arm.
    """
    if arguments.case is None:
        raise UsageError("--reflex: expected --case FILE")
    if arguments.reflex:
        raise UsageError("--reflex: expected no recordings beside --case")
    print(json_text(reflex_cases(read_cases(arguments.case, LISTED), read_robot(arguments))))
    return 0
