# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What HRP-4's grabs come to, over seeds, and what makes it fall; figures, not times.

Simulated trials with noise and delay. Run it with ``./impact bench grabs`` (seven minutes).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from impact_sim.humanoid.grab_file import grab_names, load_grab
from impact_trials.grab.grab_trial import grab_trial
from impact_trials.grab.outcome import GrabOutcome, PalmOutcome
from impact_trials.grab.troubles import TROUBLES, run_trouble

SEEDS = {"qp_hrp4_grab": 20}
FEW = 3  # of the other scenarios


def measure() -> dict[str, float]:
    """Return the figures of all scenarios over their seeds, then those of each trouble."""
    figures = {}
    for name in grab_names():
        scenario = load_grab(name)
        outcomes = [grab_trial(scenario, seed) for seed in range(SEEDS.get(name, FEW))]
        figures |= {f"{name}: {what}": value for what, value in _over_seeds(outcomes).items()}
    for name, trouble in TROUBLES.items():
        figures |= {f"{name}: {what}": v for what, v in _of(run_trouble(trouble)).items()}
    return figures


def _over_seeds(outcomes: list[GrabOutcome]) -> dict[str, float]:
    """Return the least and the largest of each figure, and how often what should not be was."""
    boxes = [box for each in outcomes for box in each.boxes]
    palms = [palm for box in boxes for palm in box.palms]
    figures: dict[str, float] = {
        "trials": len(outcomes),
        "falls": sum(each.fell for each in outcomes),
        "trials that gave up": sum(bool(each.failure) for each in outcomes),
        "cycles without a solution": sum(each.unsolved for each in outcomes),
        "impacts": len(palms),
        "impulses in the announced set": sum(palm.is_announced for palm in palms),
        "impulses in the closing speed's set": sum(palm.is_possible for palm in palms),
    }
    ranges: dict[str, tuple[Callable[[PalmOutcome], float], float, str]] = {
        "palm speed": (lambda palm: palm.speed, 1.0, "m/s"),
        "speed / robust bound": (lambda palm: palm.speed / palm.bound, 1.0, "-"),
        "detection after": (lambda palm: palm.latency, 1e3, "ms"),
        "closing speed": (lambda palm: palm.closing, 1.0, "m/s"),
        "impulse over composite body's": (lambda palm: palm.stopped, 1.0, "-"),
        "peak wrist torque / limit": (lambda palm: palm.wrist_load, 1.0, "-"),
    }
    for what, (value, scale, unit) in ranges.items():
        found = scale * np.array([value(palm) for palm in palms])
        figures[f"{what}, least [{unit}]"] = float(found.min())
        figures[f"{what}, most [{unit}]"] = float(found.max())
    figures["lift, least [m]"] = min(box.lifted for box in boxes)
    figures["margin of the ZMP to the lift's end, least [m]"] = min(box.margin for box in boxes)
    figures["margin of the ZMP from there on, least [m]"] = min(box.toss_margin for box in boxes)
    figures["box from the robot at the end, least [m]"] = min(box.distance for box in boxes)
    return figures


def _of(outcome: GrabOutcome) -> dict[str, float]:
    """Return the figures of a single trial of one box; NaN where there is nothing to measure."""
    (box,) = outcome.boxes
    nan = float("nan")
    return {
        "fell": float(outcome.fell),
        "gave up": float(bool(outcome.failure)),
        "cycles without a solution": float(outcome.unsolved),
        "palm speed, most [m/s]": max((palm.speed for palm in box.palms), default=nan),
        "peak wrist torque / limit, most": max((p.wrist_load for p in box.palms), default=nan),
        "lift [m]": box.lifted,
        "margin of the ZMP to the lift's end [m]": box.margin,
        "margin of the ZMP from there on [m]": box.toss_margin,
    }
