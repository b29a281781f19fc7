# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The table of a humanoid's grabs, and what to see in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from impact_analysis.demo.grab_evaluation import GrabEvaluation
from impact_analysis.demo.text_table import text_table
from impact_trials.grab.haste import PLANNED
from impact_trials.grab.outcome import BoxOutcome, PalmOutcome

Evaluations = Sequence[GrabEvaluation]
STANDING = 1.0  # of a limit: above it a motor cannot give what an impact asks for [-]


def grab_table(evaluations: Evaluations) -> str:
    """Return the figures as text, a column a mode; of two palms and boxes the least to the most."""
    lines = [["", *(each.mode for each in evaluations)]]
    lines.append(["asked for [m/s]", *(f"{each.asked:.2f}" for each in evaluations)])
    palms: dict[str, Callable[[PalmOutcome], str]] = {
        "speed at the touch [m/s]": lambda palm: f"{palm.speed:.3f}",
        "robust bound there [m/s]": lambda palm: f"{palm.bound:.3f}",
        "noticed after [ms]": lambda palm: f"{1e3 * palm.latency:.1f}",
        "peak force on a palm [N]": lambda palm: f"{palm.peak_force:.0f}",
        "wrist torque over its limit": lambda palm: f"{palm.wrist_load:.2f}",
    }
    for name, of_palm in palms.items():
        lines.append([name, *(_span([of_palm(p) for p in each.palms]) for each in evaluations)])
    inside = (f"{sum(p.is_announced for p in e.palms)}/{len(e.palms)}" for e in evaluations)
    lines.append(["impulses no worse than announced", *inside])
    boxes: dict[str, Callable[[BoxOutcome], str]] = {
        "lift [m]": lambda box: f"{box.lifted:.3f}",
        "ZMP margin to the lift's end [m]": lambda box: f"{box.margin:.3f}",
        "ZMP margin from there on [m]": lambda box: f"{box.toss_margin:.3f}",
    }
    for name, of_box in boxes.items():
        found = ([of_box(box) for box in each.outcome.boxes] for each in evaluations)
        lines.append([name, *map(_span, found)])
    lines.append(["cycles without a solution", *(str(e.outcome.unsolved) for e in evaluations)])
    lines.append(["fell", *(("yes" if e.outcome.fell else "no") for e in evaluations)])
    lines.append(["gave up", *(e.outcome.failure or "no" for e in evaluations)])
    return text_table(lines)


def _span(texts: Sequence[str]) -> str:
    known = [text for text in texts if text != "nan"]
    if not known:
        return "-"
    low, high = min(known, key=float), max(known, key=float)
    return low if low == high else f"{low} to {high}"


def grab_sentence(evaluations: Evaluations) -> str:
    """Return what a reader should see in the table, from its own numbers."""
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
