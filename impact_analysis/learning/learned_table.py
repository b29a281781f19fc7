# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Hits of a learning arm, one by one, as JSON and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from impact_analysis.learning.learned_scenario import LearnedScenario, WallTruth
from impact_predictor.joint_load.load_limits import CHANGE, RANGE
from impact_predictor.learning.knowledge import Knowledge
from impact_predictor.learning.learning_box import FIGURES
from impact_predictor.learning.wall_interval import SHOWN, interval
from impact_trials.in_process.learning_loop import LearningStep

_HEADER = (
    *("hit", "safe", "hit at", "share", "load", "stiffness [N/m]", "restitution"),
    *("friction", "exponent", "because"),
)
_WIDTHS = (3, 6, 6, 6, 5, 19, 12, 12, 12, 0)


def joint_width(known: Knowledge) -> float:
    """Return the mean width of the joints' intervals over that of their ranges [-]."""
    box = known.box
    joints = np.flatnonzero(box.free) >= FIGURES
    if not joints.any():
        return 0.0
    return float(np.minimum(known.half_width[joints], 1.0).mean())


def worst_limit(hit: Any, joints: Sequence[str]) -> str:
    """Return the limit with the highest utilisation in a hit, of its ``used``, shape (2 n,)."""
    kind, joint = divmod(int(hit.used.argmax()), len(joints))
    return f"{joints[joint]} {(CHANGE, RANGE)[kind]}"


def hit_entry(step: LearningStep, learner: LearnedScenario) -> dict[str, Any]:
    """Return the JSON entry of one hit."""
    known, hit, joints = step.learned.known, step.hit, learner.robot.joint_names
    truth = None if hit is None else hit.truth
    entry: dict[str, Any] = {
        "safe_speed_mps": step.safe.speed,
        "asked_speed_mps": step.asked,
        "reason": step.safe.reason,
        "promise": step.safe.promise,
        "problem": step.problem or None,
        "contact_speed_mps": None if truth is None else truth.speed,
        "speed_share": None if truth is None else truth.speed / learner.truth.best_speed,
        "load_over_limit": None if truth is None else truth.load,
        "true_restitution": None if truth is None else learner.restitution(truth.speed),
        "most_used_limit": None if truth is None else worst_limit(truth, joints),
        "detected": hit is not None and hit.detected,
        "contradicted": hit is not None and step.learned.changed,
        "misfit": float(known.misfit[-1]) if len(known.misfit) else None,
        "joint_interval_over_range": joint_width(known),
    }
    return entry | {"wall": {name: list(ends) for name, ends in interval(known).items()}}


def goal_entry(feedback: Any, hit: Any, learner: LearnedScenario) -> dict[str, Any]:
    """Return the JSON entry of one hit of the action LearnSurface, as :func:`hit_entry`.

    Args:
        feedback: impact_msgs/LearnSurface.Feedback, once it was learned from.
        hit: its truth, with ``speed`` [m/s] and ``used`` fractions of the limits, shape (2 n,).
        learner: of the scenario.
    """
    return {
        "safe_speed_mps": feedback.bound,
        "asked_speed_mps": feedback.speed,
        "reason": feedback.reason,
        "contact_speed_mps": hit.speed,
        "speed_share": hit.speed / learner.truth.best_speed,
        "load_over_limit": float(hit.used.max()),
        "measured_load_over_limit": feedback.load,
        "true_restitution": learner.restitution(hit.speed),
        "most_used_limit": worst_limit(hit, learner.robot.joint_names),
        "contradicted": feedback.contradicted,
        "misfit": feedback.misfit,
        "wall": {
            name: [getattr(feedback.surface, f"{name}_{end}") for end in ("low", "high")]
            for name in SHOWN
        },
    }


def hit_line(number: int, entry: dict[str, Any]) -> str:
    """Return one hit as a line of the table."""
    wall = entry["wall"]
    said = entry["reason"] + (", then a contradiction" if entry["contradicted"] else "")
    figures = ["-", "-", "-"]
    if entry["contact_speed_mps"] is not None:
        keys = ("contact_speed_mps", "speed_share", "load_over_limit")
        figures = [f"{entry[key]:.{digits}f}" for key, digits in zip(keys, (3, 2, 2), strict=True)]
    cells = (
        str(number),
        f"{entry['safe_speed_mps']:.3f}",
        *figures,
        "{:.2e}-{:.2e}".format(*wall["stiffness"]),
        *("{:.2f}-{:.2f}".format(*wall[name]) for name in SHOWN[1:]),
        said,
    )
    return _aligned(cells)


def header() -> str:
    """Return the first line of the table."""
    return _aligned(_HEADER)


def truth_line(truth: WallTruth) -> str:
    """Return the truth, below the table."""
    figures = truth.restitution, truth.friction, truth.exponent
    cells = ("", f"{truth.best_speed:.3f}", "", "1", "1", f"{truth.stiffness:.2e}")
    return _aligned((*cells, *(f"{each:.2f}" for each in figures), "the truth"))


def _aligned(cells: Sequence[str]) -> str:
    pairs = zip(cells, _WIDTHS, strict=True)
    return "  ".join(cell.rjust(width) for cell, width in pairs).rstrip()
