# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Predictions of every model beside what was measured, and which model is best.

As in Rey Arias 2024, section IV: absolute error of each joint's velocity against the gross
velocity, mean over repetitions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from impact_analysis.analyze.comparing.identify import MOST, Coefficients
from impact_analysis.analyze.comparing.impacts import Impacts, model_spread
from impact_predictor.laws.friction_law import FRICTION_LAWS

SIGNIFICANT = 1.0  # difference of mean errors that counts, Rey Arias 2024 [deg/s]
RESAMPLES = 1000
LEVEL = 95.0  # of the intervals [%]


@dataclass(frozen=True)
class Candidate:
    """A model: inertia of the impact map, friction and restitution."""

    inertia: str
    law: str  # "frictionless", or one of FRICTION_LAWS
    friction: float  # [-]
    restitution: float  # [-]

    @property
    def name(self) -> str:
        """What it is called in tables."""
        return f"{self.inertia}, {self.law}"

    def predicted(self, impacts: Impacts) -> np.ndarray:
        """Return joint velocities after, shape (k, n) [rad/s]."""
        law = "coulomb" if self.law == "frictionless" else self.law
        return impacts.predicted(self.inertia, self.friction, self.restitution, law)


def candidates_of(found: Mapping[str, Coefficients]) -> list[Candidate]:
    """Return every model: inertias by friction laws."""
    return [
        Candidate(
            inertia,
            law,
            0.0 if law == "frictionless" else each.friction.used,
            each.restitution.used,
        )
        for inertia, each in found.items()
        for law in (*FRICTION_LAWS, "frictionless")
    ]


@dataclass(frozen=True)
class Ranked:
    """A model's place; errors are means over joints and impacts of the absolute error [rad/s]."""

    candidate: Candidate
    error: float
    low: float  # of its interval, by resampling impacts
    high: float
    best_share: float  # of the resamples in which it is the best
    worse_low: float  # interval of its error minus the best one's, 0 for that one
    worse_high: float


def rank(impacts: Impacts, candidates: Sequence[Candidate], seed: int = 0) -> list[Ranked]:
    """Return the models, best first, with bootstrap intervals (percentiles).

    What a model is worse than the best one has an interval that also holds the errors of models.

    Args:
        impacts: at least one; with one all intervals are that point.
        candidates: at least one.
        seed: of the resampling.
    """
    absolute = np.array([abs(each.predicted(impacts) - impacts.measured) for each in candidates])
    by_impact = absolute.mean(axis=2)  # shape (candidates, k)
    means = by_impact.mean(axis=1)
    drawn = resampled(by_impact, seed)  # shape (candidates, resamples)
    best = int(np.argmin(means))
    winners = np.bincount(drawn.argmin(axis=0), minlength=len(candidates)) / drawn.shape[1]
    low, high = interval(drawn)
    worse_low, worse_high = interval(drawn - drawn[best])
    unsure = _by_model(impacts, candidates, best, seed)
    worse_low, worse_high = worse_low - unsure, worse_high + unsure
    order = np.argsort(means, kind="stable")
    return [
        Ranked(
            candidates[i],
            *(float(values[i]) for values in (means, low, high, winners, worse_low, worse_high)),
        )
        for i in order
    ]


def _by_model(
    impacts: Impacts, candidates: Sequence[Candidate], best: int, seed: int
) -> np.ndarray:
    """Return what errors of the model change of the errors over the best one's, (m,) [rad/s].

    Each error moves predictions of all candidates as it moves those of the best inertia's.
    """
    some = impacts.subset(MOST, seed)
    one = candidates[best]
    law = "coulomb" if one.law == "frictionless" else one.law
    spread, _ = model_spread(some, one.inertia, one.friction, one.restitution, law)
    errors = np.array([each.predicted(some) - some.measured for each in candidates])
    size = np.abs(errors).mean(axis=(1, 2))
    moved = np.array([np.abs(errors + change).mean(axis=(1, 2)) - size for change in spread])
    return np.asarray(np.linalg.norm(moved - moved[:, [best]], axis=0))


def resampled(by_impact: np.ndarray, seed: int) -> np.ndarray:
    """Return means over impacts drawn with replacement, (m, k) to (m, RESAMPLES)."""
    k = by_impact.shape[1]
    drawn = np.random.default_rng(seed).integers(0, k, (RESAMPLES, k))
    counts = np.stack([np.bincount(row, minlength=k) for row in drawn], axis=1)
    return np.asarray(by_impact @ (counts / k))


def interval(drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the percentiles that enclose ``LEVEL`` % of the last axis."""
    tail = (100.0 - LEVEL) / 2
    low, high = np.percentile(drawn, [tail, 100.0 - tail], axis=-1)
    return low, high


@dataclass(frozen=True)
class Cell:
    """One group and joint of the comparison table."""

    group: str
    joint: str
    repetitions: int
    errors: dict[str, float]  # of each inertia, mean absolute [rad/s]
    significant: bool  # M+B_theta and M+B_rho differ by more than the published 1 deg/s
    before: float  # mean velocity before [rad/s]
    after: float  # mean gross velocity after [rad/s]


def table(impacts: Impacts, candidates: dict[str, Candidate]) -> list[Cell]:
    """Return the comparison per group and joint, as Tables II and III of Rey Arias 2024."""
    absolute = {
        name: abs(candidate.predicted(impacts) - impacts.measured)
        for name, candidate in candidates.items()
    }
    cells = []
    before = np.array([item.dq_before for item in impacts.items])
    for group in impacts.groups:
        chosen = np.array([item.group == group for item in impacts.items])
        for j, joint in enumerate(impacts.robot.joint_names):
            errors = {name: float(values[chosen, j].mean()) for name, values in absolute.items()}
            apart = abs(errors.get("M+B_theta", np.nan) - errors.get("M+B_rho", np.nan))
            cells.append(
                Cell(
                    group,
                    joint,
                    int(chosen.sum()),
                    errors,
                    bool(np.degrees(apart) > SIGNIFICANT),
                    float(before[chosen, j].mean()),
                    float(impacts.measured[chosen, j].mean()),
                )
            )
    return cells
