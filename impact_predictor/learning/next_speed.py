# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""How fast the next hit may be, by what is known of wall and joints, and what that rests on."""

from __future__ import annotations

from itertools import product
from math import inf
from typing import NamedTuple

import numpy as np

from impact_predictor.exceptions import NotApproachingError
from impact_predictor.joint_load.drive import drive_of
from impact_predictor.joint_load.elastic_arm import ElasticArm, elastic_arm
from impact_predictor.joint_load.load import joint_load
from impact_predictor.joint_load.load_case import RatedCase
from impact_predictor.joint_load.load_limits import LoadLimits, load_limits
from impact_predictor.joint_load.worst_load import LoadSearch
from impact_predictor.learning.knowledge import RESERVE, Knowledge, is_near, lowest
from impact_predictor.learning.learning_box import LearningBox
from impact_predictor.learning.unseen_depth import (
    EXPONENT,
    OVER,
    hardest,
    pressed,
    speed_to,
    unseen_speed,
)
from impact_robots.state.state import PointState

DRAWS, SPREAD = 192, 1.0  # number, and standard deviations
FASTER = 3.0  # than the last hit, at most
DEEPER = 1.5  # than the last hit, at most, where the next one goes deeper than any did
FEW = 24  # of the draws, with which walls are rated that are harder below what was seen
CORNERS = 8  # of the worst cases of a linear wall, whose exponent and normal are varied
ROUNDS, SETTLED = 5, 0.01  # of a speed at which loads are not proportional to it, and its change
START, LEARNED, STEPS, PROVEN = "start", "learned", "three times the last", "no faster than proven"
DEPTH, BELOW, CEILING = "half faster than the last", "harder below", "ceiling"


class SafeSpeed(NamedTuple):
    """The highest speed of approach for the next hit, and what was promised for it."""

    speed: float  # [m/s]
    reason: str  # one of the keys of _PROMISES
    limit: str  # that binds first in the worst case
    start: float  # speed that no wall and no joints in the box make too fast [m/s]
    learned: float  # speed that nothing near the estimate makes too fast; start: no hits yet [m/s]

    @property
    def promised(self) -> float:
        """Share of a limit that the hit was promised to use at most [-]."""
        if self.reason in (START, PROVEN) or not self.learned < inf:
            return 1.0
        return min(1.0, self.speed / self.learned)

    @property
    def promise(self) -> str:
        """What holds at this speed, in one sentence."""
        return f"{self.speed:.3f} m/s keeps {self.limit} below its limit {_PROMISES[self.reason]}"


_PROMISES = {
    START: "for every wall and every arm in the announced ranges that the search found",
    LEARNED: f"for {DRAWS} walls and arms as likely as what the hits told",
    STEPS: f"for {DRAWS} walls and arms as likely as what the hits told, with room",
    PROVEN: "as far as the last hit did: the model does not explain the hits",
    DEPTH: f"for {DRAWS} walls and arms as likely as what the hits told, if the wall does not get"
    " harder below the depth that was seen",
    BELOW: f"for {DRAWS} walls and arms as likely as what the hits told, and up to {OVER:g} of it"
    " if the wall is as hard as announced below the depth that was seen",
    CEILING: "as far as a hit did that came near it",
}


