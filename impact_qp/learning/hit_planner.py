# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Hit after hit of a wall: how fast the next one may be asked for, and what it told."""

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

NOT_KEPT = 1.05  # speed of a hit over the one asked for, above which the arm did not keep it
READING = 0.05  # fraction of a limit by which a measured peak may be off [-]
BROKEN = 2  # hits that used more than was promised, after which there is no other


class HitPlanner:
    """Learns from hits, and plans each as fast as those before make safe.

    After a hit that came more than a twentieth too fast all others are asked to be slower by as
    much. After the second hit that used more of a limit than was promised there is no other one.

    Attributes:
        learned: what is known.
        asked: speed of the last hit that was planned [m/s].
        problem: why there must be no further hit, "" if there may be.
    """

    def __init__(self, box: LearningBox, ceilings: tuple[Ceiling, ...] = ()) -> None:
        """Begin with nothing but the box.

        Args:
            box: of what is unknown of wall and joints.
            ceilings: that hold at this place from before.
        """
        self._box, self.learned = box, Learned(nothing_known(box, ceilings))
        self.asked, self._over = 0.0, 1.0
        self._promised, self._hits, self.problem = 1.0, 0, ""
        self._broken: list[str] = []

    def plan(self, approach: WallApproach, limit: float = inf) -> tuple[SafeSpeed, float]:
        """Return how fast the next hit may be, and is asked for [m/s]; takes about a second.

        Asked for is the safe speed, or what the arm keeps; less if it was too fast before.

        Where the arm arrives depends on the speed: looked at are the places where it arrives at
        the speed of the hit before, and at the one that is safe there.

        Args:
            approach: of the hit.
            limit: no faster than that [m/s].

        Raises:
            ControlError: the arm does not get to the wall, or there must be no further hit.
            RobotError: the wall is out of reach.
            PredictionError: nothing is unknown, or the robot's YAML does not give what loads need.
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
        """Learn from the hit that was planned; takes tenths of a second to seconds.

        Raises:
            PredictionError: it is not sampled as needed.
            NotApproachingError: the arm moved away from the wall.
        """
        self.learned = learn_hit(self.learned, aligned(self._box, hit))
        window = self.learned.known.windows[-1]
        if window.speed > NOT_KEPT * self.asked:
            self._over = max(self._over, window.speed / self.asked)
        self._judge(window)

    def _judge(self, window: HitWindow) -> None:
        """Compare what a hit used with what was promised for its speed."""
        self._hits += 1
        used = self.learned.known.used(window)
        promised = self._promised * max(1.0, window.speed / self.asked) if self.asked else 0.0
        if used > promised + READING:
            line = f"hit {self._hits} used {used:.2f} of a limit instead of {promised:.2f}"
            self._broken.append(line)
        if len(self._broken) == BROKEN:
            self.problem = " and ".join(self._broken)
