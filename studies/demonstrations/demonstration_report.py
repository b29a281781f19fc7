# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Claims about references from demonstrations, compared with the results of the study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from impact_analysis.present.table import Column, Table
from studies.demonstrations.demonstration_study import MODES, DemonstrationTrial, Repetition
from studies.row import OURS, ClaimTable, Row, promised

NAME = "demonstrations"
BEFORE, AFTER = 1e-3, 10e-3  # goals of path errors, rms, at the median [m]
FAST = 0.05  # of the speed at the impact, relative, at the median [-]
MOVED = 0.01  # of the box's way, at the median [m]


def table(found: Sequence[DemonstrationTrial]) -> ClaimTable:
    """Return the claims with their results."""
    rows = (_accepted(found), _before(found), _after(found), _speed(found), _box(found))
    title = "References from demonstrations by a hand, and the arm's repetitions"
    return ClaimTable(NAME, title, rows, (_repetitions(found),))


def _accepted(found: Sequence[DemonstrationTrial]) -> Row:
    made = [each for each in found if not each.refused]
    stopped = sum(bool(each.stopped) for _, each in _all(found))
    count = len(_all(found))
    by_mode = {mode: sum(bool(e.stopped) for _, e in _all(found, mode)) for mode in _names()}
    late = max((abs(each.contact_error) for each in made), default=np.nan)
    return promised(
        "D1",
        OURS,
        "a recorded demonstration gives references, and the arm follows them to their end",
        "all, none stopped",
        f"{len(made)} of {len(found)}, {stopped} of {count} stopped",
        f"{len(found) - len(made)}, {stopped}",
        len(made) == len(found) and not stopped,
        f"first contact by the acceleration detector, at most {late * 1e3:.1f} ms off",
        figures={
            "demonstrations": len(found),
            "accepted": len(made),
            **{f"stopped_{mode}": by_mode[mode] for mode in _names()},
            "contact_error_largest_s": late,
        },
    )


def _before(found: Sequence[DemonstrationTrial]) -> Row:
    return _median_row(
        found,
        "D2",
        "up to the impact the contact point is on the demonstrated path",
        BEFORE,
        lambda _, each: each.before[0],
        "path_before",
    )


def _after(found: Sequence[DemonstrationTrial]) -> Row:
    return _median_row(
        found,
        "D3",
        "and after it, up to the demonstration's end",
        AFTER,
        lambda _, each: each.after[0],
        "path_after",
    )


def _box(found: Sequence[DemonstrationTrial]) -> Row:
    return _median_row(
        found,
        "D5",
        "the box is moved as far as in the demonstration",
        MOVED,
        lambda trial, each: abs(each.box - trial.box),
        "box",
    )


def _median_row(
    found: Sequence[DemonstrationTrial],
    row_id: str,
    claim: str,
    goal: float,
    value: Any,
    key: str,
) -> Row:
    """Return the row of a distance [m] whose median shall be at most ``goal`` by each mode."""
    by_mode = {mode: [value(*each) for each in _all(found, mode)] for mode in _names()}
    medians = {mode: float(np.median(each)) for mode, each in by_mode.items()}
    worst = max(medians.values())
    return promised(
        row_id,
        OURS,
        claim,
        f"<= {goal * 1e3:g} mm",
        ", ".join(f"{mode} {each * 1e3:.2f}" for mode, each in medians.items()) + " mm",
        f"{(worst - goal) * 1e3:+.2f} mm",
        worst <= goal,
        "median of the trials"
        + "".join(f"; {mode} at most {max(each) * 1e3:.1f} mm" for mode, each in by_mode.items()),
        figures={
            **{f"{key}_{mode}_median_m": each for mode, each in medians.items()},
            **{f"{key}_{mode}_largest_m": float(max(each)) for mode, each in by_mode.items()},
        },
    )


def _speed(found: Sequence[DemonstrationTrial]) -> Row:
    ratios = {
        mode: [each.speed / trial.speed for trial, each in _all(found, mode)] for mode in _names()
    }
    off = {mode: [abs(each - 1.0) for each in of] for mode, of in ratios.items()}
    worst = max(float(np.median(each)) for each in off.values())
    return promised(
        "D4",
        OURS,
        "the speed into the box right before the impact is the demonstrated one",
        f"within {FAST:.0%}",
        ", ".join(f"{mode} {np.median(each):.1%}" for mode, each in off.items()),
        f"{worst - FAST:+.1%}",
        worst <= FAST,
        "median of the relative differences"
        + "".join(f"; {mode} at most {max(each):.1%}" for mode, each in off.items()),
        figures={
            **{f"speed_off_{mode}_median": float(np.median(each)) for mode, each in off.items()},
            **{f"speed_off_{mode}_largest": float(max(each)) for mode, each in off.items()},
        },
    )


def _names() -> tuple[str, ...]:
    return tuple(mode.value for mode in MODES)


def _all(
    found: Sequence[DemonstrationTrial], mode: str = ""
) -> list[tuple[DemonstrationTrial, Repetition]]:
    """Return trials with a contact and their repetitions, of one mode or of all."""
    return [
        (trial, each)
        for trial in found
        for each in trial.repetitions
        if mode in ("", each.mode) and np.isfinite(each.speed)
    ]


def _repetitions(found: Sequence[DemonstrationTrial]) -> Table:
    """Return the table of all repetitions."""
    entries = [
        {
            "scenario": trial.scenario,
            "seed": trial.seed,
            "mode": each.mode,
            "stopped": each.stopped or None,
            "demonstrated_speed_mps": trial.speed,
            "reference_speed_mps": trial.reference_speed,
            "speed_mps": each.speed,
            "path_before_rms_m": each.before[0],
            "path_before_largest_m": each.before[1],
            "path_after_rms_m": each.after[0],
            "path_after_largest_m": each.after[1],
            "timed_before_rms_m": each.timed[0],
            "timed_after_rms_m": each.timed[1],
            "fit_before_rms_m": trial.fit[0],
            "fit_after_rms_m": trial.fit[1],
            "demonstrated_box_m": trial.box,
            "box_m": each.box,
        }
        for trial, each in _all(found)
    ]
    shown = (
        Column("scenario", "scenario"),
        Column("seed", "seed"),
        Column("mode", "mode"),
        Column("demonstrated_speed_mps", "speed shown", ".3f"),
        Column("speed_mps", "made [m/s]", ".3f"),
        Column("path_before_rms_m", "before, rms", ".2f", factor=1e3),
        Column("path_before_largest_m", "largest", ".2f", factor=1e3),
        Column("path_after_rms_m", "after, rms", ".1f", factor=1e3),
        Column("path_after_largest_m", "largest [mm]", ".1f", factor=1e3),
        Column("demonstrated_box_m", "box shown", ".0f", factor=1e3),
        Column("box_m", "moved [mm]", ".0f", factor=1e3),
        Column("stopped", "stopped"),
    )
    return Table("repetitions", "Distance to the demonstrated path", shown, entries, entries)