def next_speed(
    known: Knowledge,
    point: PointState,
    limits: LoadLimits | None = None,
    seed: int = 0,
    direction: np.ndarray | None = None,
) -> SafeSpeed:
    """Return how fast the next hit of the same wall may be.

    At first, and for another or unknown wall, the speed that the whole box allows; then the one
    that what the hits told allows, at most three times that of the last hit, and 1.5 times where
    the next one goes deeper than any did; there it also counts on the hardest wall that was
    announced. Where the last hit was meant for the same place, its own configuration counts, too:
    an arm with more joints than its task needs does not arrive as it was meant to. With an alarm no
    faster than the last hit, nor than what its measured load had allowed. Never above a ceiling,
    which a hit of this place set that came near a limit.

    The arm must reach that speed 50 ms before contact: the torque of accelerating is not counted.

    Args:
        known: from the hits before.
        point: that will hit, where it will; its velocity does not matter.
        limits: of the loads; none: those of the robot's YAML.
        seed: of the draws.
        direction: of the approach, base axes, shape (3,); none: against the normal. The speed is
            that along the normal either way.

    Raises:
        PredictionError: the robot's YAML does not give what loads need.
        NotApproachingError: the direction is one away from the wall.
    """
    start, limit = _rating(known.box, point, limits, direction).start(point)
    ceiling = lowest(known.ceilings, point.q)
    if not known.windows:
        return _lowest([(start, START), (ceiling, CEILING)], limit, start, start)
    last, draws = known.windows[-1], known.draws(DRAWS, SPREAD, seed)
    again = is_near(last.point.q, point.q)
    box, used = known.box, known.used(last)
    ratings = [_rating(box, each, limits, direction) for each in (point, last.point)[: 1 + again]]
    estimated = bool(np.all(box.free | (box.low == box.high)))  # else draws are ends of ranges, too
    tried = max(each.speed for each in known.windows)
    learned, limit = min(
        each.speed(draws, tried, estimated=estimated, tried=tried) for each in ratings
    )
    learned /= max(1.0, last.gain / box.torque_gain)  # what the sensors may hide
    if again and used > 0.0:  # what it measured, in proportion: a model may fit all but that
        learned = min(learned, last.speed / (RESERVE * used))
    if known.alarm:
        proven = last.speed / max(1.0, RESERVE * used)
        safe = [(min(start, learned, proven), PROVEN), (ceiling, CEILING)]
        return _lowest(safe, limit, start, learned)
    through, below = ratings[0].below(known, draws, tried)
    steps = FASTER * last.speed
    deeper = min(steps, max(DEEPER * last.speed, through))
    safe = [
        (learned, LEARNED),
        (max(start, steps), STEPS),
        (max(start, deeper), DEPTH),
        (max(start, below), BELOW),
        (ceiling, CEILING),
    ]
    return _lowest(safe, limit, start, learned)


def _lowest(speeds: list[tuple[float, str]], limit: str, start: float, learned: float) -> SafeSpeed:
    """Return the lowest of some speeds, and of equal ones the first."""
    return SafeSpeed(*min(speeds, key=lambda each: each[0]), limit, start, learned)


def speed_of_known(
    box: LearningBox,
    point: PointState,
    figures: np.ndarray,
    direction: np.ndarray | None = None,
) -> float:
    """Return the speed at which a known wall and arm just keep every limit [m/s].

    Args:
        box: that holds them.
        point: that will hit, where it will.
        figures: of wall and joints, shape (6 + 3 n,).
        direction: of the approach, see :func:`next_speed`.

    Raises:
        PredictionError: the robot's YAML does not give what loads need.
        NotApproachingError: the direction is one away from the wall.
    """
    return RESERVE * _rating(box, point, None, direction).speed(figures[None])[0]


def _rating(
    box: LearningBox, point: PointState, limits: LoadLimits | None, direction: np.ndarray | None
) -> _Rating:
    arm = elastic_arm(box.robot, point.robot_state, drive_of(box.robot, "torque"))
    along = -box.surface.normal if direction is None else np.array(direction, dtype=float)
    if (approach := box.surface.approach_speed(along)) <= 0.0:
        raise NotApproachingError(-approach)
    limits = limits or load_limits(box.robot, point.g)
    return _Rating(box, arm, np.array(point.J[:3]), limits, along / approach)


