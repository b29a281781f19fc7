# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Plans the speed of each hit of a wall, and learns from its record."""

from __future__ import annotations

from math import inf

from impact_predictor.learning.alignment import aligned
from impact_predictor.learning.knowledge import Ceiling, nothing_known
from impact_predictor.learning.learning_box import LearningBox
from impact_predictor.learning.next_speed import SafeSpeed
from impact_predictor.learning.wall_change import Learned, learn_hit, speed_after
from impact_predictor.recorded_hit import RecordedHit
from impact_qp.exceptions import ControlError
from impact_qp.learning.hit_judge import HitJudge
from impact_qp.learning.wall_approach import WallApproach
from impact_robots.state.state import PointState


class HitPlanner:
    """Learns from hits, and plans each as fast as the previous hits make safe.

    Each is compared with its prediction, see :class:`.HitJudge`.

    Attributes:
        learned: present knowledge.
        asked: requested speed of the last planned hit [m/s].
    """

    def __init__(self, box: LearningBox, ceilings: tuple[Ceiling, ...] = ()) -> None:
        """Begin with the box only.

        Args:
            box: of unknown parameters of wall and joints.
            ceilings: known at this place from before.
        """
        self._box, self.learned = box, Learned(nothing_known(box, ceilings))
        self.asked, self._promised, self._judge = 0.0, 0.0, HitJudge("hit")

    @property
    def problem(self) -> str:
        """Why there must be no further hit, "" if there may be."""
        return self._judge.problem

    def plan(self, approach: WallApproach, limit: float = inf) -> tuple[SafeSpeed, float]:
        """Return the safe speed of the next hit and the requested one [m/s]; takes about a second.

        The request is the safe speed or the highest achievable one; less if hits were too fast.

        The place of contact depends on the speed: evaluated are the places at the speed of the
        previous hit, and at the speed that is safe there.

        Args:
            approach: of the hit.
            limit: highest speed [m/s].

        Raises:
            ControlError: the arm does not reach the wall, or no further hit is allowed.
            RobotError: the wall is out of reach.
            PredictionError: nothing is unknown, or the robot's YAML lacks values for loads.
        """
        if self.problem:
            raise ControlError(self.problem)

        def safe_at(place: PointState) -> SafeSpeed:
            return speed_after(self.learned, place, direction=approach.direction)

        def asked(safe: SafeSpeed) -> float:
            return min(safe.speed, approach.fastest, limit) / self._judge.over

        first = safe_at(approach.arrives(self.asked))
        safe = min(first, safe_at(approach.arrives(asked(first))))
        self.asked = asked(safe)
        self._promised = safe.promised * self.asked / safe.speed if safe.speed > 0.0 else 0.0
        return safe, self.asked

    def learn(self, hit: RecordedHit) -> None:
        """Learn from the planned hit; takes tenths of a second to seconds.

        Raises:
            PredictionError: it is not sampled as required.
            NotApproachingError: the arm moved away from the wall.
        """
        self.learned = learn_hit(self.learned, aligned(self._box, hit))
        window = self.learned.known.windows[-1]
        used = self.learned.known.used(window)
        self._judge.judge(self.asked, self._promised, window.speed, used)
