# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The table of reference spreading's modes, and what to see in it and what not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from impact_analysis.demo.spreading_evaluation import GrabFigures, SpreadingEvaluation
from impact_analysis.demo.text_table import text_table

Evaluations = Sequence[SpreadingEvaluation]


def spreading_table(evaluations: Evaluations) -> str:
    """Return the figures as text, a column a mode."""
    lines = [["", *(e.mode for e in evaluations)]]
    lines.append(["peak feedback [m/s^2]", *(f"{e.peak_feedback:.2f}" for e in evaluations)])
    lines.append(
        ["integral of feedback [m/s]", *(f"{e.feedback_integral:.3f}" for e in evaluations)]
    )
    lines += _torques(evaluations)
    lines.append(["peak force on a plate [N]", *(f"{e.peak_force:.0f}" for e in evaluations)])
    lines.append(["detected after touch [ms]", *map(_delays, evaluations)])
    return text_table(lines + _grabs([e.grab for e in evaluations if e.grab is not None]))


def spreading_sentence(evaluations: Evaluations) -> str:
    """Return what a reader should see in the table, from its own numbers, and what not."""
    by_name = {e.mode: e for e in evaluations}
    spread, through = by_name["rs"], by_name["continuous"]
    forces = ", ".join(f"{e.mode} {e.peak_force:.0f}" for e in evaluations)
    stopped = " and ".join(f"{e.mode} ({', '.join(e.why)})" for e in evaluations if e.stopped)
    warned = f"Stopped: {stopped}. " if stopped else ""
    return (
        f"{warned}One reference through the impact (continuous) makes {_times(through, spread)} the"
        f" peak feedback of reference spreading (rs), a change at the nominal time (timed)"
        f" {_times(by_name['timed'], spread)}, one upon detection with the whole velocity feedback"
        f" (no_gamma) {_times(by_name['no_gamma'], spread)}. What reference spreading does not buy:"
        f" a lower peak of the contact force ({forces} N), a shorter time without contact, or a"
        " shorter settling time."
    )


def _times(other: SpreadingEvaluation, spread: SpreadingEvaluation) -> str:
    return f"{other.peak_feedback / spread.peak_feedback:.1f} times"


def _torques(evaluations: Evaluations) -> list[list[str]]:
    """Return a line a joint."""
    torques = np.array([e.peak_joint_torque for e in evaluations]).T
    return [
        [f"peak torque of joint {joint} [N.m]", *(f"{value:.1f}" for value in row)]
        for joint, row in enumerate(torques, 1)
    ]


def _delays(e: SpreadingEvaluation) -> str:
    if e.detection_delay is None:
        return "-"
    return ", ".join(
        "missed" if np.isnan(delay) else f"{delay * 1e3:.1f}" for delay in e.detection_delay
    )


def _grabs(figures: Sequence[GrabFigures]) -> list[list[str]]:
    """Return what there is to say about a box between two arms."""
    if not figures:
        return []
    return [
        ["tilt of the box [deg]", *(f"{np.degrees(grab.tilt):.2f}" for grab in figures)],
        ["slip of the plates [mm]", *(f"{grab.slip * 1e3:.1f}" for grab in figures)],
        ["lift [m]", *(f"{grab.lift:.3f}" for grab in figures)],
        ["arms apart [ms]", *(_apart(grab) for grab in figures)],
    ]


def _apart(grab: GrabFigures) -> str:
    return "one missed" if np.isnan(grab.apart) else f"{grab.apart * 1e3:.1f}"
