# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The table of reference spreading's modes and its summary."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from impact_analysis.demo.spreading_evaluation import SpreadingEvaluation
from impact_analysis.present.number import number
from impact_analysis.present.table import Column, turned_table

Evaluations = Sequence[SpreadingEvaluation]
GRAB = (  # lines of a box between two arms
    Column("", "tilt of the box [deg]", ".2f", lambda e: np.degrees(e.grab.tilt)),
    Column("", "slip of the plates [mm]", ".1f", "grab.slip", 1e3),
    Column("", "lift [m]", ".3f", "grab.lift"),
    Column(
        "", "arms apart [ms]", text=lambda e: number(e.grab.apart, ".1f", 1e3, unknown="one missed")
    ),
)


def spreading_table(evaluations: Evaluations) -> str:
    """Return the figures as text, a column per mode."""
    joints = range(len(evaluations[0].peak_joint_torque))
    columns = (
        Column("", "peak feedback [m/s^2]", ".2f", "peak_feedback"),
        Column("", "integral of feedback [m/s]", ".3f", "feedback_integral"),
        *(Column("", f"peak torque of joint {k + 1} [N.m]", ".1f", _torque(k)) for k in joints),
        Column("", "peak force on a plate [N]", ".0f", "peak_force"),
        Column("", "detected after contact [ms]", text=_delays),
        *(GRAB if evaluations[0].grab is not None else ()),
    )
    return turned_table([each.mode for each in evaluations], columns, evaluations)


def spreading_sentence(evaluations: Evaluations) -> str:
    """Return the summary of the table, from its own numbers."""
    by_name = {e.mode: e for e in evaluations}
    spread, through = by_name["rs"], by_name["continuous"]
    forces = ", ".join(f"{e.mode} {e.peak_force:.0f}" for e in evaluations)
    stopped = " and ".join(f"{e.mode} ({', '.join(e.why)})" for e in evaluations if e.stopped)
    warned = f"Stopped: {stopped}. " if stopped else ""
    return (
        f"{warned}One reference through the impact (continuous) makes {_times(through, spread)} the"
        f" peak feedback of reference spreading (rs), a change at the nominal time (timed)"
        f" {_times(by_name['timed'], spread)}, one upon detection with the whole velocity feedback"
        f" (no_gamma) {_times(by_name['no_gamma'], spread)}, velocity fields without a clock"
        f" (time_invariant) {_times(by_name['time_invariant'], spread)}. What none of them buys:"
        f" a lower peak of the contact force ({forces} N), a shorter time without contact, or a"
        " shorter settling time."
    )


def _times(other: SpreadingEvaluation, spread: SpreadingEvaluation) -> str:
    return f"{other.peak_feedback / spread.peak_feedback:.1f} times"


def _torque(joint: int) -> Callable[[SpreadingEvaluation], float]:
    return lambda e: e.peak_joint_torque[joint]


def _delays(e: SpreadingEvaluation) -> str:
    if e.detection_delay is None:
        return "-"
    return ", ".join(number(each, ".1f", 1e3, unknown="missed") for each in e.detection_delay)
