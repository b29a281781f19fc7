# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Highest safe speed of the next hit, by the knowledge of wall and joints, with its reason."""

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
DEEPER = 1.5  # than the last hit, at most, if the next one goes deeper than all before
FEW = 24  # of the draws, rated with walls that are harder below the reached depth
CORNERS = 8  # of the worst cases of a linear wall, whose exponent and normal are varied
ROUNDS, SETTLED = 5, 0.01  # of a speed at which loads are not proportional to it, and its change
START, LEARNED, STEPS, PROVEN = "start", "learned", "three times the last", "no faster than proven"
DEPTH, BELOW, CEILING = "half faster than the last", "harder below", "ceiling"


class SafeSpeed(NamedTuple):
    """The highest speed of approach for the next hit, and its justification."""

    speed: float  # [m/s]
    reason: str  # one of the keys of _PROMISES
    limit: str  # that binds first in the worst case
    start: float  # speed that no wall and no joints in the box make too fast [m/s]
    learned: float  # speed that nothing near the estimate makes too fast; start: no hits yet [m/s]

    @property
    def promised(self) -> float:
        """Predicted upper bound of the used fraction of a limit [-]."""
        if self.reason in (START, PROVEN) or not self.learned < inf:
            return 1.0
        return min(1.0, self.speed / self.learned)

    @property
    def promise(self) -> str:
        """Statement about this speed, in one sentence."""
        return f"{self.speed:.3f} m/s keeps {self.limit} below its limit {_PROMISES[self.reason]}"


_PROMISES = {
    START: "for every wall and every arm in the announced ranges that the search found",
    LEARNED: f"for {DRAWS} walls and arms drawn from the estimate",
    STEPS: f"for {DRAWS} walls and arms drawn from the estimate, with a reserve for its error",
    PROVEN: "as far as the last hit did: the model does not explain the hits",
    DEPTH: f"for {DRAWS} walls and arms drawn from the estimate, if the wall is not harder below"
    " the depth of the hits",
    BELOW: f"for {DRAWS} walls and arms drawn from the estimate, and below {OVER:g} times it if the"
    " wall is as hard as announced below the depth of the hits",
    CEILING: "as far as a hit with a load close to it did",
}


def next_speed(
    known: Knowledge,
    point: PointState,
    limits: LoadLimits | None = None,
    seed: int = 0,
    direction: np.ndarray | None = None,
) -> SafeSpeed:
    """Return the highest safe speed of the next hit of the same wall.

    At first, and for another or unknown wall, the speed is safe for the whole box. Then it is safe
    for the estimate from the hits, at most three times that of the last hit, and 1.5 times if the
    next one goes deeper than all before; below the reached depth the hardest announced wall is
    assumed. If the last hit was planned for the same place, its own configuration is considered,
    too: a redundant arm does not arrive exactly as planned. With an alarm the speed is at most that
    of the last hit, and at most what its measured load allows. It never exceeds a ceiling, set by
    a hit of this place with a load close to a limit.

    The arm must reach that speed 50 ms before contact: the torque of accelerating is not counted.

    Args:
        known: from the hits before.
        point: that will hit, at that configuration; its velocity is not used.
        limits: of the loads; None: those of the robot's YAML.
        seed: of the draws.
        direction: of the approach, base axes, shape (3,); None: against the normal. The speed is
            always that along the normal.

    Raises:
        PredictionError: the robot's YAML does not define the fields for loads.
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
    learned /= max(1.0, last.gain / box.torque_gain)  # possible gain error of the sensors
    if again and used > 0.0:  # by its measured load, in proportion: the model may not fit this one
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
        point: that will hit, at that configuration.
        figures: of wall and joints, shape (6 + 3 n,).
        direction: of the approach, see :func:`next_speed`.

    Raises:
        PredictionError: the robot's YAML does not define the fields for loads.
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
        """Return the used fraction of each limit [-]."""
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
            tried: highest speed of a hit; above it the reserve is larger [m/s].
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
        """Return the margin below each limit, of loads (k, l) of k walls and arms; (l,) [-].

        The reserve for model errors is added to the largest load. Model errors are independent of
        the estimate, so with an estimate their squares are added. The wall may depend on speed in
        a way that is not modelled and not observable from hits of one speed: the reserve grows by
        twice itself for each multiple of the hits' speed (``faster``).
        """
        most = used.max(axis=0)
        middle = used[0] if estimated else most
        return np.asarray(
            middle + np.hypot(most - middle, (2.0 * faster - 1.0) * (RESERVE - 1.0) * most)
        )

    def below(self, known: Knowledge, draws: np.ndarray, speed: float) -> tuple[float, float]:
        """Return the speed that reaches the known depth, and that for a harder wall below.

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
        """Return the safe speed for the worst case in the box, and the limit that binds.

        The worst linear walls are searched; then exponent and normal are set to their bounds.
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
