# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Hit, learn, hit faster: the closed loop of learning a wall and joints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from impact_predictor.learning.knowledge import nothing_known
from impact_predictor.learning.learning_box import LearningBox
from impact_predictor.learning.next_speed import SafeSpeed
from impact_predictor.learning.touch import aligned
from impact_predictor.learning.wall_change import Learned, learn_hit, speed_after
from impact_qp.learning.wall_approach import WallApproach
from impact_trials.wall_hit import WallHit

Strike = Callable[[int, float], WallHit | None]  # hit of a number, from 0, at a speed [m/s]

NOT_KEPT = 1.05  # speed of a hit over the one asked for, above which the arm did not keep it


class LearningStep(NamedTuple):
    """One hit, the speed that was found safe before it, and what is known after it."""

    safe: SafeSpeed
    asked: float  # the safe speed, or what the arm keeps; less if it was too fast before [m/s]
    hit: WallHit | None  # none: the approach ended before it
    learned: Learned


def learning_steps(
    box: LearningBox, approaches: Sequence[WallApproach], strike: Strike
) -> Iterator[LearningStep]:
    """Yield one hit after the other, each as fast as those before make safe.

    After a hit that came more than a twentieth too fast all others are asked to be slower by as
    much.

    Args:
        box: what is unknown of wall and joints.
        approaches: one a hit.
        strike: lets the arm hit.

    Raises:
        PredictionError: nothing is unknown, or the robot's YAML does not give what loads need.
    """
    learned, over = Learned(nothing_known(box)), 1.0
    for number, approach in enumerate(approaches):
        places, way = (approach.point, approach.arrival), approach.direction
        safe = min(speed_after(learned, place, direction=way) for place in places)
        asked = min(safe.speed, approach.fastest) / over
        hit = strike(number, asked)
        if hit is not None:
            learned = learn_hit(learned, aligned(box, hit.recorded))
            came = learned.known.windows[-1].speed / asked
            over = max(over, came) if came > NOT_KEPT else over
        yield LearningStep(safe, asked, hit, learned)
