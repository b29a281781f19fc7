# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Plans the speed of each hit of a wall, and learns from its record."""

from __future__ import annotations

from math import inf

from impact_predictor.learning.alignment import aligned
from impact_predictor.learning.hit_window import HitWindow
from impact_predictor.learning.knowledge import Ceiling, nothing_known
from impact_predictor.learning.learning_box import LearningBox
from impact_predictor.learning.next_speed import SafeSpeed
from impact_predictor.learning.wall_change import Learned, learn_hit, speed_after
from impact_predictor.recorded_hit import RecordedHit
from impact_qp.exceptions import ControlError
from impact_qp.learning.wall_approach import WallApproach
from impact_robots.state.state import PointState

NOT_KEPT = 1.05  # ratio of achieved to requested speed above which the hit was too fast
READING = 0.05  # error of a measured peak, as a fraction of a limit [-]
BROKEN = 2  # hits that exceeded the prediction, after which no other hit follows


class HitPlanner:
    """Learns from hits, and plans each as fast as the previous hits make safe.

    After a hit more than 5 % too fast, all later requests are reduced by the same factor. After the
    second hit that used more of a limit than predicted, no other hit follows.

    Attributes:
        learned: present knowledge.
        asked: requested speed of the last planned hit [m/s].
        problem: why there must be no further hit, "" if there may be.
    """

    def __init__(self, box: LearningBox, ceilings: tuple[Ceiling, ...] = ()) -> None:
        """Begin with the box only.

        Args:
            box: of unknown parameters of wall and joints.
            ceilings: known at this place from before.
        """
        self._box, self.learned = box, Learned(nothing_known(box, ceilings))
        self.asked, self._over = 0.0, 1.0
        self._promised, self._hits, self.problem = 1.0, 0, ""
        self._broken: list[str] = []

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
            return min(safe.speed, approach.fastest, limit) / self._over

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
        if window.speed > NOT_KEPT * self.asked:
            self._over = max(self._over, window.speed / self.asked)
        self._judge(window)

    def _judge(self, window: HitWindow) -> None:
        """Compare the limit usage of a hit with the prediction for its speed."""
        self._hits += 1
        used = self.learned.known.used(window)
        promised = self._promised * max(1.0, window.speed / self.asked) if self.asked else 0.0
        if used > promised + READING:
            line = f"hit {self._hits} used {used:.2f} of a limit instead of {promised:.2f}"
            self._broken.append(line)
        if len(self._broken) == BROKEN:
            self.problem = " and ".join(self._broken)
