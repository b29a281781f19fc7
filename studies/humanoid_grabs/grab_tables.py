# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The study of grabs as tables: each scenario over its seeds, each failure case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from impact_analysis.present.table import Column, Table
from impact_trials.grab.outcome import GrabOutcome
from studies.humanoid_grabs.grab_spans import span, spanned
from studies.humanoid_grabs.grab_study import GrabStudy


def studies(found: GrabStudy) -> tuple[Table, Table]:
    """Return both tables."""
    return _scenarios(found), _troubles(found)


def _span(title: str, key: str, digits: int = 3, factor: float = 1.0) -> Column:
    """Return a column of the least and the most of a figure."""
    return Column("", title, text=lambda each: spanned(each[key], digits, factor))


def _scenarios(found: GrabStudy) -> Table:
    entries = [
        {"scenario": name, "bound_at_pose_mps": found.bounds[name]} | _over_seeds(trials)
        for name, trials in found.grabs.items()
    ]
    return Table(
        "scenarios",
        "Each scenario over its seeds, least to most: palms' speed, over the robust bound where the"
        " robot then was, detection after contact, peak J^T f of a wrist over its limit, lift;"
        " least margin of the zero-moment point up to the lift's end, and from there on",
        (
            Column("scenario", "scenario"),
            Column("trials", "trials"),
            _span("speed [m/s]", "palm_speed_mps"),
            _span("speed/bound", "speed_over_bound"),
            _span("noticed [ms]", "detection_delay_s", 1, 1e3),
            _span("wrist", "wrist_torque_over_limit", 2),
            _span("lift [m]", "lift_m"),
            Column("", "ZMP [m]", text="{0[zmp_margin_m][0]:.3f}".format),
            Column("", "toss [m]", text="{0[zmp_margin_toss_m][0]:.3f}".format),
        ),
        entries,
        entries,
    )


def _over_seeds(trials: Sequence[GrabOutcome]) -> dict[str, Any]:
    """Return the least and the most of each figure, and how often what should not be was."""
    boxes = [box for trial in trials for box in trial.boxes]
    palms = [palm for box in boxes for palm in box.palms]
    return {
        "trials": len(trials),
        "falls": sum(trial.fell for trial in trials),
        "gave_up": sum(bool(trial.failure) for trial in trials),
        "cycles_without_solution": sum(trial.unsolved for trial in trials),
        "impacts": len(palms),
        "impulses_announced": sum(palm.is_announced for palm in palms),
        "impulses_of_closing_speed": sum(palm.is_possible for palm in palms),
        "palm_speed_mps": span(palm.speed for palm in palms),
        "speed_over_bound": span(palm.speed / palm.bound for palm in palms),
        "detection_delay_s": span(palm.latency for palm in palms),
        "closing_speed_mps": span(palm.closing for palm in palms),
        "impulse_over_composite_body": span(palm.stopped for palm in palms),
        "wrist_torque_over_limit": span(palm.wrist_load for palm in palms),
        "lift_m": span(box.lifted for box in boxes),
        "zmp_margin_m": span(box.margin for box in boxes),
        "zmp_margin_toss_m": span(box.toss_margin for box in boxes),
        "box_distance_m": span(box.distance for box in boxes),
    }


def _troubles(found: GrabStudy) -> Table:
    """Return what makes it fall: a box of 1.08 kg, one thing that is different."""
    entries = [{"trouble": name, **_alone(one)} for name, one in found.troubles.items()]
    numbers = {
        "speed [m/s]": "palm_speed_most_mps",
        "wrist": "wrist_torque_over_limit",
        "lift [m]": "lift_m",
        "ZMP [m]": "zmp_margin_m",
        "toss [m]": "zmp_margin_toss_m",
    }
    return Table(
        "troubles",
        f"What makes it fall: one box of 1.08 kg, seed {found.seed}, one thing that is different",
        (
            Column("trouble", "what"),
            Column("", "falls", text=_fell),
            *(Column("", name, text=f"{{0[{key}]:.3f}}".format) for name, key in numbers.items()),
        ),
        entries,
        entries,
    )


def _fell(each: dict[str, Any]) -> str:
    return "yes" if each["fell"] else f"no: {each['gave_up']}" if each["gave_up"] else "no"


def _alone(outcome: GrabOutcome) -> dict[str, Any]:
    """Return the figures of a single trial of one box; nan where there is nothing to measure."""
    (box,) = outcome.boxes
    return {
        "fell": outcome.fell,
        "gave_up": outcome.failure,
        "cycles_without_solution": outcome.unsolved,
        "palm_speed_most_mps": span(palm.speed for palm in box.palms)[1],
        "detection_delay_most_s": span(palm.latency for palm in box.palms)[1],
        "wrist_torque_over_limit": span(palm.wrist_load for palm in box.palms)[1],
        "lift_m": box.lifted,
        "zmp_margin_m": box.margin,
        "zmp_margin_toss_m": box.toss_margin,
    }
