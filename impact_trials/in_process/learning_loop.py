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
    """One hit, its safe speed, and the ranges after it."""

    safe: SafeSpeed
    asked: float  # commanded: the safe or the reachable speed; less if the last was too fast [m/s]
    hit: RecordedHit | None  # None: the approach ended before it
    learned: Learned
    problem: str = ""  # why no other hit follows; "": one may follow


def learning_steps(
    box: LearningBox, approaches: Sequence[WallApproach], strike: Strike
) -> Iterator[LearningStep]:
    """Yield hits, each at the speed that is safe by the hits before.

    Ends after the second hit whose load exceeded the predicted fraction of a limit.

    Args:
        box: ranges of the unknowns of wall and joints.
        approaches: one per hit.
        strike: executes a hit.

    Raises:
        PredictionError: nothing is unknown, or the robot's YAML lacks fields of the load model.
        ControlError: the arm cannot reach the wall.
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
