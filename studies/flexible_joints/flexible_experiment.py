# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Tables II and III of Rey Arias 2024 from its ten motions: simulated, recorded, analysed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from impact_analysis.analyze import Analysis, analyze
from impact_analysis.analyze.comparing.comparison import Candidate
from impact_analysis.analyze.comparing.identify import VELOCITIES
from impact_analysis.analyze.comparing.impacts import Impacts
from impact_analysis.present.table import Table, texts
from impact_detector.estimators.gross_methods import POLYNOMIAL
from impact_sim.scenarios import load_scenario
from impact_trials.campaign import run_campaign, trials_of
from impact_trials.processes import cores
from studies.flexible_joints.prediction_errors import (
    JOINTS,
    TYPES,
    apparent,
    frictionless,
    reflected,
)

TRIALS = 5  # of each type, as in Rey Arias 2024
THETA, RHO = "M+B_theta", "M+B_rho"
NAME = "flex_exp_type{}"


def experiment(seed: int, report: Callable[[float, str], None]) -> Analysis:
    """Simulate, record and analyse ten types; restitution 0, as Rey Arias 2024 supposes."""
    scenarios = [load_scenario(NAME.format(k)) for k in range(1, TYPES + 1)]
    trials = trials_of(scenarios, TRIALS, seed)
    jobs = cores()
    with TemporaryDirectory() as folder:
        for done, result in enumerate(run_campaign(trials, Path(folder), jobs), 1):
            report(done / len(trials), f"{result.row['bag']}, {done} of {len(trials)}")
        return analyze(
            folder,
            jobs=jobs,
            seed=seed,
            restitution=0.0,
            method=POLYNOMIAL,
            friction_estimate=VELOCITIES,
        )


def errors(analysis: Analysis, candidate: Candidate) -> np.ndarray:
    """Return mean absolute errors of a model, types by joints, shape (10, 7) [deg/s]."""
    impacts = Impacts(analysis.robot, [each.measured for each in analysis.impacts])
    absolute = np.degrees(abs(candidate.predicted(impacts) - impacts.measured))
    rows = []
    for k in range(1, TYPES + 1):
        chosen = [item.group == NAME.format(k) for item in impacts.items]
        rows.append(absolute[np.array(chosen)].mean(axis=0))
    return np.array(rows)


def studies(analysis: Analysis) -> tuple[Table, Table]:
    """Return both tables, ours over the published ones."""
    by_name = {each.name: each for each in analysis.candidates}
    theta = errors(analysis, by_name[f"{THETA}, coulomb"])
    rho = errors(analysis, by_name[f"{RHO}, coulomb"])
    without = errors(analysis, by_name[f"{THETA}, frictionless"])
    friction = {name: analysis.coefficients[name].friction for name in (THETA, RHO)}
    identified = ", ".join(
        f"{each.value:.3f} [{each.low:.3f}, {each.high:.3f}] with {name}"
        for name, each in friction.items()
    )
    second = (
        f"Table II of Rey Arias 2024: {THETA} / {RHO}, mean absolute error of {TRIALS} repetitions"
        f" [deg/s], identified friction {identified}; * marks cells that differ by more than 1"
        " deg/s. The arm, poses, angles of types 5 to 10, contact and speeds are not published:"
        " ours are chosen, so the published numbers are no target"
    )
    third = (
        f"Table III of Rey Arias 2024: {THETA} with the identified friction / without friction"
        " [deg/s]; published with friction 0.3 / 0"
    )
    return (
        _study("errors_by_inertia", second, (theta, rho), (apparent(), reflected()), friction),
        _study("errors_by_friction", third, (theta, without), (apparent(), frictionless()), {}),
    )


def _study(
    name: str,
    title: str,
    ours: tuple[np.ndarray, np.ndarray],
    published: tuple[np.ndarray, np.ndarray],
    friction: dict[str, Any],
) -> Table:
    """Return one table of pairs of errors."""
    header = ("type", *(f"joint {j + 1}" for j in range(JOINTS)), "mean")
    lines, entries = [], []
    for k in range(TYPES):
        for label, (first, second) in (("ours", ours), ("published", published)):
            cells = [_cell(a, b) for a, b in zip(first[k], second[k], strict=True)]
            mean = _cell(first[k].mean(), second[k].mean())
            lines.append((f"{k + 1} {label}", *cells, mean))
        entries.append(
            {
                "type": k + 1,
                "error_first_radps": np.radians(ours[0][k]).tolist(),
                "error_second_radps": np.radians(ours[1][k]).tolist(),
                "published_first_radps": np.radians(published[0][k]).tolist(),
                "published_second_radps": np.radians(published[1][k]).tolist(),
            }
        )
    for label, pair in (("ours", ours), ("published", published)):
        by_joint = [_cell(a, b) for a, b in zip(*(each.mean(axis=0) for each in pair), strict=True)]
        lines.append((f"mean {label}", *by_joint, _cell(pair[0].mean(), pair[1].mean())))
    for inertia, each in friction.items():
        entries.append(
            {"inertia": inertia, "friction": each.value, "low": each.low, "high": each.high}
        )
    return Table(name, title, texts(*header), lines, entries)


def _cell(first: float, second: float) -> str:
    mark = "*" if abs(first - second) > 1.0 else ""
    return f"{first:.2f}/{second:.2f}{mark}"
