# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Plans the speed of each strike by what is known of tool and nail, and learns from strikes."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import NamedTuple

import numpy as np

from impact_predictor.learning.knowledge import Ceiling, ceiling_of, lowest
from impact_predictor.strike.strike_plan import StrikeLimit, strike_limit, wanted_speed
from impact_predictor.strike.striker import Striker
from impact_predictor.strike.tap_fit import Tap, head_speed, learn_strike
from impact_qp.learning.hit_judge import HitJudge
from impact_qp.learning.wall_approach import WallApproach
from impact_robots.robot import Robot
from impact_robots.tools.target import Target
from impact_robots.tools.tool import Tool

FASTER = 1.5  # highest ratio of the speeds of successive strikes, while it learns [-]
LEARNED = 3  # strikes that it learns from
WORST_FIT = 2.5  # misfit of a strike above which nothing is learned from it


class SafeStrike(NamedTuple):
    """A speed, and what it is based on."""

    speed: float  # of the head along the strike [m/s]
    used: float  # predicted fraction of a limit in the worst case of all ranges [-]

    def at(self, speed: float) -> SafeStrike:
        """Return the strike at another speed [m/s]."""
        return SafeStrike(speed, self.used * speed / self.speed if speed else 0.0)


class StrikePlanner:
    """Knows tool and target by ranges, and learns them from strikes if it may.

    Each strike is compared with its prediction, see :class:`.HitJudge`.

    Attributes:
        robot: the arm, whose own tool is replaced.
        tool: as it is known now.
        target: as it is known now.
        ceilings: speeds of strikes that came near a limit, which no later one of the same place
            exceeds.
    """

    def __init__(
        self,
        robot: Robot,
        tool: Tool,
        target: Target,
        *,
        learns: bool = False,
        ceilings: tuple[Ceiling, ...] = (),
    ) -> None:
        """Begin with what is announced.

        Args:
            robot: the arm, whose own tool is replaced.
            tool: that strikes.
            target: a nail, or a stop.
            learns: narrow the ranges of tool and nail by the first strikes.
            ceilings: of strikes before.
        """
        self.robot, self.tool, self.target, self._learns = robot, tool, target, learns
        self.ceilings, self._place = ceilings, np.zeros(robot.dof)
        self._safe: SafeStrike | None = None
        self._asked: SafeStrike | None = None  # of the last planned strike
        self._strikes, self._judge = 0, HitJudge("strike")

    @property
    def problem(self) -> str:
        """Why there must be no further strike, "" if there may be."""
        return self._judge.problem

    def plan(self, approach: WallApproach, deep: WallApproach, highest: float = inf) -> SafeStrike:
        """Return the speed of the next strike; takes seconds after something was learned.

        Evaluated is where the arm arrives at that speed, at the nail as it is and at its depth. An
        amount that the target wishes is delivered by the gentlest strike that does. Requested is
        less if strikes were too fast.

        Args:
            approach: of the strike.
            deep: of a strike on the nail at its depth.
            highest: speed that no strike of this planner exceeds [m/s].

        Returns:
            The speed, 0 if none is safe or no safe one delivers what is wished.

        Raises:
            ControlError: the arm does not reach the nail.
            PredictionError: the robot's YAML lacks fields of the load model.
        """
        if self._safe is None:
            self._place = approach.point.q
            most = min(highest, lowest(self.ceilings, self._place))
            limits = [self._limit(self._place)]
            safe = _below(limits[0], min(approach.fastest, most))
            for each in (approach, deep):
                if safe.speed > 0.0:
                    limits.append(self._limit(each.arrives(safe.speed).q))
                    safe = min(safe, _below(limits[-1], safe.speed))
            last = inf if self._asked is None else self._asked.speed
            speed = min(safe.speed, FASTER * last)
            if speed > 0.0:
                speed = wanted_speed(limits[1], self.target, speed)  # at the nail as it is
            self._safe = safe.at(speed)
        self._asked = self._safe.at(self._safe.speed / self._judge.over)
        return self._asked

    def _limit(self, q: np.ndarray) -> StrikeLimit:
        """Return the highest safe speed at a configuration."""
        found = strike_limit(Striker(self.robot, self.tool, q), self.target)
        assert found is not None  # no speed is too low
        return found

    def remember(self, tap: Tap, used: float) -> None:
        """Let the load of a planned strike count: compare it with its prediction, take its ceiling.

        Args:
            tap: the strike.
            used: largest fraction of a limit that was measured [-].

        Raises:
            PredictionError: the robot's YAML lacks fields of the load model.
        """
        assert self._safe is not None  # of every strike
        assert self._asked is not None
        speed = head_speed(Striker(self.robot, self.tool, tap.at), tap)
        self._judge.judge(*self._asked, speed, used)
        if (ceiling := ceiling_of(self._place, speed, used)) is not None:
            self.ceilings = (*self.ceilings, ceiling)
            slower = self._safe.at(min(self._safe.speed, ceiling.speed))
            self._safe = None if self.target.wish.amount else slower  # which may not deliver

    def learn(self, tap: Tap, used: float) -> None:
        """Remember a strike, and learn from it; arguments as of :meth:`remember`.

        Raises:
            PredictionError: the robot's YAML lacks fields of the load model.
        """
        self.remember(tap, used)
        self._strikes += 1
        nail = self.target.nail
        if not self._learns or self._strikes > LEARNED or nail is None or not self.tool.gives:
            return
        found = learn_strike(self.robot, self.tool, nail, tap)
        if found.misfit <= WORST_FIT:
            self.tool, self.target = found.tool, replace(self.target, nail=found.nail)
            self._safe = None


def _below(limit: StrikeLimit, highest: float) -> SafeStrike:
    """Return the strike at a limit, no faster than a speed."""
    speed = min(limit.highest, highest)
    return SafeStrike(speed, speed / limit.critical.speed)
