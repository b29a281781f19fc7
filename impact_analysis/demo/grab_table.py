# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The table of a humanoid's grabs and its summary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from impact_analysis.demo.grab_evaluation import GrabEvaluation
from impact_analysis.present.table import Column, turned_table
from impact_trials.grab.haste import PLANNED

Evaluations = Sequence[GrabEvaluation]
STANDING = 1.0  # of a limit: above it a motor cannot give the torque of an impact [-]


def _span(figure: Column, rows: Sequence[Any]) -> str:
    known = [text for text in map(figure.cell, rows) if text != "-"]
    if not known:
        return "-"
    low, high = min(known, key=float), max(known, key=float)
    return low if low == high else f"{low} to {high}"


def _palms(title: str, form: str, of: str, factor: float = 1.0) -> Column:
    """Return the line of a figure: minimum to maximum over all palms."""
    return Column("", title, text=lambda e: _span(Column("", "", form, of, factor), e.palms))


def _boxes(title: str, form: str, of: str) -> Column:
    """Return the line of a figure: minimum to maximum over all boxes."""
    return Column("", title, text=lambda e: _span(Column("", "", form, of), e.outcome.boxes))


LINES = (
    Column("", "asked for [m/s]", ".2f", "asked"),
    _palms("speed at contact [m/s]", ".3f", "speed"),
    _palms("robust bound there [m/s]", ".3f", "bound"),
    _palms("noticed after [ms]", ".1f", "latency", 1e3),
    _palms("peak force on a palm [N]", ".0f", "peak_force"),
    _palms("wrist torque over its limit", ".2f", "wrist_load"),
    Column(
        "",
        "impulses no worse than announced",
        text=lambda e: f"{sum(palm.is_announced for palm in e.palms)}/{len(e.palms)}",
    ),
    _boxes("lift [m]", ".3f", "lifted"),
    _boxes("ZMP margin to the lift's end [m]", ".3f", "margin"),
    _boxes("ZMP margin from there on [m]", ".3f", "toss_margin"),
    Column("", "cycles without a solution", of="outcome.unsolved"),
    Column("", "fell", text=lambda e: "yes" if e.outcome.fell else "no"),
    Column("", "gave up", text=lambda e: e.outcome.failure or "no"),
)


def grab_table(evaluations: Evaluations) -> str:
    """Return the figures as text, a column per mode, minimum to maximum over palms and boxes."""
    return turned_table([each.mode for each in evaluations], LINES, evaluations)


def grab_sentence(evaluations: Evaluations) -> str:
    """Return the summary of the table, from its own numbers."""
    by_name = {each.mode: each for each in evaluations}
    robust, unaware = by_name["robust"], by_name["unaware"]
    lucky, planned = by_name["existential"], by_name[PLANNED]
    return (
        f"Asked for {unaware.asked:g} m/s, palms arrive at {unaware.speed:.2f} m/s where nothing"
        f" limits them (unaware), at {lucky.speed:.2f} where one admissible impulse must be safe"
        f" (existential), at {robust.speed:.2f} where all must (robust). {_wrists(evaluations)}"
        f"{_held(evaluations)} {_falls(evaluations)} As planned,"
        f" asked for {planned.asked:g} m/s, they arrive at {planned.over_bound:.2f} of the robust"
        " bound at most."
    )


def _wrists(evaluations: Evaluations) -> str:
    loads = ", ".join(f"{each.mode} {each.wrist:.2f}" for each in evaluations)
    over = [each.mode for each in evaluations if each.wrist > STANDING]
    said = f"more than its motor may give: {', '.join(over)}" if over else "never too much"
    return f"What an impact asks of a wrist, over its limit ({loads}), is {said}."


def _held(evaluations: Evaluations) -> str:
    held = [f"{e.mode} {e.outcome.unsolved}" for e in evaluations if e.outcome.unsolved]
    if not held:
        return ""
    return (
        f" Cycles whose program had no solution, so the last command was held: {', '.join(held)}."
    )


def _falls(evaluations: Evaluations) -> str:
    fallen = [each.mode for each in evaluations if each.outcome.fell]
    if fallen:
        return f"It falls: {', '.join(fallen)}."
    margins = ", ".join(f"{each.mode} {1e3 * each.margin:.0f}" for each in evaluations)
    return (
        "It falls in none: up to the end of the lift the zero-moment point stays within the soles"
        f" by ({margins}) mm."
        if min(each.margin for each in evaluations) > 0.0
        else f"It falls in none, though the margin of the zero-moment point is ({margins}) mm."
    )
