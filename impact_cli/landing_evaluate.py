# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`impact evaluate` of recorded landings."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from impact_cli.progress import Progress
from impact_robots.exceptions import UsageError

if TYPE_CHECKING:
    from impact_analysis.landings.landing_evaluation import LandingEvaluation

LANDING = ".npz"
ROBOT = "cassie"


def are_landings(files: Sequence[Path]) -> bool:
    """Return whether files are landings, not one table of impacts.

    Raises:
        UsageError: landings and a table are mixed, or a file is named twice.
    """
    found = [file.suffix == LANDING for file in files]
    if any(found) and not all(found):
        raise UsageError(f"expected one CSV, or recorded landings ({LANDING}), got both")
    if any(found) and len({file.resolve() for file in files}) < len(files):
        raise UsageError("expected every landing once, got one of them twice")
    return bool(found) and all(found)


def landing_evaluation(files: Sequence[Path], robot: str, seed: int) -> LandingEvaluation:
    """Evaluate, with a progress bar on a terminal.

    Args:
        files: of the landings.
        robot: name of the robot that landed, or its YAML.
        seed: of the intervals.

    Raises:
        RecordingError: a file is no landing.
        RobotError: no such robot, or it lacks joints of the landings.
        UnsolvedImpactError: no impulses that satisfy Coulomb's law were found.
    """
    from impact_analysis.landings.cassie_landing_file import read_cassie_landing
    from impact_analysis.landings.landing_evaluation import evaluate_landings
    from impact_robots import load_robot

    model = load_robot(robot)
    landings = [read_cassie_landing(file, model) for file in files]
    if not sys.stderr.isatty():
        return evaluate_landings(landings, model, seed)
    bar = Progress("evaluate")
    found = evaluate_landings(landings, model, seed, bar.update)
    bar.close("done")
    return found
