# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The demo's table and its summary in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from impact_analysis.demo.evaluation import Evaluation
from impact_analysis.present.number import number
from impact_analysis.present.table import closed_table

Cell = Callable[[Evaluation], str]

ROWS: tuple[tuple[str, Cell], ...] = (
    ("contact speed [m/s]", lambda e: f"{e.contact_speed:.3f}"),
    ("its speed bound [m/s]", lambda e: f"{e.speed_bound:.3f}{_foreign(e)}"),
    ("impulsive torque, formula [N.m]", lambda e: _torque(e.impulsive_torque, e)),
    ("worst possible, formula [N.m]", lambda e: _torque(e.worst_admissible_torque, e)),
    ("  of joint", lambda e: e.worst_admissible_joint),
    (
        "torque change, measured [N.m]",
        lambda e: f"{e.measured_load.change:.1f} of {e.measured_load.change_limit:.0f}",
    ),
    ("  of joint", lambda e: e.measured_load.change_joint),
    ("largest torque, measured [N.m]", lambda e: _largest(e)),
    ("  of joint", lambda e: e.measured_load.torque_joint),
    ("impulse no worse than announced", lambda e: _answer(e.impulse_in_set)),
    ("normal impulse over announced, c_r 0", lambda e: number(e.impulse_normal_ratio, ".2f")),
    (
        "detected after contact [ms]",
        lambda e: _delay(e),
    ),
    ("prediction error, M [deg/s rms]", lambda e: _rms(e, "M")),
    ("prediction error, M+B_theta", lambda e: _rms(e, "M+B_theta")),
    ("prediction error, M+B_rho", lambda e: _rms(e, "M+B_rho")),
)


def _foreign(e: Evaluation) -> str:
    """Mark a bound that is not the run's own."""
    return "" if e.controller in ("robust", "existential", "joint_load") else " (robust)"


def _answer(value: bool | None) -> str:
    return "-" if value is None else "yes" if value else "NO"


def _delay(e: Evaluation) -> str:
    return number(e.detection_delay, ".1f", 1e3, unknown="missed")


def _torque(value: float, e: Evaluation) -> str:
    return "-" if np.isnan(value) else f"{value:.1f} of {e.impulsive_torque_limit:.0f}"


def _largest(e: Evaluation) -> str:
    limit = e.measured_load.torque_limit
    return f"{e.measured_load.torque:.1f}" + (f" of {limit:.0f}" if np.isfinite(limit) else "")


def _rms(e: Evaluation, inertia: str) -> str:
    return number(float(np.degrees(e.prediction_rms[inertia])), ".2f")


def table(
    evaluations: Sequence[Evaluation], more: Mapping[str, Sequence[str]] | None = None
) -> str:
    """Return the figures as text, a column a run.

    Args:
        evaluations: of the runs.
        more: further rows: a cell for each run by label.
    """
    lines = [["", *(e.controller for e in evaluations)]]
    lines += [[label, *(cell(e) for e in evaluations)] for label, cell in ROWS]
    lines += [[label, *cells] for label, cells in (more or {}).items()]
    return closed_table(lines)


def sentence(evaluations: Sequence[Evaluation]) -> str:
    """Return the summary of the table, from its own numbers."""
    by_name = {e.controller: e for e in evaluations}
    parts = [_promise(by_name["robust"])] if "robust" in by_name else []
    parts += [_excess(e) for name, e in by_name.items() if name not in ("robust", "joint_load")]
    if "joint_load" in by_name:
        parts.append(_measured(by_name["joint_load"], by_name.get("robust")))
    return "; ".join(parts) + f"; {_inertia(evaluations)}."


def _measured(e: Evaluation, robust: Evaluation | None) -> str:
    """Return the contact speed under joint_load and the measured changes of torque."""
    faster = ""
    if robust is not None:
        ratio = e.contact_speed / robust.contact_speed
        faster = f", {ratio:.1f} times as fast as robust control"
    within = "within its limits" if e.measured_load.fraction <= 1.0 else "NOT within its limits"
    return (
        f"joint_load, which bounds the joint torques, hits at {e.contact_speed:.3f} m/s{faster},"
        f" and the torque sensors showed every joint {within} (changes up to"
        f" {e.measured_load.change:.1f} of {e.measured_load.change_limit:.0f} N.m,"
        f" {e.measured_load.change_joint})"
    )


def _promise(e: Evaluation) -> str:
    keeps = "keeps" if e.worst_admissible_torque <= e.impulsive_torque_limit else "does NOT keep"
    return (
        f"robust control hits at {e.contact_speed:.3f} m/s, and every impulse announced for that"
        f" speed {keeps} each joint within its limit, by the published formula"
    )


def _excess(e: Evaluation) -> str:
    ratio = e.worst_admissible_torque / e.impulsive_torque_limit
    return (
        f"{e.controller} hits at {e.contact_speed:.3f} m/s, where one of them would load"
        f" {e.worst_admissible_joint} with {ratio:.1f} times its limit"
    )


def _inertia(evaluations: Sequence[Evaluation]) -> str:
    names = list(evaluations[0].prediction_rms)
    runs = len(evaluations)
    evaluations = [e for e in evaluations if not np.isnan(e.gross_velocity).any()]
    if not evaluations:
        return "no run shows which inertia predicts its velocities best"
    winners = [min(names, key=e.prediction_rms.__getitem__) for e in evaluations]
    if len(set(winners)) == 1:
        whose = "every run's velocities"
        if len(evaluations) < runs:
            whose = "the velocities of " + " and ".join(e.controller for e in evaluations)
        return f"of the three inertias {winners[0]} predicts {whose} best"
    return "the best predicting inertia differs: " + ", ".join(
        f"{e.controller} {winner}" for e, winner in zip(evaluations, winners, strict=True)
    )
