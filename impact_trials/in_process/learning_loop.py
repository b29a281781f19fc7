# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Hit, learn, hit faster: the closed loop of learning a wall and joints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from impact_predictor.learning.learning_box import LearningBox
from impact_predictor.learning.next_speed import SafeSpeed
from impact_predictor.learning.wall_change import Learned
from impact_predictor.recorded_hit import RecordedHit
from impact_qp.learning.hit_planner import HitPlanner
from impact_qp.learning.wall_approach import WallApproach

Strike = Callable[[int, float], RecordedHit | None]  # hit of a number, from 0, at a speed [m/s]


class LearningStep(NamedTuple):
    """One hit, the speed that was found safe before it, and what is known after it."""

    safe: SafeSpeed
    asked: float  # the safe speed, or what the arm keeps; less if it was too fast before [m/s]
    hit: RecordedHit | None  # none: the approach ended before it
    learned: Learned
    problem: str = ""  # why no other one follows, "" if there may be


def learning_steps(
    box: LearningBox, approaches: Sequence[WallApproach], strike: Strike
) -> Iterator[LearningStep]:
    """Yield one hit after the other, each as fast as those before make safe.

    Ends after the second one that used more of a limit than was promised.

    Args:
        box: what is unknown of wall and joints.
        approaches: one a hit.
        strike: lets the arm hit.

    Raises:
        PredictionError: nothing is unknown, or the robot's YAML does not give what loads need.
        ControlError: the arm does not get to the wall.
    """
    planner = HitPlanner(box)
    for number, approach in enumerate(approaches):
        safe, asked = planner.plan(approach)
        hit = strike(number, asked)
        if hit is not None:
            planner.learn(hit)
        yield LearningStep(safe, asked, hit, planner.learned, planner.problem)
        if planner.problem:
            return