class _Rating(NamedTuple):
    """Rates walls and joints at one configuration."""

    box: LearningBox
    arm: ElasticArm
    J: np.ndarray  # of the contact point, linear, base axes, shape (3, n)
    limits: LoadLimits
    toward: np.ndarray  # velocity that is 1 m/s along the normal, base axes, shape (3,) [m/s]

    def used(self, figures: np.ndarray, speed: float) -> np.ndarray:
        """Return what a hit uses of each limit [-]."""
        case = self.box.case(figures)
        arm = self.arm.scaled(case.scale)
        contact = case.contact(arm.M_inverse, self.J, speed * self.toward)
        return self.limits.used(joint_load(arm, [contact]))

    def speed(
        self,
        figures: np.ndarray,
        guess: float = 0.1,
        *,
        estimated: bool = False,
        tried: float = inf,
    ) -> tuple[float, str]:
        """Return the speed that all figures allow, (k, 6 + 3 n), and the limit that binds.

        Where loads are not proportional to speed they grow faster, so a speed scaled down is safe.

        Args:
            figures: of walls and arms, each of which may be true.
            guess: of the speed [m/s].
            estimated: the first ones are an estimate, and the others drawn about it.
            tried: highest speed of a hit; above it more is kept in reserve [m/s].
        """
        speed, limit, straight = guess, "", self.box.linear and tried == inf
        for _ in range(1 if straight else ROUNDS):
            loads = np.array([self.used(each, speed) for each in figures])
            used = self._needed(loads, estimated, max(1.0, speed / tried))
            limit, most = self.limits.names[int(used.argmax())], used.max()
            before, speed = speed, speed / most if most > 0.0 else inf
            if speed == inf or abs(speed - before) < SETTLED * before:
                break
        return (speed if straight else min(speed, before)), limit

    @staticmethod
    def _needed(used: np.ndarray, estimated: bool, faster: float) -> np.ndarray:
        """Return what is kept below each limit, of loads (k, l) of k walls and arms; (l,) [-].

        The reserve for the model is added to the largest load. What the model is off by has nothing
        to do with what the estimate is, so beside an estimate their squares are added. A wall may
        depend on speed as the model does not know, which hits of one speed do not tell: the reserve
        grows by twice itself for each time that the speed is ``faster`` than the hits were.
        """
        most = used.max(axis=0)
        middle = used[0] if estimated else most
        return np.asarray(
            middle + np.hypot(most - middle, (2.0 * faster - 1.0) * (RESERVE - 1.0) * most)
        )

    def below(self, known: Knowledge, draws: np.ndarray, speed: float) -> tuple[float, float]:
        """Return the speed that goes as deep as was seen, and what a harder wall below allows.

        Args:
            known: from hits, at least one.
            draws: figures of walls and arms, the estimate first, shape (k, 6 + 3 n).
            speed: of a hit [m/s].
        """
        velocity = speed * self.toward
        reached, _ = pressed(self.box, self.arm, self.J, draws[0], velocity)
        through = speed_to(max(known.depth, 0.0), reached, speed, float(draws[0][EXPONENT]))
        soft = draws[:FEW]
        return through, unseen_speed(self.used, soft, hardest(self.box, soft), through)

    def start(self, point: PointState) -> tuple[float, str]:
        """Return the speed that the worst of the box allows, and the limit that binds.

        The worst linear walls are searched; exponent and normal at their ends make others of them.
        """
        box = self.box
        search = LoadSearch(box.arm, box.wall)
        worst = search.worst(point, self.limits)[:CORNERS]
        ends = [sorted({box.low[i], box.high[i]}) for i in (3, 4, 5)]
        straight = np.allclose(self.toward, -box.surface.normal)
        if all(len(each) == 1 for each in ends) and box.linear and straight:
            return worst[0].speed / RESERVE, self.limits.names[worst[0].worst]
        figures = [self._figures(each, others) for each in worst for others in product(*ends)]
        return self.speed(np.array(figures), worst[0].speed)

    def _figures(self, rated: RatedCase, others: tuple[float, ...]) -> np.ndarray:
        case = rated.case
        k = np.clip(np.log(case.stiffness), self.box.low[0], self.box.high[0])
        wall = (k, case.restitution, case.friction, *others)
        return np.concatenate([wall, case.scale.ravel()])
