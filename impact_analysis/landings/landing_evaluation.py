# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Compares impact maps and simulations with recorded landings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from impact_analysis.landings.foot_touch import foot_touches
from impact_analysis.landings.forward_loss import forward_losses, held_loss
from impact_analysis.landings.jump_models import JUMP_MODELS
from impact_analysis.landings.jump_score import FootJump, foot_jump, skill
from impact_analysis.landings.landing import Landing
from impact_robots import Robot

SAMPLES = 1000  # of the bootstrap


@dataclass(frozen=True)
class LandingResult:
    """One landing."""

    landing: Landing
    jumps: list[FootJump]  # one per foot
    losses: dict[str, dict[str, float]]  # of the simulations, by floor and inertia
    held: float  # loss of a velocity that stays as it is


@dataclass(frozen=True)
class LandingEvaluation:
    """All landings of a robot."""

    robot: Robot
    results: tuple[LandingResult, ...]
    skills: dict[str, float]  # of the jumps, by model
    intervals: dict[str, tuple[float, float]]  # of these, 95 %, landings resampled; one: empty
    passive: dict[str, float]  # of the joints without a motor, by model

    @property
    def jumps(self) -> list[FootJump]:
        """Of all feet of all landings."""
        return [jump for result in self.results for jump in result.jumps]

    def mean_loss(self, floor: str, inertia: str) -> float:
        """Return the mean loss of a simulation over the landings."""
        return float(np.mean([result.losses[floor][inertia] for result in self.results]))

    @property
    def held(self) -> float:
        """Mean loss of a velocity that stays as it is."""
        return float(np.mean([result.held for result in self.results]))


def evaluate_landings(
    landings: Sequence[Landing],
    robot: Robot,
    seed: int = 0,
    progress: Callable[[float, str], None] = lambda fraction, note: None,
) -> LandingEvaluation:
    """Return how maps and simulations did; nothing is fitted.

    Args:
        landings: at least one.
        robot: that landed.
        seed: of the intervals.
        progress: called with the fraction that is done, and of what.

    Raises:
        RobotError: a landing is another robot's.
        UnsolvedImpactError: no impulses were found that satisfy Coulomb's law.
    """
    results = []
    for i, landing in enumerate(landings):
        progress(i / len(landings), landing.name)
        results.append(_result(landing, robot))
    jumps = [jump for result in results for jump in result.jumps]
    names = [model.name for model in JUMP_MODELS]
    drawn = np.random.default_rng(seed).integers(len(results), size=(SAMPLES, len(results)))
    return LandingEvaluation(
        robot,
        tuple(results),
        {name: skill(jumps, name) for name in names},
        {name: _interval(results, name, drawn) for name in names if len(results) > 1},
        {name: skill(jumps, name, passive=True) for name in names},
    )


def _result(landing: Landing, robot: Robot) -> LandingResult:
    """Return what one landing says."""
    touches = foot_touches(landing, robot)
    return LandingResult(
        landing,
        [foot_jump(landing, touch, robot) for touch in touches],
        forward_losses(landing, touches, robot),
        held_loss(landing, robot),
    )


def _interval(results: list[LandingResult], model: str, drawn: np.ndarray) -> tuple[float, float]:
    """Return the 95 % interval of a skill, landings resampled."""
    sums = np.array([_sums(result.jumps, model) for result in results])
    error, size = sums[drawn].sum(axis=1).T
    low, high = np.quantile(1.0 - error / size, [0.025, 0.975])
    return float(low), float(high)


def _sums(jumps: list[FootJump], model: str) -> tuple[float, float]:
    """Return the squares of a model's errors and of the jumps, summed."""
    pairs = [(jump.predicted[model] - jump.measured, jump.measured) for jump in jumps]
    error, size = (
        sum(float(each @ each) for each in column) for column in zip(*pairs, strict=True)
    )
    return error, size
